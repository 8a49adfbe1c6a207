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
}

/** As docs/spec/ledger.md gives it: a reader's copy, so that a slip of the writer's is found. */
const DOMAIN = 'lane/entry/v1\n'
const HASH_MEMBER = ',"hash":"'
const SOUND: readonly Flaw[] = []

export function readLine(line: string, link: ChainLink): ReadLine {
  const members = parse(line)
  if (members === null) return { members, flaws: [flaw('I1', 'the line is not a JSON object')] }
  return { members, flaws: isSound(line, members, link) ? SOUND : flawsOf(line, members, link) }
}

function parse(line: string): Members | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null
  } catch {
    return null
  }
}

/** True only if the line is canonical, follows its predecessor and has its hash; false may still be a sound line. */
function isSound(line: string, members: Members, { prev, seq }: ChainLink): boolean {
  if (members.prev !== prev || members.seq !== seq || members.v !== 1 || !isCanonical(line, members))
    return false
  // A quotation mark inside a string is escaped, so this is a member; the entry's own is the last of that name.
  const cut = line.lastIndexOf(HASH_MEMBER)
  const rest = line.slice(0, cut + 1) + line.slice(cut + HASH_MEMBER.length + GENESIS.length + 2)
  return members.hash === `sha256:${digest('sha256', DOMAIN + rest)}`
}

/** Text without an escape, and without a character that would need one. */
const PLAIN = /^[ -[\]-~]*$/

/** Whether a line is the RFC 8785 text of its value; false may still be such a text, which only
 *  the slow way can tell. */
export function isCanonical(line: string, members: Members): boolean {
  try {
    if (PLAIN.test(line) && shortest(members) === line.length) return true
  } catch {
    // Nested so deeply that the stack ends.
    return false
  }
  return spell(members) === line
}

/**
 * The length of the one shortest spelling of a value whose strings need no escape and whose members stand in order;
 * NaN for any other value. Every other spelling is longer: a space, a name given twice, a number with a needless zero
 * or exponent. Two kinds of value are left out: a multiple of a hundred has another spelling as short (`1e2`), and
 * names that begin with a digit may have been put in order by the parser.
 */
function shortest(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2
    case 'number':
      return Number.isSafeInteger(value) && (value % 100 !== 0 || Object.is(value, 0))
        ? String(value).length
        : Number.NaN
    case 'boolean':
      return value ? 4 : 5
    default:
      if (value === null) return 4
      return Array.isArray(value) ? shortestList(value) : shortestRecord(value as Members)
  }
}

function shortestList(values: readonly unknown[]): number {
  let length = values.length === 0 ? 2 : values.length + 1
  for (const value of values) length += shortest(value)
  return length
}

function shortestRecord(members: Members): number {
  let length = 1
  let before = ''
  for (const name in members) {
    if (name < before || (name <= ':' && name >= '0')) return Number.NaN
    before = name
    length += name.length + 4 + shortest(members[name])
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
