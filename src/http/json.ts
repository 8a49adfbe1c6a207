// JSON with one meaning. JSON.parse keeps the last of two equal keys and lets lone surrogates pass; a reader that
// keeps the first, or repairs the string, would have been shown another request. So the text is walked once before it
// is parsed, and a text that two readers could read differently is refused with the place of the flaw.
//
// J1  The walk accepts no text that JSON.parse refuses, so parsing after it cannot fail.
// J2  Linear in the length of the text, and no recursion: nesting costs one entry of a bounded stack.
// J3  The brisk walk only ever says yes: it leaves to JSON.parse what stands between quotation marks, and a text in which
//     either finds a flaw is walked again with care, which decides.
import { isAscii, isUtf8 } from 'node:buffer'
import { imprintAsSpelt } from '../request/content/imprint.js'
import { RESERVED_NAMES } from '../request/field.js'
import { valueAt } from '../request/refusal.js'
import { inert } from '../request/text.js'

type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: 'malformed_json'; readonly detail: string }

/** A submission nests four deep; a text that nests much deeper is none. */
export const MAX_DEPTH = 16
/** A form of fifty decisions has a few thousand; the bound is on work, not on meaning. */
export const MAX_KEYS = 8000

/** Thrown and caught inside this file only: the walk stops where the text stops making sense. */
class Flaw extends Error {
  readonly at: number
  constructor(at: number, what: string) {
    super(what)
    this.at = at
  }
}

/** An open object remembers its keys; an open array has none. */
type Open = Set<string> | null
type Walk = {
  readonly text: string
  /** The same as bytes, where each character is one. */
  readonly bytes: Uint8Array | null
  /** Whether strings are only passed: JSON.parse reads them afterwards (J3). */
  readonly brisk: boolean
  at: number
  readonly open: Open[]
  keys: number
  /** The key that was read last, and the last of the outermost object. */
  key: string
  part: string
  /** The texts of contents as they were written, quotation marks included. */
  readonly spelt: Map<string, string | Uint8Array>
}

const begin = (text: string, bytes: Uint8Array | null, brisk: boolean): Walk => ({
  text,
  bytes,
  brisk,
  at: 0,
  open: [],
  keys: 0,
  key: '',
  part: '',
  spelt: new Map(),
})

/** Reads the bytes as they came: a body that is not UTF-8 is refused, because repairing it would change its words. */
export function readJsonBytes(bytes: Uint8Array): ReadJson {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Nearly every body: its characters need not be put together.
  if (isAscii(body)) return readJson(body.toString('latin1'), body)
  if (!isUtf8(body)) return { ok: false, code: 'malformed_json', detail: 'the body is not UTF-8 throughout' }
  return readJson(body.toString('utf8'))
}

/** `bytes` are the same in bytes, where each character is one. */
export function readJson(text: string, bytes: Uint8Array | null = null): ReadJson {
  const brisk = readBriskly(text, bytes)
  if (brisk !== null) return { ok: true, value: brisk.value }
  try {
    walk(begin(text, bytes, false))
    return { ok: true, value: JSON.parse(text) }
  } catch (flaw) {
    if (!(flaw instanceof Flaw)) throw flaw
    return { ok: false, code: 'malformed_json', detail: `${flaw.message} (${place(text, flaw.at)})` }
  }
}

/** Null where the walk with care must decide. Half of a surrogate pair that is not there can only be written with \\u. */
function readBriskly(text: string, bytes: Uint8Array | null): { readonly value: unknown } | null {
  if (text.includes('\\u') || LONE_SURROGATE.test(text)) return null
  const state = begin(text, bytes, true)
  try {
    walk(state)
    const value: unknown = JSON.parse(text)
    // Every short escape but this one is as RFC 8785 writes it.
    if (state.spelt.size > 0 && !text.includes('\\/'))
      imprintAsSpelt(valueAt(value, ['contents']) as object, state.spelt)
    return { value }
  } catch {
    return null
  }
}

function walk(state: Walk): void {
  do {
    const opened = readValue(state)
    if (!opened) closeFinished(state)
  } while (state.open.length > 0)
  skipSpace(state)
  if (state.at < state.text.length) throw unexpected(state, 'the end')
}

/** Reads one value, or only the opening of one that holds others; says whether it was such an opening. */
function readValue(state: Walk): boolean {
  skipSpace(state)
  const first = state.text[state.at]
  if (first === '{' || first === '[') return readOpening(state, first)
  if (first !== '"') readScalar(state)
  else {
    const start = state.at
    passString(state)
    // A list has no handles, and may have a million places.
    if (state.open.length === 2 && state.part === 'contents' && state.open[1] !== null)
      state.spelt.set(state.key, pieceOf(state, start))
  }
  return false
}

