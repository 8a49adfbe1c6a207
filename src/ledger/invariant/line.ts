// I1: one line against the chain so far. The quick way spells the entry again in the order of its members and compares
// bytes; only if that fails is the slow, generic canonical form asked what is wrong.
import { hash as digest } from 'node:crypto'
import { canonical, type Hash } from '../../canonical.js'
import { ID } from '../../request/field.js'
import { hashEntry } from '../entry.js'
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
const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const TYPE = /^[A-Z_]+$/
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
function isSound(line: string, members: Members, link: Link): boolean {
  const { at, body, hash, prev, request_id, run_id, seq, type, v } = members
  if (prev !== link.prev || seq !== link.seq || v !== 1) return false
  if (typeof at !== 'string' || !AT.test(at) || typeof type !== 'string' || !TYPE.test(type)) return false
  const request = spellId('request_id', request_id)
  const run = spellId('run_id', run_id)
  const text = spell(body)
  if (text === null || request === null || run === null) return false
  const before = `{"at":"${at}","body":${text},`
  const after = `"prev":"${prev}",${request}${run}"seq":${seq},"type":"${type}","v":1}`
  if (hash !== `sha256:${digest('sha256', DOMAIN + before + after)}`) return false
  return `${before}"hash":"${hash}",${after}` === line
}

/** Ids need no escapes. */
function spellId(name: string, id: unknown): string | null {
  if (id === undefined) return ''
  return typeof id === 'string' && ID.test(id) ? `"${name}":"${id}",` : null
}

/** The RFC 8785 text of a value whose members already stand in order; null where that cannot be said. */
export function spell(value: unknown): string | null {
  try {
    if (!isOrdered(value)) return null
    const text = JSON.stringify(value)
    // Lone surrogates have no RFC 8785 text; JSON.stringify would escape them.
    return text === undefined || text.includes('\\ud') ? null : text
  } catch {
    // Nested so deeply that the stack ends.
    return null
  }
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
  try {
    if (canonical(members) !== line) messages.push('the bytes are not the RFC 8785 text of the entry')
    if (members.hash !== hashEntry(members)) messages.push('the hash is not that of the entry')
  } catch {
    messages.push('the entry has no RFC 8785 text')
  }
  return messages.map(message => flaw('I1', message))
}
