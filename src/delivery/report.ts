// A provider's later reports about a copy it took. A copy that bounced no longer stands, and the agenda owes the next
// channel; a report that changes nothing is not repeated in the ledger, in any order of reports. A report about the
// copy of an attempt that was made anew says nothing about the copy that stands.
import { type Case, isOpen } from '../agenda/case.js'
import { LINKED } from '../agenda/delivery.js'
import type { Hash } from '../canonical.js'
import type { Recorder } from '../record/record.js'

type Reported = { readonly delivery_id: string; readonly status: string; readonly stands: boolean }

/** `token_hash` is that of the copy the report is about. */
export async function report(
  { record }: Pick<Recorder, 'record'>,
  requestId: string,
  token_hash: Hash,
  body: Reported,
): Promise<Case> {
  const events = [{ type: 'DELIVERY_STATUS', body }] as const
  const { subject } = await record(requestId, current =>
    isNews(current, token_hash, body) ? { tell: () => ({ events }) } : { leave: 'no_news' as const },
  )
  return subject
}

/** Once it has bounced nothing later makes it stand; once the request is settled nobody asks. A newly linked address
 *  is news to a delivery that failed for want of one, and to a send under way, which may not know it. */
function isNews(subject: Case, token_hash: Hash, { delivery_id, status }: Reported): boolean {
  const delivery = subject.deliveries.find(one => one.delivery_id === delivery_id)
  if (!isOpen(subject) || delivery === undefined || delivery.minted?.token_hash !== token_hash) return false
  if (status === LINKED && !delivery.unlinked && delivery.state !== 'sending') return false
  return !delivery.bounced && delivery.status !== status
}
