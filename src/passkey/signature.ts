// Whether a passkey has signed these bytes. The arithmetic is the platform's Web Cryptography, which Node and browsers
// have alike; what is given to it is read here, strictly, because a signature that two programs read differently would
// prove different things to them.
import { encode } from './base64url.js'
import type { PublicKey } from './public-key.js'

type Given = {
  readonly jwk: Readonly<Record<string, string>>
  readonly algorithm: { readonly name: string; readonly namedCurve?: string; readonly hash?: string }
}

const GIVEN: { readonly [K in PublicKey['alg']]: (key: Extract<PublicKey, { alg: K }>) => Given } = {
  ES256: ({ x, y }) => ({
    jwk: { kty: 'EC', crv: 'P-256', x: encode(x), y: encode(y) },
    algorithm: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  }),
  EdDSA: ({ x }) => ({ jwk: { kty: 'OKP', crv: 'Ed25519', x: encode(x) }, algorithm: { name: 'Ed25519' } }),
  RS256: ({ n }) => ({
    jwk: { kty: 'RSA', n: encode(n), e: 'AQAB' },
    algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  }),
}

export async function isSigned(key: PublicKey, bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const given = key.alg === 'ES256' ? readDer(signature) : signature
  if (given === null || !isOfLength(key, given)) return false
  const { jwk, algorithm } = (GIVEN[key.alg] as (key: PublicKey) => Given)(key)
  try {
    const imported = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, imported, given, bytes)
  } catch {
    // Coordinates of no point of the curve are no key.
    return false
  }
}

const ED25519_BYTES = 64
const isOfLength = (key: PublicKey, { length }: Uint8Array): boolean =>
  key.alg === 'RS256' ? length === key.n.length : length === ED25519_BYTES

const SEQUENCE = 0x30
const INTEGER = 0x02
const NUMBER_BYTES = 32

/** ECDSA-Sig-Value in DER, as the two numbers one after the other; null for any other spelling. */
function readDer(bytes: Uint8Array): Uint8Array | null {
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return null
  const r = readInteger(bytes, 2)
  const s = r && readInteger(bytes, r.end)
  if (r === null || s === null || s.end !== bytes.length) return null
  const both = new Uint8Array(2 * NUMBER_BYTES)
  both.set(r.number, NUMBER_BYTES - r.number.length)
  both.set(s.number, 2 * NUMBER_BYTES - s.number.length)
  return both
}

/** A positive number in its shortest form, of 32 bytes at most. */
function readInteger(
  bytes: Uint8Array,
  at: number,
): { readonly number: Uint8Array; readonly end: number } | null {
  const length = bytes[at + 1] ?? 0
  const end = at + 2 + length
  if (bytes[at] !== INTEGER || length === 0 || end > bytes.length) return null
  const [first = 0, second = 0] = bytes.subarray(at + 2, end)
  const isNegative = first >= 0x80
  const isPadded = first === 0 && (length === 1 || second < 0x80)
  const number = bytes.slice(first === 0 ? at + 3 : at + 2, end)
  return isNegative || isPadded || number.length > NUMBER_BYTES ? null : { number, end }
}
