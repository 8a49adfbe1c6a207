// One spelling for every value that is hashed: RFC 8785 (JCS), then SHA-256 under a domain prefix, so that the
// hash of one kind of thing can never stand for another.
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

export type Hash = `sha256:${string}`

export function canonical(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('a value that is hashed must be JSON')
  return text
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Hash {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return `sha256:${hash.digest('hex')}`
}

/** `sha256:` + hex SHA-256( domain ‖ "\n" ‖ JCS(value) ). */
export const hashOf = (domain: string, value: unknown): Hash => sha256(`${domain}\n`, canonical(value))
