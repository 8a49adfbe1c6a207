// Translates the posted form into the strings it may hold. Strict: one spelling of a body is read, anything else is
// malformed and never guessed at. Their meaning is decided elsewhere. The fields of a form's decisions become its lines.
import { ASSERTED, type Form, type Typed, writeDelegation } from '../../src/adapter/index.js'

export type FormFault =
  | 'unsupported_media_type'
  | 'bad_encoding'
  | 'malformed_json'
  | 'too_many_fields'
  | 'unknown_field'
  | 'repeated_field'
  | 'broken_line'
  | 'answer_beside_delegate'
  | 'malformed_delegate'

type Field = readonly [name: string, value: string]
type Fields = readonly Field[] | FormFault

/** Fifty decisions with all 26 options ticked, their comments, and what stands beside them. */
const MAX_FIELDS = 1500
/** The answer to a decision, and the comment on it. */
const OF_DECISION = /^[dc]\.[A-Za-z][A-Za-z0-9_-]{0,31}$/
const ONCE: readonly string[] = ['reason', 'all', 'delegate', 'code', 'csrf', 'display', ...ASSERTED]
const isName = (name: string): boolean => name === 'reply' || ONCE.includes(name) || OF_DECISION.test(name)
/** A name that says one thing, and so stands once. */
const isSingle = (name: string): boolean => ONCE.includes(name) || name.startsWith('c.')

/** A field that is absent reads as empty: a form with nothing ticked sends no `reply` at all, and is to be taught. */
export function readForm(bytes: Uint8Array, contentType: string | undefined): Form {
  const fields = fieldsOf(bytes, contentType ?? '')
  if (typeof fields === 'string') return { kind: 'malformed', code: fields }
  const given = new Map<string, string[]>()
  for (const [name, value] of fields) {
    if (!isName(name)) return { kind: 'malformed', code: 'unknown_field' }
    const values = given.get(name) ?? []
    if (values.length > 0 && isSingle(name)) return { kind: 'malformed', code: 'repeated_field' }
    given.set(name, [...values, value])
  }
  return formOf(given)
}

function formOf(given: ReadonlyMap<string, readonly string[]>): Form {
  // If one answer has two controls, the empty one says nothing.
  const joined = (name: string): string => (given.get(name) ?? []).filter(one => one !== '').join(',')
  const all = joined('all')
  if (all !== '' && all !== 'yes' && all !== 'no') return { kind: 'malformed', code: 'unknown_field' }
  const answers = [...given.keys()].filter(name => name.startsWith('d.') && joined(name) !== '')
  // A field is one line of the reply: with a line break in it, it would answer another decision too.
  if (answers.some(name => /[\r\n]/.test(joined(name)))) return { kind: 'malformed', code: 'broken_line' }
  const lines = answers.map(name => `${name.slice(2)} ${joined(name)}`)
  const said: Typed = {
    reply: [joined('reply'), ...lines].filter(line => line !== '').join('\n'),
    fields: Object.fromEntries(
      [...given.keys()]
        .filter(name => (name === 'reason' || name.startsWith('c.')) && joined(name) !== '')
        .map(name => [name, joined(name)]),
    ),
    all: all === '' ? null : all,
  }
  const meant = handedTo(joined('delegate'), said)
  if (typeof meant === 'string') return { kind: 'malformed', code: meant }
  const display = joined('display')
  return {
    kind: 'form',
    ...meant,
    code: joined('code').trim(),
    csrf: joined('csrf'),
    ...(display !== '' && { display }),
    ...(ASSERTED.some(name => joined(name) !== '') && { passkey: assertedBy(joined) }),
  }
}

/** A part that is missing is empty, and confirms nothing. */
const assertedBy = (
  joined: (name: string) => string,
): NonNullable<Extract<Form, { kind: 'form' }>['passkey']> => ({
  ticket: joined('ticket'),
  credential_id: joined('credential_id'),
  client_data: joined('client_data'),
  authenticator_data: joined('authenticator_data'),
  signature: joined('signature'),
})

/** Whoever hands a request on answers nothing: a form that does both could mean either. */
function handedTo(name: string, said: Typed): Typed | FormFault {
  if (name === '') return said
  const isAnswer = said.reply !== '' || said.all !== null || Object.keys(said.fields).length > 0
  if (isAnswer) return 'answer_beside_delegate'
  const reply = writeDelegation(name)
  return reply === null ? 'malformed_delegate' : { reply, fields: {}, all: null, hands: true }
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
  const names = new Set<string>()
  PAIR.lastIndex = open?.[0].length ?? text.length
  for (;;) {
    const [, name = '', value = '', end] = PAIR.exec(text) ?? []
    const field = [jsonString(name), jsonString(value)] as const
    if (field[0] === null || field[1] === null) return 'malformed_json'
    if (!isName(field[0])) return 'unknown_field'
    if (fields.length === MAX_FIELDS) return 'too_many_fields'
    if (names.has(field[0])) return 'repeated_field'
    names.add(field[0])
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