const pieceOf = ({ text, bytes, at }: Walk, start: number): string | Uint8Array =>
  bytes === null ? text.slice(start, at) : bytes.subarray(start, at)

function readOpening(state: Walk, bracket: '{' | '['): boolean {
  if (state.open.length === MAX_DEPTH) throw new Flaw(state.at, `nested deeper than ${MAX_DEPTH}`)
  state.at += 1
  skipSpace(state)
  if (state.text[state.at] === (bracket === '{' ? '}' : ']')) {
    state.at += 1
    return false
  }
  const keys: Open = bracket === '{' ? new Set() : null
  state.open.push(keys)
  if (keys) readKey(state, keys)
  return true
}

/** Called after a whole value: closes objects and arrays that end here, up to the comma before the next value. */
function closeFinished(state: Walk): void {
  for (let keys = state.open.at(-1); keys !== undefined; keys = state.open.at(-1)) {
    skipSpace(state)
    const next = state.text[state.at]
    const end = keys ? '}' : ']'
    if (next !== ',' && next !== end) throw unexpected(state, `, or ${end}`)
    state.at += 1
    if (next === ',') {
      if (keys) readKey(state, keys)
      return
    }
    state.open.pop()
  }
}

function readKey(state: Walk, keys: Set<string>): void {
  skipSpace(state)
  const start = state.at
  if (state.text[start] !== '"') throw unexpected(state, 'a key in double quotes')
  passString(state)
  const raw = state.text.slice(start, state.at)
  const key: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
  state.keys += 1
  if (state.keys > MAX_KEYS) throw new Flaw(start, `more than ${MAX_KEYS} keys`)
  if (RESERVED_NAMES.includes(key)) throw new Flaw(start, `the key "${key}" is not allowed`)
  if (keys.has(key)) throw new Flaw(start, `the key "${inert(key)}" is given twice`)
  keys.add(key)
  state.key = key
  if (state.open.length === 1) state.part = key
  skipSpace(state)
  if (state.text[state.at] !== ':') throw unexpected(state, ':')
  state.at += 1
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const LONE_SURROGATE = /\p{Surrogate}/u
/** Everything up to the next sign that could end a string or has no place in one. */
const ORDINARY = /[^"\\\u0000-\u001f]*/y

/** Goes to the end of a string. */
function passString(state: Walk): void {
  if (state.brisk) skipString(state)
  else readString(state)
}

function readString(state: Walk): void {
  const start = state.at
  let escaped = false
  state.at += 1
  for (;;) {
    ORDINARY.lastIndex = state.at
    ORDINARY.test(state.text)
    state.at = ORDINARY.lastIndex
    const unit = state.text.charCodeAt(state.at)
    if (Number.isNaN(unit)) throw new Flaw(start, 'a string is not closed')
    if (unit === 0x22) break
    if (unit < 0x20) throw new Flaw(state.at, 'a control character stands bare in a string')
    escaped = true
    state.at += lengthAt(ESCAPE, state, 'an escape sequence')
  }
  state.at += 1
  const raw = state.text.slice(start, state.at)
  if (LONE_SURROGATE.test(escaped ? JSON.parse(raw) : raw))
    throw new Flaw(start, 'a string holds half of a surrogate pair')
}

/** To the next quotation mark that no backslash escapes. */
function skipString(state: Walk): void {
  const { text, at: start } = state
  let at = start
  do {
    at = text.indexOf('"', at + 1)
    if (at === -1) throw new Flaw(start, 'a string is not closed')
  } while (isEscaped(text, at))
  state.at = at + 1
}

/** Each backslash before it escapes the one after it. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === 0x5c) before -= 1
  return (at - before) % 2 === 1
}

const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

function readScalar(state: Walk): void {
  const start = state.at
  state.at += lengthAt(SCALAR, state, 'a value')
  // JSON.parse would make it Infinity, which no canonical form can spell.
  if (Math.abs(JSON.parse(state.text.slice(start, state.at))) === Infinity)
    throw new Flaw(start, 'a number is too large')
}

function lengthAt(token: RegExp, state: Walk, wanted: string): number {
  token.lastIndex = state.at
  const found = token.exec(state.text)
  if (!found) throw unexpected(state, wanted)
  return found[0].length
}

function skipSpace(state: Walk): void {
  while (isSpace(state.text.charCodeAt(state.at))) state.at += 1
}

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09

function unexpected({ text, at }: Walk, wanted: string): Flaw {
  const found = at < text.length ? `"${inert(String.fromCodePoint(text.codePointAt(at) ?? 0))}"` : 'the end'
  return new Flaw(at, `found ${found} where ${wanted} should be`)
}

function place(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`
}
