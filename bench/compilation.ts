// The cost of reading a reply: accepted answers of every kind, refused ones beside them, and the worst that a 10 kB
// string can do. A Map lookup of the same strings stands for the least that any compiler could take.
//
// The hostile strings are read once before anything is timed. An engine that has only seen tidy ones compiles faster
// code for them, and a lane that has been up for a day has not only seen tidy ones.
import { type Compiled, compile } from '../src/compiler/compile.js'
import { readPattern } from '../src/compiler/pattern.js'
import type { ReplySchema } from '../src/compiler/reply-schema.js'
import { type Figure, median } from './figure.js'
import { WrongOutcome } from './outcome.js'
import { perSecond, REPEATS } from './stage.js'

const options = ['ship', 'wait', 'split', 'stop'].map(value => ({ value, label: `Label of ${value}` }))

const SCHEMAS = {
  yes_no: { kind: 'yes_no' },
  choice: { kind: 'choice', options },
  multi_choice: { kind: 'multi_choice', options, min: 1, max: 3 },
  text: { kind: 'text', max_chars: 500 },
  number: { kind: 'number', min: 0, max: 100, unit: 'chips', lead: 'max spend' },
  date: { kind: 'date', min: '2026-01-01', max: '2030-12-31' },
  form: {
    kind: 'form',
    decisions: [
      { id: 'd1', type: 'approval', prompt: 'Ship the release', required: true },
      { id: 'd2', type: 'choice', prompt: 'To whom', required: true, options },
    ],
  },
} as const satisfies Record<ReplySchema['kind'], ReplySchema>

type Said = readonly [ReplySchema, string]
const said = (schema: ReplySchema, ...replies: readonly string[]): Said[] =>
  replies.map(reply => [schema, reply])

const ACCEPTED: readonly Said[] = [
  ...said(SCHEMAS.yes_no, 'YES', 'no', ' y '),
  ...said(SCHEMAS.choice, 'A', 'wait', 'Split'),
  ...said(SCHEMAS.multi_choice, 'A', 'ship, wait', 'a,b,c'),
  ...said(SCHEMAS.text, 'after the soak test', 'tomorrow', 'Ask the owner of the release first'),
  ...said(SCHEMAS.number, '50', '7 chips', 'max spend 50 chips'),
  ...said(SCHEMAS.date, '2026-02-17', '2027-12-01', '2026-02-17T09:30:00Z'),
]
const REFUSED: readonly Said[] = [
  ...said(SCHEMAS.yes_no, 'do not approve', '"YES"', 'yes but later'),
  ...said(SCHEMAS.choice, 'E', 'ship it', ''),
  ...said(SCHEMAS.multi_choice, 'A, A', 'A B', 'ship, nothing'),
  ...said(SCHEMAS.text, 'see https://example.org', 'run `this`', '\u202ereversed'),
  ...said(SCHEMAS.number, '1e3', '50 dollars', '101'),
  ...said(SCHEMAS.date, '17.02.2026', '2026-02-30', 'tomorrow'),
]

/** Lines cost what their decisions cost, so forms have a figure of their own. */
const FORMS: readonly Said[] = said(SCHEMAS.form, 'd1 yes', 'd2 ship', 'd1 no\nd2 B')

/** Patterns that the door takes and that have much to do: many states at once, late failures, wide classes, and no
 *  literal that every match needs, for which the engine would look first. */
const PATTERNS = [
  '(?:\\pL?\\pM?){60}[0-9][0-9]',
  '[\\pL\\pM]{0,120}\\d$',
  '(?i)[a-zß-ÿ]{0,120}\\d$',
  '(?i:[k-sſK]?){110}\\d\\b.$',
  '(?:\\b.?){70}1$',
  '(?:^|.){80}\\d$',
  '[^b]{0,120}[0-9][0-9]',
  '(?:.?.?){60}1$',
  '(.*){60}\\d$',
  `${'a?'.repeat(60)}${'a'.repeat(60)}[0-9]`,
]
const LONGEST_TEXTS = ['a', 'ab', 'é', 'ꙮ', 'aé ', "a'", '\u{20000}'].map(
  piece => `1${[...piece.repeat(499)].slice(0, 499).join('')}`,
)

/** 10 kB; and the longest that a text and a closed schema look into, since longer ones are refused unread. */
const HOSTILE_UNITS = [10_000, 4_096, 1_024]
/** Long runs of signs that a careless pattern would walk again and again. */
const PIECES = [' ', 'y', 'A,', 'YES ', '9', '-', '\u0301', 'e\u0301', '\u{1f468}\u200d', '\ud800', '<']
const HOSTILE: readonly string[] = HOSTILE_UNITS.flatMap(units =>
  PIECES.map(piece => piece.repeat(units / piece.length)),
)

