// What a provider says later about a copy it took. A copy that bounced no longer stands, and the agenda owes the next
// channel; a report that changes nothing is not repeated in the ledger, whatever order reports come in.
import { type Case, isOpen } from '../agenda/case.js'
import type { Recorder } from '../record.js'

export type Reporter = {
  readonly record: Recorder
  readonly reload: (requestId: string) => Promise<Case>
}

export type Reported = { readonly delivery_id: string; readonly status: string; readonly stands: boolean }

export async function report(reporter: Reporter, requestId: string, body: Reported): Promise<Case> {
  for (;;) {
    const subject = await reporter.reload(requestId)
    if (!isNews(subject, body)) return subject
    const { request_id, run } = subject
    const result = await reporter.record({ request_id, subject }, () => ({
      events: [{ type: 'DELIVERY_STATUS', request_id, run_id: run.run_id, body }],
    }))
    if (result.kind === 'recorded') return result.subject
  }
}

/** Once it has bounced nothing later makes it stand; once the request is settled nobody asks. */
function isNews(subject: Case, { delivery_id, status }: Reported): boolean {
  const delivery = subject.deliveries.find(one => one.delivery_id === delivery_id)
  return isOpen(subject) && delivery !== undefined && !delivery.bounced && delivery.status !== status
}
