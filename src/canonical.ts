// One spelling for every value that is hashed: RFC 8785 (JCS), then SHA-256 under a domain prefix, so that the
// hash of one kind of thing can never stand for another. A browser reads this file too (the page that checks proofs):
// of Node it needs one function, `hash`, which the page brings along.

import { hash } from 'node:crypto'
import { Memo } from './memo.js'

export type Hash = `sha256:${string}`

/** Constants that are spelt over and over. */
const remembered = new Map<object, string>()

/** For a constant of the program, and nothing else: it is kept for good. */
export const remember = (constant: object): void => void remembered.set(constant, canonical(constant))

/** Long lists that are spelt more than once on their way, and not changed meanwhile. */
const lists = new Memo<object, string>()

export const spellOnce = (list: readonly unknown[]): void => void lists.set(list, canonicalList(list))

/** The RFC 8785 text of a JSON value. Written here because a request is spelt a dozen times over on its way. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return spell(value)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'object') throw new TypeError('a value that is hashed must be JSON')
  const known = remembered.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) return lists.get(value) ?? canonicalList(value)
  const { sorted, first, further } = shapeOf(Object.keys(value))
  let text = ''
  for (let place = 0; place < sorted.length; place++) {
    const member = (value as Readonly<Record<string, unknown>>)[sorted[place] as string]
    if (member === undefined) continue
    text += ((text === '' ? first : further)[place] as string) + canonical(member)
  }
  return text === '' ? '{}' : `${text}}`
}

function canonicalList(values: readonly unknown[]): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${canonical(value)}`
  return `[${text}]`
}

/** The names of an object's members: as they stand in it, as the RFC puts them in order (by UTF-16 units), and spelt
 *  behind what comes before them, in the first place or further on. */
type Shape = {
  readonly names: readonly string[]
  readonly sorted: readonly string[]
  readonly first: readonly string[]
  readonly further: readonly string[]
}

/** Objects have the same few shapes over and over: each is put in order and spelt once. Names in an approval's
 *  parameters may be anything, hence the bounds: of all shapes, and of those that begin with the same name. */
const SHAPES = 512
const ALIKE = 16
const shapes = new Map<string | undefined, Shape[]>()
let shapesKept = 0

function shapeOf(names: readonly string[]): Shape {
  const alike = shapes.get(names[0])
  if (alike !== undefined) for (const shape of alike) if (isSame(shape.names, names)) return shape
  const sorted = [...names].sort()
  const spelt = sorted.map(name => `${spell(name)}:`)
  const shape = {
    names,
    sorted,
    first: spelt.map(name => `{${name}`),
    further: spelt.map(name => `,${name}`),
  }
  if (shapesKept < SHAPES && (alike?.length ?? 0) < ALIKE) {
    shapesKept++
    shapes.set(names[0], [...(alike ?? []), shape])
  }
  return shape
}

function isSame(these: readonly string[], those: readonly string[]): boolean {
  if (these.length !== those.length) return false
  for (let place = 0; place < these.length; place++) if (these[place] !== those[place]) return false
  return true
}

/** Nearly every text we hash: nothing in it needs an escape. */
const PLAIN = /^[ !#-[\]-~]*$/
/** The same in lines, as contents are: put together in half the time. */
const LINES = /^[\n !#-[\]-~]*$/

/** JSON.stringify spells strings and numbers as the RFC does, but would escape a lone surrogate: that is no text. */
function spell(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  if (LINES.test(text)) return `"${text.replaceAll('\n', '\\n')}"`
  const spelt = JSON.stringify(text)
  if (spelt.includes('\\ud') && /\p{Surrogate}/u.test(text))
    throw new TypeError('a lone surrogate cannot be hashed')
  return spelt
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Hash {
  return `sha256:${hash('sha256', joined(parts), 'hex')}`
}

/** The 32 bytes of SHA-256. So small an array lies among the other objects; a buffer as the platform gives it has memory
 *  of its own, which the collector must give back apart. */
export function digest(words: string | Uint8Array): Uint8Array {
  const spelt = hash('sha256', words, 'binary')
  const bytes = new Uint8Array(32)
  for (let at = 0; at < bytes.length; at++) bytes[at] = spelt.charCodeAt(at)
  return bytes
}

/** One piece for one call: hashing in one go costs half as much as a hash object. */
function joined(parts: readonly (string | Uint8Array)[]): string | Uint8Array {
  const only = parts[0]
  if (parts.length === 1 && only !== undefined) return only
  let text = ''
  for (const part of parts) {
    if (typeof part !== 'string') return joinedBytes(parts.map(bytesOf))
    text += part
  }
  return text
}

function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const encoder = new TextEncoder()
const bytesOf = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? encoder.encode(part) : part

/** `sha256:` + hex SHA-256( domain ‖ "\n" ‖ JCS(value) ). */
export const hashOf = (domain: string, value: unknown): Hash => sha256(`${domain}\n`, canonical(value))
