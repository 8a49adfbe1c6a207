// I1: one line against the chain so far. The quick way writes the entry again in the order of its members and compares
// bytes; only if that fails is the slow, generic canonical form asked what is wrong.
import { hash as digest } from 'node:crypto'
import { canonical, type Hash } from '../../canonical.js'
import { GENESIS } from '../entry.js'
import { type Flaw, flaw } from './invariants.js'

export type Link = { readonly seq: number; readonly prev: Hash }
export type Members = Readonly<Record<string, unknown>>

export type ReadLine = {
  /** Null when the line is no JSON object at all. */
  readonly members: Members | null
  readonly flaws: readonly Flaw[]
}

/** As docs/spec/ledger.md gives it: a reader's copy, so that a slip of the writer's is found. */
const DOMAIN = 'lane/entry/v1\n'
const HASH_MEMBER = ',"hash":"'
const SOUND: readonly Flaw[] = []

export function readLine(line: string, link: Link): ReadLine {
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
function isSound(line: string, members: Members, { prev, seq }: Link): boolean {
  if (members.prev !== prev || members.seq !== seq || members.v !== 1 || spell(members) !== line) return false
  // A quotation mark inside a string is escaped, so this is a member; the entry's own is the last of that name.
  const cut = line.lastIndexOf(HASH_MEMBER)
  const rest = line.slice(0, cut + 1) + line.slice(cut + HASH_MEMBER.length + GENESIS.length + 2)
  return members.hash === `sha256:${digest('sha256', DOMAIN + rest)}`
}

/** The RFC 8785 text of a value whose members already stand in order; null where that cannot be said. */
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

function flawsOf(line: string, members: Members, link: Link): Flaw[] {
  const messages: string[] = []
  if (members.v !== 1) messages.push('v is not 1')
  if (members.seq !== link.seq) messages.push(`seq is not ${link.seq}`)
  if (members.prev !== link.prev) messages.push(`prev is not ${link.prev}`)
  if (textOf(members) !== line) messages.push('the bytes are not the RFC 8785 text of the entry')
  const { hash, ...rest } = members
  if (hash !== hashText(DOMAIN, rest)) messages.push('the hash is not that of the entry')
  return messages.map(message => flaw('I1', message))
}
