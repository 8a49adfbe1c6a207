// The policy token, a run's right to act: a JWS that says which action, with exactly which parameters, a person has
// approved for which run. The format and its checks are docs/spec/policy-token.md. The string is kept nowhere: it is
// made from the ledger's entry whenever its caller asks, and Ed25519 makes the same one each time.
import { z } from 'zod'
import type { Hash } from '../canonical.js'
import { isHash, isName, oneOf, plain } from '../shortcut.js'
import { commonClaims, hashClaim, ISSUER, plainClaims, sign, type TokenFlaw, verifyKind } from './jws.js'
import type { Keyring } from './keyring.js'

const AUDIENCE = 'lane.policy'

export type PolicyClaims = {
  /** The key id that opened the approval. */
  readonly sub: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  readonly run: string
  readonly req: string
  readonly act: string
  readonly prh: Hash
  readonly rqh: Hash
  readonly rev: Hash
}

export const KIND = {
  typ: 'lane-policy+jwt',
  payload: z.strictObject({
    iss: z.literal(ISSUER),
    aud: z.literal(AUDIENCE),
    ...commonClaims,
    run: z.string().min(1),
    req: z.string().min(1),
    act: z.string().min(1),
    prh: hashClaim,
    rqh: hashClaim,
    rev: hashClaim,
  }),
  plain: plain({
    iss: oneOf(ISSUER),
    aud: oneOf(AUDIENCE),
    ...plainClaims,
    run: isName,
    req: isName,
    act: isName,
    prh: isHash,
    rqh: isHash,
    rev: isHash,
  }),
}

export const mintPolicyToken = (keyring: Keyring, claims: PolicyClaims): string =>
  sign(keyring, KIND, { iss: ISSUER, aud: AUDIENCE, ...claims })

type VerifiedPolicy =
  | { readonly ok: true; readonly claims: PolicyClaims }
  | { readonly ok: false; readonly flaw: TokenFlaw }

/** The ledger judges whether it may be spent; here it is only checked that the lane has signed it. */
export async function verifyPolicyToken(
  keyring: Keyring,
  token: string,
  now: number,
): Promise<VerifiedPolicy> {
  const read = await verifyKind(keyring, KIND, token, now)
  if (!read.ok) return read
  const { iss: _iss, aud: _aud, ...claims } = read.claims
  return { ok: true, claims }
}
