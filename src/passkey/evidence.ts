// What is kept of a confirmation, so that somebody who trusts nobody can check it again: the assertion as the browser gave
// it, the key it is checked by, and the nonce of its challenge. It holds no words, so it stays when those are erased.
import { canonical, type Hash, hashOf } from '../canonical.js'
import { decode } from './base64url.js'

/** Each in base64url. */
export type Evidence = {
  readonly credential_id: string
  /** The COSE key. */
  readonly public_key: string
  readonly authenticator_data: string
  readonly client_data_json: string
  readonly signature: string
  readonly nonce: string
}

/** The most bytes of each: no authenticator gives more, and what is longer is not read. */
export const MOST_BYTES: Readonly<Record<keyof Evidence, number>> = {
  credential_id: 1023,
  public_key: 1024,
  authenticator_data: 4096,
  client_data_json: 4096,
  signature: 1024,
  nonce: 32,
}
const MEMBERS = Object.entries(MOST_BYTES)

/** Whether it has these members alone, each base64url in its one spelling and not too long. */
export function isEvidence(value: unknown): value is Evidence {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const given = value as Readonly<Record<string, unknown>>
  return (
    Object.keys(given).length === MEMBERS.length &&
    MEMBERS.every(([name, most]) => Object.hasOwn(given, name) && isShort(given[name], most))
  )
}

function isShort(text: unknown, most: number): boolean {
  if (typeof text !== 'string' || text.length > 2 * most) return false
  const bytes = decode(text)
  return bytes !== null && bytes.length > 0 && bytes.length <= most
}

/** As it is kept. */
export const writeEvidence = (evidence: Evidence): string => canonical(evidence)

export const hashEvidence = (evidence: Evidence): Hash => hashOf('lane/evidence/v1', evidence)
