// Who may answer: the reply token, a JWS over everything that must not change between asking and answering. The
// format is docs/spec/reply-token.md. Algorithm, type, issuer, audience and claims are fixed here (RFC 8725), never
// taken from the token.
import { CompactSign, compactVerify } from 'jose'
import { z } from 'zod'
import { CHANNELS, type Channel } from '../adapter.js'
import { type Hash, sha256 } from '../canonical.js'
import type { Keyring } from './keyring.js'

const TYP = 'lane-reply+jwt'
const ISSUER = 'interrupt-lane'
const AUDIENCE = 'lane.reply'
/** Far above any token of ours; checked before a byte is decoded. */
const LONGEST_TOKEN = 2048
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

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

const hash = z.custom<Hash>(value => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value))
const header = z.strictObject({ alg: z.literal('EdDSA'), typ: z.literal(TYP), kid: z.string() })
const payload = z.strictObject({
  iss: z.literal(ISSUER),
  aud: z.literal(AUDIENCE),
  sub: z.string().min(1),
  jti: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  iat: z.number().int(),
  exp: z.number().int(),
  req: z.string().min(1),
  rqh: hash,
  rsh: hash,
  ch: z.enum(CHANNELS),
  dsh: hash,
})

export async function mint(keyring: Keyring, claims: ReplyClaims): Promise<string> {
  const full = payload.parse({ iss: ISSUER, aud: AUDIENCE, ...claims })
  return new CompactSign(Buffer.from(JSON.stringify(full)))
    .setProtectedHeader({ alg: 'EdDSA', typ: TYP, kid: keyring.signing.kid })
    .sign(keyring.signing.key)
}

export type TokenFlaw = 'token_malformed' | 'token_unknown_key' | 'token_bad_signature'
export type Verified =
  | { readonly ok: true; readonly claims: ReplyClaims }
  | { readonly ok: false; readonly flaw: TokenFlaw }

/** Shape, key and signature. Expiry and what the claims must match are judged by the reply room, by the ledger's clock. */
export async function verify(keyring: Keyring, token: string, now: number): Promise<Verified> {
  const parts = readParts(token)
  if (parts === null) return { ok: false, flaw: 'token_malformed' }
  const key = keyring.verifier(parts.kid, now)
  if (key === null) return { ok: false, flaw: 'token_unknown_key' }
  try {
    await compactVerify(token, key, { algorithms: ['EdDSA'] })
  } catch {
    return { ok: false, flaw: 'token_bad_signature' }
  }
  return { ok: true, claims: parts.claims }
}

/** One spelling only: jose would accept others of the same signature, and a flipped unused bit would pass. */
function readParts(token: string): { readonly kid: string; readonly claims: ReplyClaims } | null {
  if (token.length > LONGEST_TOKEN || !SHAPE.test(token)) return null
  const [head = '', body = '', signature = ''] = token.split('.')
  if (![head, body, signature].every(isCanonical)) return null
  const parsedHead = header.safeParse(readJson(head))
  const parsedBody = payload.safeParse(readJson(body))
  if (!parsedHead.success || !parsedBody.success) return null
  const { iss: _iss, aud: _aud, ...claims } = parsedBody.data
  return { kid: parsedHead.data.kid, claims }
}

/** Node's decoder skips what it cannot read, so what does not come back the same was not one spelling of anything. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function readJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}

export const hashToken = (token: string): Hash => sha256(token)
