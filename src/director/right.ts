// The right to act: the claims the ledger stands behind, and whether spending them is allowed now. Pure; the ledger's
// clock comes in by parameter, and the same judgement is made again inside the append.
//
// DR1  "Approve A, run B" is impossible: action and parameters are hashed again at the spend and must be the approved
//      ones, to the byte of their RFC 8785 text.
// DR2  A right is spent once. The same spend_id always finds its own spend again; another finds the right gone.
// DR3  A right is good only for the caller that opened the approval, in its run, while it is
//      neither old nor taken back.
import type { Case, PolicyToken } from '../agenda/case.js'
import { canonical } from '../canonical.js'
import type { PolicyClaims } from '../token/policy-token.js'
import { hashParameters } from './direct.js'

/** The claims of a case's policy token: those its entry holds, and nothing else. */
export function claimsOf(subject: Case, token: PolicyToken): PolicyClaims {
  return {
    sub: subject.opened_by,
    jti: token.jti,
    iat: Math.floor(Date.parse(token.issued_at) / 1000),
    exp: Math.ceil(Date.parse(token.expires_at) / 1000),
    run: subject.run.run_id,
    req: subject.request_id,
    act: token.action,
    prh: token.parameters_hash,
    rqh: token.request_hash,
    rev: token.reply_event_hash,
  }
}

export type WhyNot = 'revoked' | 'expired'

/** The reason a right that was not spent yet cannot be, or null. The ledger's own expiry
 *  decides, to the millisecond. */
export function flawOfToken({ revoked_at, expires_at }: PolicyToken, ms: number): WhyNot | null {
  if (revoked_at !== null) return 'revoked'
  return ms >= Date.parse(expires_at) ? 'expired' : null
}

export const isLive = (token: PolicyToken, ms: number): boolean =>
  token.spent === null && flawOfToken(token, ms) === null

export type Spend = {
  readonly action: string
  readonly parameters: unknown
  readonly spend_id: string
  /** The key id of the spender. */
  readonly by: string
}

export type Spendable =
  | { readonly kind: 'spendable'; readonly token: PolicyToken }
  | { readonly kind: 'spent_before'; readonly at: string }
  | { readonly kind: 'refused'; readonly why: WhyNot | 'invalid' | 'mismatch' | 'already_spent' }

/** The claims are signed by the lane; the ledger must stand behind every one of them all the same. */
export function judgeSpend(subject: Case | null, claims: PolicyClaims, spend: Spend, ms: number): Spendable {
  const token = subject?.policy_token ?? null
  if (subject === null || token === null || canonical(claimsOf(subject, token)) !== canonical(claims)) {
    return { kind: 'refused', why: 'invalid' }
  }
  if (!isFor(claims, spend)) return { kind: 'refused', why: 'mismatch' }
  if (token.spent !== null) {
    const again = token.spent.spend_id === spend.spend_id
    return again ? { kind: 'spent_before', at: token.spent.at } : { kind: 'refused', why: 'already_spent' }
  }
  const flaw = flawOfToken(token, ms)
  return flaw === null ? { kind: 'spendable', token } : { kind: 'refused', why: flaw }
}

const isFor = ({ sub, act, prh }: PolicyClaims, { by, action, parameters }: Spend): boolean =>
  by === sub && action === act && hashParameters(parameters) === prh
