// The header fields of a message or of a part, cut to size while they are read. A header that another program could
// read differently (a name with blanks, a lone CR, a line that belongs to no field) is refused and not repaired: the
// verifier of the signature must have seen the same fields as we do.
import type { RefusedMail } from './mail.js'

/** A mail through many gateways has about a hundred. */
const MAX_FIELDS = 500
/** Signature checkers join folded lines one by one: this bounds their work, and no real field comes near it. */
const MAX_LINES = 4_000
/** The longest real ones are the spam verdicts of large providers, about half of this. */
const MAX_FIELD_BYTES = 32 * 1024
const MAX_HEAD_BYTES = 256 * 1024

export type Field = {
  readonly name: string
  readonly value: string
  /** Its range among the bytes, with its line end. */
  readonly start: number
  readonly end: number
}
type Head = {
  readonly fields: readonly Field[]
  /** The place at which the body begins. */
  readonly bodyAt: number
}

const LF = 0x0a
const NAME = /^[!-9;-~]{1,200}$/
/** NUL and lone CR end a field for one program and not for the next. */
const UNSAFE = /[\0\r]/

/** `bytes` have CRLF line ends. */
export function readHead(bytes: Buffer): Head | RefusedMail {
  const lines: string[] = []
  /** The first line of each field, and that line's place. */
  const starts: Start[] = []
  let at = 0
  let end = bytes.length
  while (at < bytes.length) {
    const lf = bytes.indexOf(LF, at)
    const next = lf === -1 ? bytes.length : lf + 1
    const line = bytes.toString('utf8', at, Math.min(next, at + MAX_FIELD_BYTES + 2)).replace(/\r?\n$/, '')
    if (line !== '' && !/^[ \t]/.test(line)) starts.push({ line: lines.length, at })
    if (line === '') end = at
    at = next
    if (line === '') break
    lines.push(line)
    const over = overLimit(starts.length, lines.length, at)
    if (over !== null) return over
    if (UNSAFE.test(line) || starts.length === 0) return 'malformed'
  }
  const fields = fieldsOf(lines, starts, end)
  return typeof fields === 'string' ? fields : { fields, bodyAt: at }
}

function overLimit(fields: number, lines: number, bytes: number): RefusedMail | null {
  if (fields > MAX_FIELDS || lines > MAX_LINES) return 'too_many_headers'
  return bytes > MAX_HEAD_BYTES ? 'header_too_long' : null
}

type Start = { readonly line: number; readonly at: number }

function fieldsOf(lines: readonly string[], starts: readonly Start[], end: number): Field[] | RefusedMail {
  const fields: Field[] = []
  for (const [index, start] of starts.entries()) {
    const next = starts[index + 1] ?? { line: lines.length, at: end }
    const whole = lines.slice(start.line, next.line).join(' ')
    if (whole.length > MAX_FIELD_BYTES) return 'header_too_long'
    const colon = whole.indexOf(':')
    const name = whole.slice(0, colon)
    if (colon === -1 || !NAME.test(name)) return 'malformed'
    const value = whole.slice(colon + 1).trim()
    fields.push({ name: name.toLowerCase(), value, start: start.at, end: next.at })
  }
  return fields
}

export const valuesOf = (fields: readonly Field[], name: string): string[] =>
  fields.filter(field => field.name === name).map(({ value }) => value)

/** The first value; a message in which a SINGLE field stands twice was refused before. */
export const firstOf = (fields: readonly Field[], name: string): string | null =>
  fields.find(field => field.name === name)?.value ?? null

/** RFC 5322, 3.6, and RFC 2045: fields that may stand once. A second one may lie outside every signature. */
const SINGLE = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
])

export function hasDoubled(fields: readonly Field[]): boolean {
  const seen = new Set<string>()
  for (const { name } of fields) {
    if (SINGLE.has(name) && seen.has(name)) return true
    seen.add(name)
  }
  return false
}
