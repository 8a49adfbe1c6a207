// Time's way in. Past its deadline an open request is resolved by its declared default, in one append: the receipt
// says that no person decided, and whether the request had reached anybody at all.
import { type Case, isOpen } from '../agenda/case.js'
import { stands } from '../agenda/delivery.js'
import type { Deed } from '../event.js'
import type { Moment } from '../ledger/contract.js'
import type { Recorder, Told } from '../record/record.js'

/** The case afterwards: resolved, by this append or by an earlier one; or still open, where the deadline has not come
 *  by the ledger's clock or that clock is not to be trusted just now. */
export async function timeOut({ record }: Pick<Recorder, 'record'>, first: Case): Promise<Case> {
  const { subject } = await record<'early' | 'clock_suspect', 'resolved'>(
    first.request_id,
    subject =>
      isOpen(subject) ? { resolves: true, tell: moment => told(subject, moment) } : { leave: 'resolved' },
    first,
  )
  return subject
}

function told(subject: Case, moment: Moment): Told<'early' | 'clock_suspect'> {
  if (moment.suspect) return { refuse: 'clock_suspect' }
  if (moment.ms < subject.deadline_ms) return { refuse: 'early' }
  return { events: receipt(subject, moment) }
}

function receipt(subject: Case, moment: Moment): readonly Deed[] {
  const { default_action } = subject.request
  return [
    {
      type: 'TIMEOUT_RECEIPT',
      body: {
        request_hash: subject.request_hash,
        default_action,
        deadline_at: subject.deadline_at,
        fired_at: moment.at,
        deliveries: subject.deliveries.map(({ delivery_id, state }) => ({ delivery_id, state })),
      },
    },
    {
      type: 'REQUEST_RESOLVED',
      body: {
        outcome: subject.deliveries.some(stands) ? 'defaulted' : 'undelivered',
        causes: [moment.seq],
        default_action,
      },
    },
  ]
}
