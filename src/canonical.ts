// One spelling for every value that is hashed: RFC 8785 (JCS), then SHA-256 under a domain prefix, so that the
// hash of one kind of thing can never stand for another.
import { hash } from 'node:crypto'

export type Hash = `sha256:${string}`

/** Constants that are spelt over and over. */
const remembered = new Map<object, string>()

/** For a constant of the program, and nothing else: it is kept for good. */
export const remember = (constant: object): void => void remembered.set(constant, canonical(constant))

/** The RFC 8785 text of a JSON value. Written here because a request is spelt a dozen times over on its way. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return spell(value)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (typeof value !== 'object') throw new TypeError('a value that is hashed must be JSON')
  const known = remembered.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  let text = ''
  // The order of JavaScript's own sort, by UTF-16 units, is the RFC's.
  for (const name of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${spell(name)}:${canonical(member)}`
  }
  return `{${text}}`
}

/** Nearly everything we hash: nothing in it needs an escape. */
const PLAIN = /^[ !#-[\]-~]*$/

/** JSON.stringify spells strings and numbers as the RFC does, but would escape a lone surrogate: that is no text. */
function spell(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  const spelt = JSON.stringify(text)
  if (spelt.includes('\\ud') && /\p{Surrogate}/u.test(text))
    throw new TypeError('a lone surrogate cannot be hashed')
  return spelt
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Hash {
  return `sha256:${hash('sha256', joined(parts), 'hex')}`
}

/** One piece for one call: hashing in one go costs half of what a hash object does. */
function joined(parts: readonly (string | Uint8Array)[]): string | Uint8Array {
  let text = ''
  for (const part of parts) {
    if (typeof part !== 'string') return Buffer.concat(parts.map(bytesOf))
    text += part
  }
  return text
}

const bytesOf = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? Buffer.from(part) : part

/** `sha256:` + hex SHA-256( domain ‖ "\n" ‖ JCS(value) ). */
export const hashOf = (domain: string, value: unknown): Hash => sha256(`${domain}\n`, canonical(value))
