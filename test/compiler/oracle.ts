// A second reading of docs/spec/reply-grammar.md, written to disagree with the compiler if either is wrong: it runs
// the ABNF of the page as it stands there and applies the page's conditions by other means (regular expressions, Date,
// fractions). It imports nothing of src/compiler.
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
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
      return 'yes-no'
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
const yes = (parsed_choice: string | null, parsed_payload: unknown): Expected => ({
  ok: true,
  answer: { parsed_choice, parsed_payload },
})

export function judge(schema: ReplySchema, reply: string): Expected {
  if (reply.length > (schema.kind === 'text' ? 4096 : 1024)) return no('reply_too_long')
  if (Buffer.from(reply, 'utf8').toString('utf8') !== reply) return no('reply_bad_charset')
  const said = reply.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '')
  if (schema.kind === 'text') return judgeText(schema, said)
  if (/[^\x00-\x7f]/.test(said)) return no('reply_bad_charset')
  if (!matches(grammarOf(schema), ruleOf(schema), said)) return no('reply_not_in_schema')
  return judgeValue(schema, said) ?? no('reply_not_in_schema')
}

function judgeValue(schema: Exclude<ReplySchema, Of<'text'>>, said: string): Expected | null {
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
