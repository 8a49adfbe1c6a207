// One spelling for every value that is hashed: RFC 8785 (JCS), then SHA-256 under a domain prefix, so that the
// hash of one kind of thing can never stand for another.
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

export type Hash = `sha256:${string}`

export function canonical(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('a value that is hashed must be JSON')
  return text
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Hash {
  return `sha256:${hash('sha256', joined(parts), 'hex')}`
}

/** One piece for one call: hashing in one go costs half of what a hash object does. */
function joined(parts: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (parts.every(part => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)))
}

/** `sha256:` + hex SHA-256( domain ‖ "\n" ‖ JCS(value) ). */
export const hashOf = (domain: string, value: unknown): Hash => sha256(`${domain}\n`, canonical(value))
