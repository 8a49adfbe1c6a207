// Schemas and replies to try: strings of the grammar, strings one edit away from it, and strings of nothing but
// trouble. All variety comes from `pick`, so that a seed or a shrinking property test decides it.
import type { Decision, ReplySchema } from '../../src/compiler/reply-schema.js'
import { generate, type Pick } from './abnf.js'
import { asSchema, grammarOf, ruleOf } from './oracle.js'

const options = (...values: string[]) => values.map(value => ({ value, label: `Label of ${value}` }))

export const SCHEMAS: readonly ReplySchema[] = [
  { kind: 'yes_no' },
  { kind: 'choice', options: options('ship', 'Wait-1') },
  { kind: 'choice', options: options('yes', 'no', 'ok', 'k_K-9', '7') },
  { kind: 'choice', options: options(...Array.from({ length: 26 }, (_, index) => `opt${index}`)) },
  { kind: 'multi_choice', options: options('api', 'cli', 'Docs-2', 'site'), min: 1, max: 3 },
  { kind: 'multi_choice', options: options('s', 'kk', 'x_1'), min: 0, max: 3 },
  { kind: 'multi_choice', options: options('x1', 'x2', 'x3'), min: 2, max: 2 },
  { kind: 'text', max_chars: 1 },
  { kind: 'text', max_chars: 8 },
  { kind: 'text', max_chars: 500 },
  { kind: 'number', min: 0, max: 100, unit: 'chips', lead: 'max spend' },
  { kind: 'number', min: -5.5, max: 5.5, step: 0.1 },
  { kind: 'number', min: -999999999999999, max: 999999999999999 },
  { kind: 'number', min: 1, max: 99, unit: 'working days' },
  { kind: 'number', min: 0.25, max: 9, step: 0.25, lead: 'retry after' },
  { kind: 'date' },
  { kind: 'date', min: '2026-02-10', max: '2026-03-01' },
  { kind: 'date', min: '2000-01-01T12:00:00Z', max: '2050-06-30T12:00:00.5+02:00' },
  { kind: 'yes_no', reason: { when: 'on_no', max_chars: 12 } },
  { kind: 'yes_no', reason: { when: 'optional', max_chars: 500 } },
  { kind: 'choice', options: options('no', 'go'), reason: { when: 'optional', max_chars: 40 } },
  {
    kind: 'form',
    decisions: [
      { id: 'd1', type: 'approval', prompt: 'One', required: true, reason: { when: 'on_no', max_chars: 30 } },
      { id: 'D2-x', type: 'approval', prompt: 'Two', required: false },
      { id: 'k', type: 'choice', prompt: 'Three', required: true, options: options('k1', 'yes', 'no') },
    ],
  },
  {
    kind: 'form',
    decisions: [
      {
        id: 'a',
        type: 'approval',
        prompt: 'One',
        required: true,
        reason: { when: 'optional', max_chars: 9 },
      },
      {
        id: 'many',
        type: 'multi_choice',
        prompt: 'Two',
        required: true,
        options: options('api', 'cli', 'docs'),
        constraints: { min: 2 },
        reason: { when: 'optional', max_chars: 20 },
      },
      {
        id: 't',
        type: 'text',
        prompt: 'Three',
        required: false,
        constraints: { min: 2, max: 9, pattern: '^[a-zW]' },
      },
      { id: 'n', type: 'number', prompt: 'Four', required: false, constraints: { max: 50 } },
      {
        id: 'w',
        type: 'date',
        prompt: 'Five',
        required: false,
        reason: { when: 'optional', max_chars: 500 },
      },
    ],
  },
]

/** Characters that have opened a door somewhere before. */
const TROUBLE = [
  ...' .!?,;:\'"`*_~<>&|@#$%^+=-/\\()[]{}',
  ...'\t\r\n\0\u0007\u001b\u007f\u0085\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u2003\u2028\u2029',
  ...'\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u2800\u3000\u3164\ufe0f\ufeff\uffa0\ufffd',
  ...'\u017f\u212a\u0130\u0131\u0405\u0415\u0423\u0391\u0410\uff39\uff11\u0661\u2116\u24ce\u1fef\u037e\u212b',
  ...'\u0301\u0323\u0338\u0345\u20e3\u0e48\u{e0061}\u{e0100}\u{1f44d}\u{1f3fd}\u{20000}\u{10ffff}\u{1d7d3}',
  '\ud800',
  '\udc00',
]
const PHRASES = [
  'not ',
  'do not ',
  'yes',
  'no',
  ' but',
  ': if',
  ': ',
  '\nd1 no',
  ' please',
  '"',
  'www.',
  '.com',
  '//',
  '/a',
  '$a',
  '1e3',
  '0x10',
  'NaN',
]
const OUTER = ['', ' ', '\n', '\r\n', '\t ', '\u00a0', '\ufeff']

