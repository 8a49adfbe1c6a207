// The signature of an artifact: a detached JWS (RFC 7515, appendix F) over the artifact's canonical text. Whoever has the
// artifact has the payload, so that it is not written twice.
//
// TA1  The key is that of the artifact's time: an artifact that is made again from the ledger has the same signature,
//      also after a key has taken its place. Only what a revoked key has signed is signed anew.
// TA2  One spelling: what has another header than the one that is written here is no signature, whatever it verifies to.
import { createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto'
import type { ArtifactKey } from './keyring.js'

const TYP = 'lane-aah+jws'

/** The text, and the time of the entry it rests on in milliseconds since 1970. */
export type ArtifactSigner = (text: string, ms: number) => string

export function signArtifact(keys: readonly ArtifactKey[], text: string, ms: number): string {
  const held = keys.findLast(({ not_before }) => not_before <= ms) ?? keys[0]
  if (held === undefined) throw new Error('there is no key that signs artifacts')
  const signature = signBytes(null, signedBytes(held.kid, text), held.key)
  return `${headOf(held.kid)}..${signature.toString('base64url')}`
}

/** Keys as a lane publishes them. */
type Published = Readonly<Record<string, unknown>>
const ED25519 = /^[A-Za-z0-9_-]{43}$/

/** Whether one of these keys has signed the text. */
export function isSignedArtifact(keys: readonly Published[], text: string, signature: string): boolean {
  const [head, payload, signed = '', ...more] = signature.split('.')
  if (payload !== '' || more.length > 0) return false
  const key = keys.find(({ kid, purpose }) => purpose === 'artifact' && headOf(String(kid)) === head)
  if (key?.crv !== 'Ed25519' || typeof key.x !== 'string' || !ED25519.test(key.x)) return false
  const bytes = Buffer.from(signed, 'base64url')
  if (bytes.toString('base64url') !== signed) return false
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' })
  return verifyBytes(null, signedBytes(String(key.kid), text), publicKey, bytes)
}

const encode = (text: string): string => Buffer.from(text).toString('base64url')
const headOf = (kid: string): string => encode(JSON.stringify({ alg: 'EdDSA', typ: TYP, kid }))
const signedBytes = (kid: string, text: string): Buffer => Buffer.from(`${headOf(kid)}.${encode(text)}`)
