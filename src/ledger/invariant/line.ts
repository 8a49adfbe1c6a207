// I1: one line against the chain so far. The quick way measures: a plain value has one shortest spelling, the
// canonical one, so a line of that length that reads as the value is canonical. A value that is not plain is written
// again and the bytes compared; only if that fails is the slow, generic canonical form asked what is wrong.
import { hash as digest } from 'node:crypto'
import { canonical, type Hash } from '../../canonical.js'
import { GENESIS } from '../entry.js'
import { type Flaw, flaw } from './invariants.js'

export type ChainLink = { readonly seq: number; readonly prev: Hash }
export type Members = Readonly<Record<string, unknown>>

type ReadLine = {
  /** Null when the line is no JSON object at all. */
  readonly members: Members | null
  readonly flaws: readonly Flaw[]
  /** The text that the entry's hash and leaf are made of: the line without its hash member. Null for an unsound line. */
  readonly words: string | null
}

/** As docs/spec/ledger.md gives it: a reader's copy, so that a slip of the writer's is found. */
const DOMAIN = 'lane/entry/v1\n'
const HASH_MEMBER = ',"hash":"'
const SOUND: readonly Flaw[] = []

export function readLine(line: string, link: ChainLink): ReadLine {
  const members = parse(line)
  if (members === null) return { members, flaws: [flaw('I1', 'the line is not a JSON object')], words: null }
  const words = soundWords(line, members, link)
  return { members, flaws: words === null ? flawsOf(line, members, link) : SOUND, words }
}

function parse(line: string): Members | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null
  } catch {
    return null
  }
}

/** The words of a line that is canonical, follows its predecessor and has its hash; null may still be a sound line. */
function soundWords(line: string, members: Members, { prev, seq }: ChainLink): string | null {
  if (members.prev !== prev || members.seq !== seq || members.v !== 1 || !isCanonical(line, members))
    return null
  // A quotation mark inside a string is escaped, so this is a member; the entry's own is the last of that name.
  const cut = line.lastIndexOf(HASH_MEMBER)
  const words = line.slice(0, cut + 1) + line.slice(cut + HASH_MEMBER.length + GENESIS.length + 2)
  return members.hash === `sha256:${digest('sha256', DOMAIN + words)}` ? words : null
}

/** No RFC 8785 text holds one. */
const LONE_SURROGATE = /\p{Surrogate}/u
/** A number with an exponent is followed by a comma or by the end of its list or object, behind spaces or none; in a string it
 *  may only look like one. */
const EXPONENT = /\d[eE][+-]?\d+\s*[,\]}]/

/** Whether a line is the RFC 8785 text of its value; false may still be such a text, which only
 *  the slow way can tell. */
export function isCanonical(line: string, members: Members): boolean {
  try {
    const seen: Seen = { hundreds: false }
    const isShortest = isPlain(line) && shortest(members, seen) === line.length
    if (isShortest && !(seen.hundreds && EXPONENT.test(line))) return true
  } catch {
    // Nested so deeply that the stack ends.
    return false
  }
  return spell(members) === line
}

/** Text without an escape: a character that would need one cannot stand in it. */
const isPlain = (line: string): boolean => !line.includes('\\') && !LONE_SURROGATE.test(line)

/** Whether there was a multiple of a hundred, which has another spelling as short as its own or shorter (`1e2`). */
type Seen = { hundreds: boolean }

/**
 * The length of the one shortest spelling without an exponent of a value whose strings need no escape and whose members
 * stand in order; NaN for any other value. Every other spelling is longer: a space, a name given twice, a number with a
 * needless zero. Names that begin with a digit are left out: the parser may have put them in order.
 */
function shortest(value: unknown, seen: Seen): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2
    case 'number':
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) return Number.NaN
      if (value % 100 === 0 && value !== 0) seen.hundreds = true
      return String(value).length
    case 'boolean':
      return value ? 4 : 5
    default:
      if (value === null) return 4
      return Array.isArray(value) ? shortestList(value, seen) : shortestRecord(value as Members, seen)
  }
}

function shortestList(values: readonly unknown[], seen: Seen): number {
  let length = values.length === 0 ? 2 : values.length + 1
  for (const value of values) length += shortest(value, seen)
  return length
}

function shortestRecord(members: Members, seen: Seen): number {
  let length = 1
  let before = ''
  for (const name in members) {
    if (name < before || (name <= ':' && name >= '0')) return Number.NaN
    before = name
    length += name.length + 4 + shortest(members[name], seen)
  }
  return before === '' && length === 1 ? 2 : length
}

/** The RFC 8785 text of a value whose members already stand in order; null where they may not. */
function spell(value: unknown): string | null {
  try {
    if (!isOrdered(value)) return null
    const text = JSON.stringify(value)
    // Lone surrogates have no RFC 8785 text; JSON.stringify would escape them. Let the slow way look.
    return text === undefined || text.includes('\\ud') ? null : text
  } catch {
    // Nested so deeply that the stack ends.
    return null
  }
}

/** The RFC 8785 text of any value; null where it has none. */
export function textOf(value: unknown): string | null {
  const quick = spell(value)
  if (quick !== null) return quick
  try {
    return canonical(value)
  } catch {
    return null
  }
}

/** `sha256:` + hex SHA-256( domain ‖ JCS(value) ). */
export function hashText(domain: string, value: unknown): Hash | null {
  const text = textOf(value)
  return text === null ? null : `sha256:${digest('sha256', domain + text)}`
}

/** Every object inside has its members in the order of RFC 8785: ascending by UTF-16 units. */
function isOrdered(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isOrdered)
  let before = ''
  for (const key in value) {
    if (key < before) return false
    before = key
    const member: unknown = (value as Record<string, unknown>)[key]
    if (typeof member === 'object' && !isOrdered(member)) return false
  }
  return true
}

function flawsOf(line: string, members: Members, link: ChainLink): Flaw[] {
  const messages: string[] = []
  if (members.v !== 1) messages.push('v is not 1')
  if (members.seq !== link.seq) messages.push(`seq is not ${link.seq}`)
  if (members.prev !== link.prev) messages.push(`prev is not ${link.prev}`)
  if (textOf(members) !== line) messages.push('the bytes are not the RFC 8785 text of the entry')
  const { hash, ...rest } = members
  if (hash !== hashText(DOMAIN, rest)) messages.push('the hash is not that of the entry')
  return messages.map(message => flaw('I1', message))
}
