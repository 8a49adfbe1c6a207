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
  if (Array.isArray(value)) return canonicalList(value)
  let text = ''
  for (const name of sorted(Object.keys(value))) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${spellName(name)}${canonical(member)}`
  }
  return `{${text}}`
}

function canonicalList(values: readonly unknown[]): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${canonical(value)}`
  return `[${text}]`
}

/** For so few names, insertion costs less than sort(), and no memory. */
const FEW = 24

/** In place, by UTF-16 units as the RFC wants it. */
function sorted(names: string[]): readonly string[] {
  if (names.length > FEW) return names.sort()
  for (let next = 1; next < names.length; next++) {
    const name = names[next] as string
    let place = next
    for (; place > 0 && (names[place - 1] as string) > name; place--) {
      names[place] = names[place - 1] as string
    }
    names[place] = name
  }
  return names
}

/** Members have the same few names over and over. Names in an approval's parameters may be
 *  anything, hence the bound. */
const SPELT_NAMES = 1_000
const speltNames = new Map<string, string>()

function spellName(name: string): string {
  const known = speltNames.get(name)
  if (known !== undefined) return known
  const spelt = `${spell(name)}:`
  if (speltNames.size < SPELT_NAMES) speltNames.set(name, spelt)
  return spelt
}

/** Nearly every text we hash: nothing in it needs an escape. */
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

/** One piece for one call: hashing in one go costs half as much as a hash object. */
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