const oneOf = <T>(pick: Pick, items: readonly T[]): T => items[pick(items.length)] as T

export const schemaFrom = (pick: Pick): ReplySchema => oneOf(pick, SCHEMAS)

export function replyFrom(schema: ReplySchema, pick: Pick): string {
  const said = pick(12) === 0 ? noise(pick) : plausible(schema, pick)
  const edits = Math.max(0, pick(5) - 2)
  const edited = Array.from({ length: edits }).reduce<string>(text => edit(text, pick), said)
  return pick(4) === 0 ? `${oneOf(pick, OUTER)}${edited}${oneOf(pick, OUTER)}` : edited
}

/** A string of the grammar; for numbers and dates mostly one whose value is of the right size. */
export function plausible(schema: ReplySchema, pick: Pick): string {
  if (schema.kind === 'form') return lines(schema.decisions, pick)
  if (schema.kind === 'text' && pick(2) === 0) return latin(pick)
  const said = generate(grammarOf(schema), ruleOf(schema), pick)
  if (schema.kind === 'number' && pick(4) > 0)
    return said.replace(/-?[0-9]+(?:\.[0-9]+)?/, figure(schema, pick))
  if (schema.kind === 'date' && pick(4) > 0)
    return said.replace(/^\d{4}-\d\d-\d\d/, day(pick)).replace(/(\d\d):(\d\d):(\d\d)/, clock(pick))
  return said
}

/** Some of the decisions, in any order, now and then one of them twice. */
function lines(decisions: readonly Decision[], pick: Pick): string {
  const chosen = Array.from({ length: 1 + pick(Math.min(3, decisions.length)) }, () => oneOf(pick, decisions))
  const once = pick(8) === 0 ? chosen : [...new Set(chosen)]
  const line = (decision: Decision): string => {
    const said = plausible(asSchema(decision), pick)
    return `${pick(6) === 0 ? decision.id.toUpperCase() : decision.id} ${said}`
  }
  return once.map(line).join(oneOf(pick, ['\n', '\n', '\r\n', '\n \n']))
}

/** What comes beside a reply: mostly nothing. */
export function fieldsFrom(schema: ReplySchema, pick: Pick): Record<string, string> {
  if (pick(3) > 0) return {}
  const ids = schema.kind === 'form' ? schema.decisions.map(({ id }) => `c.${id}`) : ['reason']
  const name = pick(9) === 0 ? oneOf(pick, ['reason', 'c.d9', 'reply']) : oneOf(pick, ids)
  return { [name]: pick(4) === 0 ? noise(pick) : oneOf(pick, ['', '  ', latin(pick), latin(pick)]) }
}

const latin = (pick: Pick): string =>
  Array.from({ length: 1 + pick(9) }, () =>
    oneOf(pick, [...'aWwz9. ./$(,\u00e9', 'e\u0301', 'www', 'co']),
  ).join('')

const two = (n: number): string => String(n).padStart(2, '0')
const day = (pick: Pick): string =>
  `${oneOf(pick, ['2026', '2000', '1900', '2024', '2050'])}-${two(pick(13))}-${two(oneOf(pick, [1, 9, 10, 11, 28, 29, 30, 31]))}`
const clock = (pick: Pick): string => [pick(26), pick(62), pick(62)].map(two).join(':')

function figure(schema: Extract<ReplySchema, { kind: 'number' }>, pick: Pick): string {
  const step = schema.step ?? oneOf(pick, [1, 0.5, 0.000001])
  const whole = schema.min + step * pick(60) - step * pick(3)
  return oneOf(pick, [
    whole.toFixed(pick(7)),
    String(schema.min),
    String(schema.max),
    `0${Math.abs(pick(100))}`,
    '-0',
  ])
}

const noise = (pick: Pick): string =>
  Array.from({ length: pick(12) }, () => oneOf(pick, [...TROUBLE, ...PHRASES])).join('')

function edit(text: string, pick: Pick): string {
  const characters = [...text]
  const at = pick(characters.length + 1)
  const cut = pick(3) === 0 ? 0 : 1
  const put = [oneOf(pick, TROUBLE), oneOf(pick, PHRASES), '', characters[at] ?? ''][pick(4)] ?? ''
  characters.splice(at, cut, put)
  return characters.join('')
}

/** A small repeatable generator (mulberry32): the same seed tries the same strings on every machine. */
export function seeded(seed: number): Pick {
  let state = seed
  return n => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n
  }
}
