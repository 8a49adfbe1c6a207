// The reply token, a person's right to answer: a JWS over everything that must not change between asking and
// answering. The format is docs/spec/reply-token.md.
import { z } from 'zod'
import type { Hash } from '../canonical.js'
import { CHANNELS, type Channel } from '../request/channel.js'
import { isHash, isName, oneOf, plain } from '../shortcut.js'
import { commonClaims, hashClaim, ISSUER, plainClaims, sign, type TokenFlaw, verifyKind } from './jws.js'
import type { Keyring } from './keyring.js'

const AUDIENCE = 'lane.reply'

export type ReplyClaims = {
  readonly sub: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  readonly req: string
  readonly rqh: Hash
  readonly rsh: Hash
  readonly ch: Channel
  readonly dsh: Hash
}

export const KIND = {
  typ: 'lane-reply+jwt',
  payload: z.strictObject({
    iss: z.literal(ISSUER),
    aud: z.literal(AUDIENCE),
    ...commonClaims,
    req: z.string().min(1),
    rqh: hashClaim,
    rsh: hashClaim,
    ch: z.enum(CHANNELS),
    dsh: hashClaim,
  }),
  plain: plain({
    iss: oneOf(ISSUER),
    aud: oneOf(AUDIENCE),
    ...plainClaims,
    req: isName,
    rqh: isHash,
    rsh: isHash,
    ch: oneOf(...CHANNELS),
    dsh: isHash,
  }),
}

export const mint = (keyring: Keyring, claims: ReplyClaims): string =>
  sign(keyring, KIND, { iss: ISSUER, aud: AUDIENCE, ...claims })

export type Verified =
  | { readonly ok: true; readonly claims: ReplyClaims }
  | { readonly ok: false; readonly flaw: TokenFlaw }

/** The reply room judges the expiry and the claims, by the ledger's clock. */
export async function verify(keyring: Keyring, token: string, now: number): Promise<Verified> {
  const read = await verifyKind(keyring, KIND, token, now)
  if (!read.ok) return read
  const { iss: _iss, aud: _aud, ...claims } = read.claims
  return { ok: true, claims }
}
