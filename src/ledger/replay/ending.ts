// The end a case must have, derived from its cause and from nothing else; the ledger's own words are then compared
// with it.
import type { Case } from '../../agenda/case.js'
import { stands } from '../../agenda/delivery.js'
import type { Body, Entry } from '../../event.js'
import { tally } from '../../tally/tally.js'

export const timeoutOf = (subject: Case, at: string): Body<'TIMEOUT_RECEIPT'> => ({
  request_hash: subject.request_hash,
  default_action: subject.request.default_action,
  deadline_at: subject.deadline_at,
  fired_at: at,
  deliveries: subject.deliveries.map(({ delivery_id, state }) => ({ delivery_id, state })),
})

/** Null when the entry before it is no cause. */
export function resolutionOf(subject: Case, cause: Entry | null): Body<'REQUEST_RESOLVED'> | null {
  if (cause?.request_id !== subject.request_id) return null
  const causes = [cause.seq]
  switch (cause.type) {
    case 'HUMAN_REPLY_EVENT': {
      const come = tally(subject)
      return come.kind === 'open' ? null : { outcome: 'answered', causes: come.causes, answer: come.answer }
    }
    case 'TIMEOUT_RECEIPT': {
      const outcome = subject.deliveries.some(stands) ? 'defaulted' : 'undelivered'
      return { outcome, causes, default_action: subject.request.default_action }
    }
    case 'REQUEST_WITHDRAWN':
      return { outcome: 'withdrawn', causes }
    default:
      return null
  }
}