const ROUNDS = 10_000
const HOSTILE_ROUNDS = 200
const PATTERN_ROUNDS = 20

export function timeCompilation(): Figure[] {
  requireVerdicts()
  const accepted = rates(ACCEPTED)
  const refused = rates(REFUSED)
  const forms = rates(FORMS)
  const worst = Array.from({ length: REPEATS }, worstHostile)
  const lookup = 'a Map lookup of the same strings'
  return [
    {
      what: '`compile`, accepted replies of every kind',
      unit: 'per s',
      measured: accepted.compiled,
      baseline: { what: lookup, measured: accepted.lookedUp },
      goal: { judged: 'value', better: 'more', must: 500_000, aim: 2_000_000 },
    },
    {
      what: '`compile`, refused replies of every kind',
      unit: 'per s',
      measured: refused.compiled,
      baseline: { what: lookup, measured: refused.lookedUp },
      goal: null,
    },
    {
      what: '`compile`, forms of one or two lines',
      unit: 'per s',
      measured: forms.compiled,
      baseline: { what: lookup, measured: forms.lookedUp },
      goal: null,
    },
    {
      what: 'a pattern of a form on the longest text, the slowest',
      unit: 'ms',
      measured: Array.from({ length: REPEATS }, worstPattern),
      baseline: null,
      goal: { judged: 'value', better: 'less', must: 5, aim: null },
    },
    {
      what: '`compile`, the slowest hostile string of up to 10 kB',
      unit: 'ms',
      measured: worst,
      baseline: null,
      goal: { judged: 'value', better: 'less', must: 1, aim: null },
    },
  ]
}

function requireVerdicts(): void {
  const wrong = [
    ...[...ACCEPTED, ...FORMS].filter(([schema, reply]) => !compile(schema, reply).ok),
    ...REFUSED.filter(([schema, reply]) => compile(schema, reply).ok),
    ...Object.values(SCHEMAS).flatMap(schema => HOSTILE.filter(reply => compile(schema, reply).ok)),
  ]
  if (wrong.length > 0)
    throw new WrongOutcome(`the compiler judged otherwise: ${JSON.stringify(wrong[0]).slice(0, 200)}`)
}

function rates(corpus: readonly Said[]): { readonly compiled: number[]; readonly lookedUp: number[] } {
  const known = new Map<string, Compiled>(corpus.map(([schema, reply]) => [reply, compile(schema, reply)]))
  const compileOne = ([schema, reply]: Said): unknown => compile(schema, reply)
  const lookUpOne = ([, reply]: Said): unknown => known.get(reply)
  rate(corpus, compileOne)
  rate(corpus, lookUpOne)
  const compiled: number[] = []
  const lookedUp: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    lookedUp.push(rate(corpus, lookUpOne))
    compiled.push(rate(corpus, compileOne))
  }
  return { compiled, lookedUp }
}

/** Strings per second. The results are counted, so that nothing may be left out as unused. */
function rate(corpus: readonly Said[], read: (one: Said) => unknown): number {
  let seen = 0
  const start = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of corpus) if (read(one) !== undefined) seen++
  }
  const ms = performance.now() - start
  if (seen !== ROUNDS * corpus.length) throw new WrongOutcome(`${seen} readings of ${ROUNDS * corpus.length}`)
  return perSecond(seen, ms)
}

/** The median time of the slowest pair of schema and string: one interruption of the process is not the string's. */
function worstHostile(): number {
  const pairs = Object.values(SCHEMAS).flatMap(schema => HOSTILE.map((reply): Said => [schema, reply]))
  return Math.max(...pairs.map(pair => median(Array.from({ length: HOSTILE_ROUNDS }, () => timeOne(pair)))))
}

/** The median time of the slowest pair of pattern and text. */
function worstPattern(): number {
  const times = PATTERNS.flatMap(source => {
    const pattern = readPattern(source)
    if (pattern === null) throw new WrongOutcome(`the door takes no pattern ${source}`)
    return LONGEST_TEXTS.map(text =>
      median(
        Array.from({ length: PATTERN_ROUNDS }, () => {
          const start = performance.now()
          pattern.isFoundIn(text)
          return performance.now() - start
        }),
      ),
    )
  })
  return Math.max(...times)
}

function timeOne([schema, reply]: Said): number {
  const start = performance.now()
  compile(schema, reply)
  return performance.now() - start
}
