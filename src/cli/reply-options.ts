// The options for possible answers, and the reply schema they mean. Only options that make no sense together are
// refused here; the lane judges the schema, and says what it accepts.
import { readFileSync } from 'node:fs'
import type { Option, ReplySchema } from '../compiler/reply-schema.js'

export const REPLY_OPTIONS = {
  'yes-no': { type: 'boolean' },
  option: { type: 'string', multiple: true },
  multi: { type: 'string', multiple: true },
  text: { type: 'string' },
  number: { type: 'string' },
  date: { type: 'boolean' },
  form: { type: 'string' },
  'ask-reason': { type: 'string' },
  min: { type: 'string' },
  max: { type: 'string' },
  step: { type: 'string' },
  unit: { type: 'string' },
  lead: { type: 'string' },
  from: { type: 'string' },
  until: { type: 'string' },
} as const

type Value<O> = O extends { multiple: true } ? string[] : O extends { type: 'boolean' } ? boolean : string
type Named = typeof REPLY_OPTIONS
export type ReplyValues = { readonly [name in keyof Named]?: Value<Named[name]> | undefined }

export type ReadSchema =
  | { readonly ok: true; readonly schema: ReplySchema }
  | { readonly ok: false; readonly flaws: readonly string[] }

/** Each kind, and the options that only mean something with it. */
const KINDS = {
  'yes-no': [],
  option: [],
  multi: ['min', 'max'],
  text: [],
  number: ['step', 'unit', 'lead'],
  date: ['from', 'until'],
  form: [],
} as const satisfies Record<string, readonly (keyof Named)[]>
type Kind = keyof typeof KINDS
const KIND_NAMES = Object.keys(KINDS) as Kind[]
const KIND_WORDS =
  'say what may be answered with exactly one of --yes-no, --option v=label …, --multi v=label …, --text N, --number MIN..MAX, --date, --form FILE'

const refuse = (...flaws: readonly string[]): ReadSchema => ({ ok: false, flaws })
const accept = (schema: ReplySchema): ReadSchema => ({ ok: true, schema })

export function readReplySchema(values: ReplyValues): ReadSchema {
  const chosen = KIND_NAMES.filter(kind => values[kind] !== undefined)
  const [kind, ...others] = chosen
  if (kind === undefined) return refuse(KIND_WORDS)
  if (others.length > 0) return refuse(`${KIND_WORDS}; read ${chosen.map(name => `--${name}`).join(' and ')}`)
  const stray = strayFor(kind, values)
  return stray.length > 0 ? refuse(...stray) : withReason(schemaOf(kind, values), values['ask-reason'])
}

/** As long as a reason may be. */
const REASON_CHARS = 500

/** Only a NO can be asked for its reason; a choice may give one. */
export function withReason(read: ReadSchema, when: string | undefined): ReadSchema {
  if (!read.ok || when === undefined) return read
  const { schema } = read
  if (when !== 'on_no' && when !== 'optional')
    return refuse(`--ask-reason takes on_no or optional; read "${when}"`)
  if (schema.kind === 'yes_no') return accept({ ...schema, reason: { when, max_chars: REASON_CHARS } })
  if (schema.kind === 'choice' && when === 'optional')
    return accept({ ...schema, reason: { when, max_chars: REASON_CHARS } })
  return refuse(
    schema.kind === 'choice'
      ? '--ask-reason on_no belongs to --yes-no; with --option it is optional'
      : '--ask-reason belongs to --yes-no and --option; a form asks for reasons in its decisions',
  )
}

function strayFor(kind: Kind, values: ReplyValues): string[] {
  return KIND_NAMES.filter(other => other !== kind).flatMap(other =>
    KINDS[other].filter(name => values[name] !== undefined).map(name => `--${name} belongs to --${other}`),
  )
}

function schemaOf(kind: Kind, values: ReplyValues): ReadSchema {
  switch (kind) {
    case 'yes-no':
      return accept({ kind: 'yes_no' })
    case 'option':
      return accept({ kind: 'choice', options: (values.option ?? []).map(readOption) })
    case 'multi':
      return multiChoice(values)
    case 'text':
      return text(values.text ?? '')
    case 'number':
      return number(values)
    case 'date':
      return accept({
        kind: 'date',
        ...(values.from !== undefined && { min: values.from }),
        ...(values.until !== undefined && { max: values.until }),
      })
    case 'form':
      return readFormFile(values.form ?? '')
  }
}

/** A file of JSON: `{ "decisions": […], "context"?, "blocking"? }`. The lane judges it, and says what it accepts. */
export function readFormFile(file: string): ReadSchema {
  try {
    const form: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof form === 'object' && form !== null && 'decisions' in form && Array.isArray(form.decisions))
      return accept({ ...form, kind: 'form' } as ReplySchema)
    return refuse(`--form takes a file with { "decisions": [ … ] }; ${file} holds none`)
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    return refuse(`--form takes a file of JSON; ${file} ${why}`)
  }
}

/** `v=label`; a bare `v` is its own label. */
function readOption(text: string): Option {
  const at = text.indexOf('=')
  return at === -1 ? { value: text, label: text } : { value: text.slice(0, at), label: text.slice(at + 1) }
}

const countOf = (text: string): number | null => (/^[0-9]{1,6}$/.test(text) ? Number(text) : null)

function multiChoice({
  multi = [],
  min: least = '1',
  max: most = String(multi.length),
}: ReplyValues): ReadSchema {
  const min = countOf(least)
  const max = countOf(most)
  if (min === null || max === null) return refuse('--min and --max are whole numbers of options')
  return accept({ kind: 'multi_choice', options: multi.map(readOption), min, max })
}

function text(length: string): ReadSchema {
  const max_chars = countOf(length)
  if (max_chars === null) return refuse(`--text takes the most characters of an answer; read "${length}"`)
  return accept({ kind: 'text', max_chars })
}

const RANGE = /^(-?[0-9]+(?:\.[0-9]+)?)\.\.(-?[0-9]+(?:\.[0-9]+)?)$/
const DECIMAL = /^-?[0-9]+(?:\.[0-9]+)?$/

function number({ number: range = '', step, unit, lead }: ReplyValues): ReadSchema {
  const read = RANGE.exec(range)
  if (read === null)
    return refuse(`--number takes MIN..MAX, such as 0..50 or --number=-5..5; read "${range}"`)
  if (step !== undefined && !DECIMAL.test(step)) return refuse(`--step takes a number; read "${step}"`)
  return accept({
    kind: 'number',
    min: Number(read[1]),
    max: Number(read[2]),
    ...(step !== undefined && { step: Number(step) }),
    ...(unit !== undefined && { unit }),
    ...(lead !== undefined && { lead }),
  })
}
