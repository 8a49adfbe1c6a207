// Spending the right that an approval gives. The lane decides, once; the same spending again gets the same answer.
import { type Endpoint, jsonOf } from './call.js'
import { isFields } from './case.js'
import { told } from './outcome.js'
import type { Pace } from './pace.js'
import { persist } from './persist.js'

export type Spend = {
  readonly token: string
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
  /** The caller's own name for this one performance of the action: a retry must carry the same. */
  readonly spendId: string
}
export type Spent =
  | { readonly kind: 'spent'; readonly jti: string; readonly spentAt: string }
  /** already_spent, policy_mismatch, policy_token_invalid, policy_token_expired, policy_token_revoked, unreachable … */
  | { readonly kind: 'not_spent'; readonly code: string; readonly detail: string }

/** Some seconds: the right is about to be used, and must not be used on a guess. */
const ATTEMPTS = 6

export async function spend(endpoint: Endpoint, pace: Pace, { spendId, ...rest }: Spend): Promise<Spent> {
  const what = {
    method: 'POST' as const,
    path: '/v1/policy-tokens/spend',
    body: { ...rest, spend_id: spendId },
  }
  const answer = await persist(pace, endpoint, what, { isFinal: (_, attempt) => attempt === ATTEMPTS })
  if (answer.kind === 'answer') return spentOf(jsonOf(answer))
  const { code, detail } = told(answer)
  return { kind: 'not_spent', code, detail }
}

const spentOf = (body: unknown): Spent =>
  isFields(body) && typeof body.jti === 'string' && typeof body.spent_at === 'string'
    ? { kind: 'spent', jti: body.jti, spentAt: body.spent_at }
    : { kind: 'not_spent', code: 'not_a_lane', detail: 'the answer names no token' }
