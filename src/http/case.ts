// The case as callers see it (docs/spec/http-api.md). No key of any scope sees a link, a reply handle or a code.
import { type Case, isOpen } from '../agenda/case.js'
import type { Delivery } from '../agenda/delivery.js'
import { nobodyRests, plan } from '../agenda/plan.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import type { Terms } from '../request/terms.js'
import { soFar, standing } from '../tally/so-far.js'
import { toldAnswer, type Words } from '../tally/told.js'
import type { Shown } from '../waiter/callback.js'

/** Parts only some may see: the words and the passkey behind the answer (auditors), and the right it gave (the approval's opener). */
type Unsealed = {
  readonly raw?: string | null
  /** The passkey that confirmed it. */
  readonly credential?: Hash | null
  readonly policyToken?: string | null
  /** The words of the reasons: for everybody who sees the case, while they are not erased. */
  readonly words?: Words
}

export function showCase(
  subject: Case,
  { raw = null, credential = null, policyToken = null, words = NO_WORDS }: Unsealed = {},
) {
  const so_far = soFar(subject, subject.state === 'answered', words)
  const tally = isOpen(subject) ? standing(subject) : null
  const answer =
    subject.answer === null
      ? null
      : {
          ...toldAnswer(subject.answer, words),
          ...(raw !== null && { raw_text: raw }),
          ...(credential !== null && { credential_hash: credential }),
        }
  return {
    request_id: subject.request_id,
    type: subject.request.type,
    request: subject.request,
    request_hash: subject.request_hash,
    run: subject.run,
    state: subject.state,
    opened_at: subject.opened_at,
    deadline_at: subject.deadline_at,
    resolved_at: subject.resolved_at,
    answer,
    ...(so_far !== null && { so_far }),
    ...(tally !== null && { tally }),
    default_action: subject.request.default_action,
    default_applied: subject.default_applied,
    ...(subject.terms !== null && { terms: termsOf(subject.terms) }),
    deliveries: deliveriesOf(subject),
    ...(subject.steps.length > 0 && { escalations: subject.steps }),
    ...(subject.hands.length > 0 && { delegations: subject.hands }),
    decision: decisionOf(subject, policyToken),
    receipt: subject.receipt,
  }
}

/** A case too long to be sent is sent without the parts the caller already has, or can ask for. */
export function messageOfCase(whole: Shown['whole']): Shown {
  const { request: _, deliveries: __, ...short } = whole
  return { whole, short }
}

/** But for the policy, which is the operator's own. */
const termsOf = ({ policy: _, ...terms }: Terms): Omit<Terms, 'policy'> => terms

const NO_WORDS: Words = new Map()

function decisionOf({ decision, policy_token }: Case, token: string | null) {
  if (decision === null) return null
  const { because: _because, ...decided } = decision
  if (token === null || policy_token === null) return decided
  return { ...decided, policy_token: token, policy_token_expires_at: policy_token.expires_at }
}

/** The deliveries begun, and while the request is open those the agenda still has to begin. */
function deliveriesOf(subject: Case) {
  const begun = subject.deliveries.map(show)
  if (!isOpen(subject)) return begun
  const known = new Set(begun.map(delivery => delivery.delivery_id))
  const queued = plan(subject, nobodyRests, () => [])
    .filter(planned => !known.has(planned.delivery_id))
    .map(planned => ({ ...planned, state: 'queued' as const, attempts: 0, at: subject.opened_at }))
  return [...begun, ...queued]
}

const show = ({ delivery_id, user_id, channel, state, attempts, at, held }: Delivery) => ({
  delivery_id,
  user_id,
  channel,
  state,
  attempts,
  at,
  ...(state === 'held' && held !== null && { until: instant(held.until) }),
})
