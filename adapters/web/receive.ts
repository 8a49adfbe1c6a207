// Translates the posted form into the three strings it may hold. Strict: one spelling of a body is read, anything
// else is malformed and never guessed at. Their meaning is decided elsewhere.
import type { Form } from '../../src/adapter/index.js'

export type FormFault =
  | 'unsupported_media_type'
  | 'bad_encoding'
  | 'malformed_json'
  | 'too_many_fields'
  | 'unknown_field'
  | 'repeated_field'

type Field = readonly [name: string, value: string]
type Fields = readonly Field[] | FormFault

/** All 26 options of the longest list ticked, and the code and the csrf beside them. */
const MAX_FIELDS = 28
const NAMES: readonly string[] = ['reply', 'code', 'csrf']

/** A field that is absent reads as empty: a form with nothing ticked sends no `reply` at all, and is to be taught. */
export function readForm(bytes: Uint8Array, contentType: string | undefined): Form {
  const fields = fieldsOf(bytes, contentType ?? '')
  if (typeof fields === 'string') return { kind: 'malformed', code: fields }
  const all = (name: string): string[] => fields.filter(field => field[0] === name).map(field => field[1])
  if (fields.some(([name]) => !NAMES.includes(name))) return { kind: 'malformed', code: 'unknown_field' }
  const [replies, codes, csrfs] = [all('reply'), all('code'), all('csrf')]
  if (codes.length > 1 || csrfs.length > 1) return { kind: 'malformed', code: 'repeated_field' }
  // If one answer has two controls, the empty one says nothing.
  const reply = replies.filter(one => one !== '').join(',')
  return { kind: 'form', reply, code: (codes[0] ?? '').trim(), csrf: csrfs[0] ?? '' }
}

function fieldsOf(bytes: Uint8Array, contentType: string): Fields {
  const kind = contentType.toLowerCase().replaceAll(' ', '')
  const [media, charset, ...more] = kind.split(';')
  if (more.length > 0 || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    return 'unsupported_media_type'
  }
  if (media !== 'application/x-www-form-urlencoded' && media !== 'application/json') {
    return 'unsupported_media_type'
  }
  const text = decoded(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  if (text === null) return 'bad_encoding'
  return media === 'application/json' ? fromJson(text) : fromUrlencoded(text)
}

function fromUrlencoded(text: string): Fields {
  const pieces = text === '' ? [] : text.split('&')
  if (pieces.length > MAX_FIELDS) return 'too_many_fields'
  const fields: Field[] = []
  for (const piece of pieces) {
    const [name, value, ...more] = piece.split('=').map(percentDecoded)
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0) return 'bad_encoding'
    fields.push([name, value])
  }
  return fields
}

const percentDecoded = (part: string): string | null =>
  decoded(() => decodeURIComponent(part.replaceAll('+', ' ')))

const GAP = '[ \\t\\n\\r]*'
const STRING = '("(?:[^"\\\\]|\\\\.)*")'
const OPEN = new RegExp(`^${GAP}\\{`)
const EMPTY = new RegExp(`^${GAP}\\{${GAP}\\}${GAP}$`)
const PAIR = new RegExp(`${GAP}${STRING}${GAP}:${GAP}${STRING}${GAP}(,|\\}${GAP}$)`, 'y')

// A flat object of strings, read pair by pair because JSON.parse keeps the last of two equal names in silence.
function fromJson(text: string): Fields {
  if (EMPTY.test(text)) return []
  const open = OPEN.exec(text)
  const fields: Field[] = []
  PAIR.lastIndex = open?.[0].length ?? text.length
  for (;;) {
    const [, name = '', value = '', end] = PAIR.exec(text) ?? []
    const field = [jsonString(name), jsonString(value)] as const
    if (field[0] === null || field[1] === null) return 'malformed_json'
    if (!NAMES.includes(field[0])) return 'unknown_field'
    if (fields.some(([earlier]) => earlier === field[0])) return 'repeated_field'
    fields.push([field[0], field[1]])
    if (end !== ',') return fields
  }
}

/** A lone surrogate is no text: it could not be written down as it was read. */
function jsonString(literal: string): string | null {
  const text = decoded(() => JSON.parse(literal) as string)
  return text === null || /\p{Surrogate}/u.test(text) ? null : text
}

function decoded(decode: () => string): string | null {
  try {
    return decode()
  } catch {
    return null
  }
}
