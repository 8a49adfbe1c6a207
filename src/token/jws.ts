// A signed statement of the lane: compact JWS, Ed25519, one spelling. This file holds what all kinds of token share;
// each kind has a file of its own for its typ and its claims. Algorithm, type and claims are fixed in code (RFC
// 8725), never taken from the token.
import { type KeyObject, sign as signBytes, verify as verifyBytes } from 'node:crypto'
import { z } from 'zod'
import { type Hash, sha256 } from '../canonical.js'
import { fits, isCount, isName, type Plain } from '../shortcut.js'
import type { Keyring } from './keyring.js'

export const ISSUER = 'interrupt-lane'
/** Far above any token of ours; checked before a byte is decoded. */
const LONGEST_TOKEN = 2048
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

export const hashClaim = z.custom<Hash>(
  value => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value),
)
const JTI = /^[A-Za-z0-9_-]{22}$/
/** The claims that every kind has. */
export const commonClaims = {
  sub: z.string().min(1),
  jti: z.string().regex(JTI),
  iat: z.number().int(),
  exp: z.number().int(),
}
export const plainClaims = {
  sub: isName,
  jti: (value: unknown) => typeof value === 'string' && JTI.test(value),
  iat: isCount,
  exp: isCount,
}

/** One kind of token: its typ, and the shape of its payload, closed; with the short cut past it. */
type Kind<P> = { readonly typ: string; readonly payload: z.ZodType<P>; readonly plain: Plain }

export type TokenFlaw = 'token_malformed' | 'token_unknown_key' | 'token_bad_signature'
type Verified<P> =
  | { readonly ok: true; readonly claims: P }
  | { readonly ok: false; readonly flaw: TokenFlaw }

/** Signed where it stands: handing so small a thing to another thread costs more than the signature. */
export function sign<P>(keyring: Keyring, { typ, payload, plain }: Kind<P>, claims: P): string {
  const { kid, key, lately } = keyring.signing
  if (!fits(plain, claims)) payload.parse(claims)
  const said = `${headOf(typ, kid)}.${encode(claims)}`
  const token = `${said}.${signBytes(null, Buffer.from(said), key).toString('base64url')}`
  lately.add(hashToken(token))
  return token
}

let head = { typ: '', kid: '', encoded: '' }

/** One key signs at a time, and nearly always the same kind. */
function headOf(typ: string, kid: string): string {
  if (head.typ !== typ || head.kid !== kid) head = { typ, kid, encoded: encode({ alg: 'EdDSA', typ, kid }) }
  return head.encoded
}

let hashed: { readonly token: string; readonly hash: Hash } = { token: '', hash: sha256('') }

/** The code that signs or checks a token names it next: the last one is remembered. */
export function hashToken(token: string): Hash {
  if (hashed.token !== token) hashed = { token, hash: sha256(token) }
  return hashed.hash
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Shape, key and signature. The claims and the expiry are judged by the room that was shown the token. */
export async function verifyKind<P>(
  keyring: Keyring,
  kind: Kind<P>,
  token: string,
  now: number,
): Promise<Verified<P>> {
  const isOurs = isSignedLately(keyring, kind, token)
  const parts = isOurs ? ourParts<P>(keyring, token) : readParts(kind, token)
  if (parts === null) return { ok: false, flaw: 'token_malformed' }
  const key = await keyring.verifier(parts.kid, now)
  if (key === null) return { ok: false, flaw: 'token_unknown_key' }
  if (!isOurs && !isSignedBy(key, token)) return { ok: false, flaw: 'token_bad_signature' }
  return { ok: true, claims: parts.claims }
}

/** To the letter: then shape, kind and signature are what this process made them. */
const isSignedLately = <P>({ signing: { kid, lately } }: Keyring, { typ }: Kind<P>, token: string): boolean =>
  token.startsWith(`${headOf(typ, kid)}.`) && lately.has(hashToken(token))

const ourParts = <P>({ signing }: Keyring, token: string): { readonly kid: string; readonly claims: P } => ({
  kid: signing.kid,
  claims: readJson(token.slice(token.indexOf('.') + 1, token.lastIndexOf('.'))) as P,
})

/** Checked where it stands, like signing. The key is of the one algorithm: the ring has no others. */
function isSignedBy(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.')
  const [said, signature] = [token.slice(0, end), token.slice(end + 1)]
  return verifyBytes(null, Buffer.from(said), key, Buffer.from(signature, 'base64url'))
}

const header = z.strictObject({ alg: z.literal('EdDSA'), typ: z.string(), kid: z.string() })

/** One spelling only: a decoder accepts others of the same signature, and a flipped unused bit would pass. */
function readParts<P>(
  { typ, payload, plain }: Kind<P>,
  token: string,
): { readonly kid: string; readonly claims: P } | null {
  if (token.length > LONGEST_TOKEN || !SHAPE.test(token)) return null
  const [first = '', body = '', signature = ''] = token.split('.')
  if (![first, body, signature].every(isCanonical)) return null
  const kid = kidOf(typ, first)
  if (kid === null) return null
  const claims = readJson(body)
  if (!fits(plain, claims) && !payload.safeParse(claims).success) return null
  return { kid, claims: claims as P }
}

/** Null for another kind's head. Most tokens have the head that was spelt last. */
function kidOf(typ: string, encoded: string): string | null {
  if (head.typ === typ && head.encoded === encoded) return head.kid
  const parsed = header.safeParse(readJson(encoded))
  return parsed.success && parsed.data.typ === typ ? parsed.data.kid : null
}

/** Node's decoder skips characters it cannot read, so a text that does not come back the same
 *  was not the one spelling. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function readJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
