// A second reading of docs/spec/reply-grammar.md, written to disagree with the compiler if either is wrong: it runs
// the ABNF of the page as it stands there and applies the page's conditions by other means (regular expressions, Date,
// fractions). It imports nothing of src/compiler.
import type { Decision, ReplySchema } from '../../src/compiler/reply-schema.js'
import { type Class, type Classes, type Grammar, grammar, matches, publishedRules } from './abnf.js'
import { type Expected, linesOf } from './vector-files.js'

type Of<Kind extends ReplySchema['kind']> = Extract<ReplySchema, { kind: Kind }>

const RANGES = linesOf('text-allowed.txt').flatMap(line => {
  const [, from, to, name] = /^([0-9A-F]+)\.\.([0-9A-F]+) ([a-z]+)$/.exec(line) ?? []
  return name ? [{ from: Number.parseInt(from ?? '', 16), to: Number.parseInt(to ?? '', 16), name }] : []
})

/** The published ranges of these classes, as the inside of a RegExp class. */
const inside = (...names: string[]): string =>
  RANGES.filter(({ name }) => names.includes(name))
    .map(({ from, to }) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`)
    .join('')

function published(name: string): Class {
  const ranges = RANGES.filter(range => range.name === name)
  const member = new RegExp(`^[${inside(name)}]$`, 'u')
  return {
    has: codePoint => member.test(String.fromCodePoint(codePoint)),
    samples: ranges.flatMap(({ from, to }) => [from, to]),
  }
}

export const CLASSES: Classes = Object.fromEntries(
  ['letter', 'mark', 'digit', 'currency'].map(name => [name, published(name)]),
)

const PUBLISHED = publishedRules()
const quoted = (word: string): string => `"${word}"`
const words = (phrase: string): string => phrase.split(' ').map(quoted).join(' 1*SP ')
const letter = (index: number): string => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.charAt(index)

const grammars = new WeakMap<ReplySchema, Grammar>()

/** The page's rules with those a schema writes out. */
export function grammarOf(schema: ReplySchema): Grammar {
  const known = grammars.get(schema) ?? writtenOut(schema)
  grammars.set(schema, known)
  return known
}

function writtenOut(schema: ReplySchema): Grammar {
  const own: string[] = []
  if (schema.kind === 'choice' || schema.kind === 'multi_choice') {
    const names = schema.options.flatMap((option, index) => [letter(index), option.value])
    own.push(`option = ${names.map(quoted).join(' / ')}`)
  }
  if (schema.kind === 'number' && schema.unit) own.push(`unit = ${words(schema.unit)}`)
  if (schema.kind === 'number' && schema.lead) own.push(`lead = ${words(schema.lead)}`)
  return grammar([PUBLISHED, ...own].join('\n'), CLASSES)
}

export function ruleOf(schema: ReplySchema): string {
  switch (schema.kind) {
    case 'yes_no':
      return schema.reason ? 'yes-no-reason' : 'yes-no'
    case 'multi_choice':
      return 'multi-choice'
    case 'date':
      return 'date-reply'
    case 'number':
      return `number${schema.lead ? '-lead' : ''}${schema.unit ? '-unit' : ''}`
    default:
      return schema.kind
  }
}

const no = (reason: string): Expected => ({ ok: false, reason })
const yes = (parsed_choice: string | null, parsed_payload: unknown): Expected & { ok: true } => ({
  ok: true,
  answer: { parsed_choice, parsed_payload },
})

type Fields = Readonly<Record<string, string>>
const cut = (reply: string): string => reply.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '')

export function judge(schema: ReplySchema, reply: string, fields: Fields = {}): Expected {
  if (schema.kind === 'form') return judgeForm(schema, reply, fields)
  const spoken =
    'reason' in schema && schema.kind === 'yes_no' && reply.length <= 4096 ? NO_WHY.exec(cut(reply)) : null
  const plain = spoken === null ? judgeOne(schema, reply) : yes('NO', null)
  if (!plain.ok) return plain
  if (Object.keys(fields).some(name => name !== 'reason' && cut(fields[name] ?? '') !== ''))
    return no('reply_not_in_schema')
  const asked = 'reason' in schema ? schema.reason : undefined
  const isNo = schema.kind === 'yes_no' && plain.answer.parsed_choice === 'NO'
  return judgeWhy(plain, asked, spoken?.[1] ?? null, fields.reason, isNo, null)
}

const NO_WHY = /^no?: +([\s\S]*)$/i

/** The words behind a NO, or beside any answer; a field that is empty is none. */
function judgeWhy(
  plain: Expected,
  asked: { when: string; max_chars: number } | undefined,
  spoken: string | null,
  field: string | undefined,
  isNo: boolean,
  about: string | null,
): Expected {
  const beside = cut(field ?? '') === '' ? null : (field ?? '')
  if (beside !== null && (!asked || spoken !== null)) return no('reply_not_in_schema')
  const given = spoken ?? beside
  if (given === null) return isNo && asked?.when === 'on_no' ? no('reason_missing') : plain
  const read = judgeOne({ kind: 'text', max_chars: asked?.max_chars ?? 0 }, given)
  if (!read.ok || !plain.ok) return read.ok ? plain : read
  const { text } = read.answer.parsed_payload as { text: string }
  return { ...plain, remarks: [{ about, words: text }] }
}

const ORDER = ['reply_too_long', 'reply_bad_charset', 'reply_not_in_schema', 'reason_missing']
/** No more lines are read once so many were not understood. */
const MOST_FAULTS = 50

function judgeForm(schema: Of<'form'>, reply: string, fields: Fields): Expected {
  if (reply.length > 65536) return no('reply_too_long')
  if (Buffer.from(reply, 'utf8').toString('utf8') !== reply) return no('reply_bad_charset')
  const found = new Map<string, Expected & { ok: true }>()
  const faults: string[] = []
  const named = new Set<string>()
  for (const line of cut(reply)
    .split(/\r\n|\n/)
    .map(cut)) {
    if (line === '' || faults.length === MOST_FAULTS) continue
    const [id = ''] = line.split(' ')
    const decision = schema.decisions.find(
      one => one.id.toLowerCase() === id.toLowerCase() && /^[\x00-\x7f]*$/.test(id),
    )
    const judged = decision
      ? judgeDecision(decision, line.slice(id.length), fields)
      : no('reply_not_in_schema')
    if (decision && (!judged.ok || found.has(decision.id))) named.add(decision.id)
    if (!judged.ok) faults.push(judged.reason)
    else if (decision && found.has(decision.id)) faults.push('reply_not_in_schema')
    else if (decision) found.set(decision.id, judged)
  }
  for (const [name, value] of Object.entries(fields)) {
    const decision = schema.decisions.find(one => `c.${one.id}` === name)
    if (cut(value) !== '' && !(decision && (found.has(decision.id) || named.has(decision.id))))
      faults.push('reply_not_in_schema')
  }
  if (found.size === 0 && faults.length === 0) return no('reply_not_in_schema')
  const worst = ORDER.find(reason => faults.includes(reason))
  if (worst !== undefined) return no(worst)
  const all = schema.decisions.flatMap(({ id }) => found.get(id) ?? [])
  const remarks = all.flatMap(one => one.remarks ?? [])
  return {
    ...yes(null, { decisions: all.map(one => one.answer.parsed_payload) }),
    ...(remarks.length > 0 && { remarks }),
  }
}

/** The schema that a decision is, by the page's table. */
export function asSchema(decision: Decision): Exclude<ReplySchema, Of<'form'>> {
  const limits = ('constraints' in decision && decision.constraints) || {}
  const { min, max } = limits as { min?: number; max?: number }
  switch (decision.type) {
    case 'approval':
      return decision.reason ? { kind: 'yes_no', reason: decision.reason } : { kind: 'yes_no' }
    case 'choice':
      return { kind: 'choice', options: decision.options }
    case 'multi_choice':
      return {
        kind: 'multi_choice',
        options: decision.options,
        min: min ?? 1,
        max: max ?? decision.options.length,
      }
    case 'text':
      return { kind: 'text', max_chars: max ?? 500 }
    case 'number':
      return { kind: 'number', min: min ?? -(10 ** 15 - 1), max: max ?? 10 ** 15 - 1 }
    case 'date':
      return { kind: 'date' }
  }
}

const known = new WeakMap<Decision, Exclude<ReplySchema, Of<'form'>>>()
const schemaOf = (decision: Decision) => {
  const schema = known.get(decision) ?? asSchema(decision)
  known.set(decision, schema)
  return schema
}

function judgeDecision(decision: Decision, said: string, fields: Fields): Expected {
  const schema = schemaOf(decision)
  const spoken =
    schema.kind === 'yes_no' && schema.reason && said.length <= 4096 ? NO_WHY.exec(cut(said)) : null
  const plain = spoken === null || spoken === undefined ? judgeOne(schema, said) : yes('NO', null)
  if (!plain.ok) return plain
  const { parsed_choice, parsed_payload } = plain.answer
  const worth = parsed_choice ?? Object.values(parsed_payload as object)[0]
  if (decision.type === 'text') {
    const { min = 1, pattern } = decision.constraints ?? {}
    if ([...worth].length < min || (pattern !== undefined && !new RegExp(pattern, 'u').test(worth)))
      return no('reply_not_in_schema')
  }
  const value = {
    approval: { approved: worth === 'YES' },
    choice: { selected: worth },
    multi_choice: { selected: worth },
  }[decision.type as string] ?? { value: worth }
  const isNo = decision.type === 'approval' && worth === 'NO'
  const meant = yes(null, { decision_id: decision.id, ...value })
  return judgeWhy(meant, decision.reason, spoken?.[1] ?? null, fields[`c.${decision.id}`], isNo, decision.id)
}

function judgeOne(schema: Exclude<ReplySchema, Of<'form'>>, reply: string): Expected {
  if (reply.length > (schema.kind === 'text' ? 4096 : 1024)) return no('reply_too_long')
  if (Buffer.from(reply, 'utf8').toString('utf8') !== reply) return no('reply_bad_charset')
  const said = cut(reply)
  if (schema.kind === 'text') return judgeText(schema, said)
  if (/[^\x00-\x7f]/.test(said)) return no('reply_bad_charset')
  const rule = schema.kind === 'yes_no' ? 'yes-no' : ruleOf(schema)
  if (!matches(grammarOf(schema), rule, said)) return no('reply_not_in_schema')
  return judgeValue(schema, said) ?? no('reply_not_in_schema')
}

function judgeValue(schema: Exclude<ReplySchema, Of<'text'> | Of<'form'>>, said: string): Expected | null {
  switch (schema.kind) {
    case 'yes_no':
      return yes(/^y/i.test(said) ? 'YES' : 'NO', null)
    case 'choice':
      return yes(schema.options[called(schema, said.replace(/[.!]$/, ''))]?.value ?? '', null)
    case 'multi_choice':
      return judgeSeveral(schema, said)
    case 'number':
      return judgeNumber(schema, said)
    case 'date':
      return judgeDate(schema, said)
  }
}

const called = (schema: Of<'choice'> | Of<'multi_choice'>, name: string): number =>
  schema.options.findIndex((option, index) =>
    [letter(index), option.value].some(it => it.toLowerCase() === name.toLowerCase()),
  )

function judgeSeveral(schema: Of<'multi_choice'>, said: string): Expected | null {
  const indexes = said
    .replace(/[.!]$/, '')
    .split(/ *, */)
    .map(name => called(schema, name))
  const sorted = [...new Set(indexes)].sort((a, b) => a - b)
  if (sorted.length !== indexes.length || sorted.length < schema.min || sorted.length > schema.max)
    return null
  return yes(null, { selected: sorted.map(index => schema.options[index]?.value) })
}

/** A decimal as a fraction: [numerator, denominator]. */
function fraction(decimal: string): [bigint, bigint] {
  const [whole = '', part = ''] = decimal.split('.')
  return [
    BigInt(`${whole}${part}`.replace(/^-/, '')) * (decimal.startsWith('-') ? -1n : 1n),
    10n ** BigInt(part.length),
  ]
}

const minus = (a: string, b: string): [bigint, bigint] => {
  const [[an, ad], [bn, bd]] = [fraction(a), fraction(b)]
  return [an * bd - bn * ad, ad * bd]
}

function judgeNumber(schema: Of<'number'>, said: string): Expected | null {
  const all = said.split(/ +/)
  const before = schema.lead && all.length > 1 && !isDecimal(all[0]) ? schema.lead.split(/ +/).length : 0
  const figure = all[before] ?? ''
  if (minus(figure, String(schema.min))[0] < 0n || minus(String(schema.max), figure)[0] < 0n) return null
  if (schema.step !== undefined) {
    const [[n, d], [sn, sd]] = [minus(figure, String(schema.min)), fraction(String(schema.step))]
    if ((n * sd) % (d * sn) !== 0n) return null
  }
  const number = Number(figure) + 0
  if (minus(figure, String(number))[0] !== 0n) return null
  return yes(null, schema.unit ? { number, unit: schema.unit } : { number })
}

const isDecimal = (word: string | undefined): boolean => /^-?[0-9]+(\.[0-9]+)?$/.test(word ?? '')

/** Nanoseconds since 1970 by way of Date, or null where Date's calendar shifts the day. */
function nanosOf(text: string): bigint | null {
  const [, y, mo, d, h, mi, s, part, zone] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(.+))?$/i.exec(text) ?? []
  const date = new Date(0)
  date.setUTCFullYear(Number(y), Number(mo) - 1, Number(d))
  if (date.getUTCMonth() !== Number(mo) - 1 || date.getUTCDate() !== Number(d)) return null
  if (zone === undefined) return BigInt(date.getTime()) * 1_000_000n
  const [, sign, oh, om] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [null, '+', '0', '0']
  if (Number(h) > 23 || Number(mi) > 59 || Number(s) > 59 || Number(oh) > 23 || Number(om) > 59) return null
  const offset = (Number(oh) * 60 + Number(om)) * (sign === '-' ? -1 : 1)
  date.setUTCHours(Number(h), Number(mi) - offset, Number(s))
  return BigInt(date.getTime()) * 1_000_000n + BigInt((part ?? '').padEnd(9, '0').slice(0, 9))
}

function judgeDate(schema: Of<'date'>, said: string): Expected | null {
  const own = nanosOf(said)
  if (own === null) return null
  const compare = (bound: string): number => {
    const isByDay = said.length === 10 || bound.length === 10
    const [a, b] = isByDay ? [said.slice(0, 10), bound.slice(0, 10)] : [own, nanosOf(bound) ?? 0n]
    return a < b ? -1 : a > b ? 1 : 0
  }
  if (schema.min !== undefined && compare(schema.min) < 0) return null
  if (schema.max !== undefined && compare(schema.max) > 0) return null
  return yes(null, { date: said })
}

const [L, LM, LD, LMD] = [
  inside('letter'),
  inside('letter', 'mark'),
  inside('letter', 'digit'),
  inside('letter', 'mark', 'digit'),
]
const LURES = [
  /\/\//,
  /www\./i,
  new RegExp(`[${LMD}]\\.[${L}][${LM}]`, 'u'),
  /^\//,
  new RegExp(`(?<![${LMD}])/[${LD}]`, 'u'),
  new RegExp(`\\$[${L}(]`, 'u'),
]

function judgeText(schema: Of<'text'>, said: string): Expected {
  const g = grammarOf(schema)
  if (said === '') return no('reply_not_in_schema')
  if (!matches(g, 'text-typed', said)) return no('reply_bad_charset')
  const text = said.normalize('NFC')
  if ([...text].length > schema.max_chars) return no('reply_too_long')
  if (!matches(g, 'text', text)) return no('reply_bad_charset')
  return LURES.some(lure => lure.test(text)) ? no('reply_not_in_schema') : yes(null, { text })
}
