// Time's way in. Past its deadline an open request is resolved by its declared default, in one append: the receipt
// says that no person decided, and whether the request had reached anybody at all.
import type { Case } from '../agenda/case.js'
import { stands } from '../agenda/delivery.js'
import type { Draft } from '../event.js'
import type { Moment } from '../ledger/contract.js'
import type { Recorder } from '../record.js'

export type TimedOut =
  | { readonly kind: 'resolved'; readonly subject: Case }
  /** Someone else was first, the deadline has not come, or the clock is not to be trusted just now. */
  | { readonly kind: 'not_now'; readonly why: 'moved' | 'early' | 'clock_suspect' }

export async function timeOut(record: Recorder, subject: Case): Promise<TimedOut> {
  const result = await record<'early' | 'clock_suspect'>(
    { request_id: subject.request_id, subject },
    moment => {
      if (moment.suspect) return { refuse: 'clock_suspect' }
      if (moment.ms < subject.deadline_ms) return { refuse: 'early' }
      return { events: receipt(subject, moment) }
    },
  )
  if (result.kind === 'recorded') return { kind: 'resolved', subject: result.subject }
  return { kind: 'not_now', why: result.kind === 'refused' ? result.why : 'moved' }
}

function receipt(subject: Case, moment: Moment): readonly Draft[] {
  const ids = { request_id: subject.request_id, run_id: subject.run.run_id }
  const { default_action } = subject.request
  return [
    {
      type: 'TIMEOUT_RECEIPT',
      ...ids,
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
      ...ids,
      body: {
        outcome: subject.deliveries.some(stands) ? 'defaulted' : 'undelivered',
        causes: [moment.seq],
        default_action,
      },
    },
  ]
}
