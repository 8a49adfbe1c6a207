// The signature of an artifact: a detached JWS (RFC 7515, appendix F) over the artifact's canonical text. Whoever has the
// artifact has the payload, so that it is not written twice.
//
// TA1  The key is that of the artifact's time: an artifact that is made again from the ledger has the same signature,
//      also after a key has taken its place. Only what a revoked key has signed is signed anew.
import { sign as signBytes } from 'node:crypto'
import type { ArtifactKey } from './keyring.js'

const TYP = 'lane-aah+jws'

/** The text, and the time of the entry it rests on in milliseconds since 1970. */
export type ArtifactSigner = (text: string, ms: number) => string

export function signArtifact(keys: readonly ArtifactKey[], text: string, ms: number): string {
  const held = keys.findLast(({ not_before }) => not_before <= ms) ?? keys[0]
  if (held === undefined) throw new Error('there is no key that signs artifacts')
  const head = encode(JSON.stringify({ alg: 'EdDSA', typ: TYP, kid: held.kid }))
  const signature = signBytes(null, Buffer.from(`${head}.${encode(text)}`), held.key)
  return `${head}..${signature.toString('base64url')}`
}

const encode = (text: string): string => Buffer.from(text).toString('base64url')
