// Displays as a request can make them: one of each, and arbitrary ones up to every bound of the request's shape.
import fc from 'fast-check'
import type { Option, ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Display } from '../../src/request/display.js'

export const HANDLE = '0123456789abcdefghjkmnpqrs'
export const PAGE = { link: 'https://lane.example.org/r/zyxwvtsrqpnmkjhgfedcba9876', code: 'K7QD' }
export const PLACE = { reply: { handle: HANDLE, code: 'K7QD5VA' }, page: PAGE, mention: null }
export const HASH = `sha256:${'3f9a1b2c'.repeat(8)}`

export const question = (reply_schema: ReplySchema, more: Partial<Display> = {}): Display => ({
  v: 1,
  type: 'REQUEST_QUESTION',
  request_id: 'q-17',
  request_hash: `sha256:${'c0ffee42'.repeat(8)}`,
  asked_by: 'release-agent',
  run_id: 'run-9',
  work_item_id: null,
  headline: 'Which rollout should version 4.2 follow?',
  impact: 'The chosen rollout starts within the hour.',
  lens: null,
  action: null,
  why: null,
  contents: [],
  exhibits: new Map(),
  urgency: 'normal',
  ladder: null,
  origin: null,
  handles: [],
  reply_schema,
  deadline_at: '2026-02-17T14:00:05.000Z',
  default_action: 'HALT',
  ...more,
})

export const approval = question(
  { kind: 'yes_no' },
  {
    type: 'REQUEST_APPROVAL',
    headline: 'Approve PUBLISH',
    impact: null,
    action: 'PUBLISH',
    default_action: 'DENY',
    handles: [{ name: 'artifact', handle: HASH, fixed: true }],
  },
)

export const review = question(
  { kind: 'text', max_chars: 200 },
  {
    type: 'REQUEST_REVIEW',
    headline: 'Review for security',
    impact: null,
    lens: 'security',
    default_action: 'QUARANTINE_OUTPUTS',
    handles: [{ name: null, handle: HASH, fixed: true }],
  },
)

/** Left to itself the library makes short things: here it is also to reach every bound. */
const AS_LONG_AS_ALLOWED = { size: 'max' } as const

/** Letters, signs Slack knows as markup, pictures of two units, and what must never be seen. */
const sign = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'aZ09 é…漢') },
  { weight: 3, arbitrary: fc.constantFrom(...'*_~`<>&|@#!:\\"\'{}[]()') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('😀', '𝔸', ':tada:', '<!here>', '<@U1>', 'https://e.org/x', '@here'),
  },
  { weight: 1, arbitrary: fc.constantFrom('\u202E', '\u2066', '\u200B', '\uFEFF', '\u0000', '\n') },
)
export const text = (max: number): fc.Arbitrary<string> =>
  fc
    .array(sign, { minLength: 1, maxLength: max, ...AS_LONG_AS_ALLOWED })
    .map(signs => [...signs.join('')].slice(0, max).join(''))
    .filter(made => made.trim() !== '')

const id = (max: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...'ABCxyz019._-'), { minLength: 0, maxLength: max - 1, ...AS_LONG_AS_ALLOWED })
    .map(tail => `r${tail.join('')}`)

const options = (most: number): fc.Arbitrary<Option[]> =>
  fc.uniqueArray(
    fc.record({
      value: fc.integer({ min: 0, max: 1_000_000 }).map(number => `v${'x'.repeat(number % 24)}-${number}`),
      label: text(75),
    }),
    { minLength: 2, maxLength: most, selector: ({ value }) => value, ...AS_LONG_AS_ALLOWED },
  )

const bound = fc.integer({ min: -9_000_000_000, max: 9_000_000_000 }).map(number => number / 1_000_000)

export const schemas: fc.Arbitrary<ReplySchema> = fc.oneof(
  fc.constant<ReplySchema>({ kind: 'yes_no' }),
  options(5).map((made): ReplySchema => ({ kind: 'choice', options: made })),
  options(26).map((made): ReplySchema => ({ kind: 'choice', options: made })),
  options(26).map((made): ReplySchema => ({ kind: 'multi_choice', options: made, min: 1, max: made.length })),
  fc.integer({ min: 1, max: 500 }).map((max_chars): ReplySchema => ({ kind: 'text', max_chars })),
  fc.tuple(bound, bound).map(
    ([one, other]): ReplySchema => ({
      kind: 'number',
      min: Math.min(one, other),
      max: Math.max(one, other),
      unit: 'chips',
      lead: 'max spend',
    }),
  ),
  fc.constant<ReplySchema>({ kind: 'number', min: 0, max: 200, step: 5 }),
  fc.constantFrom<ReplySchema>({ kind: 'date' }, { kind: 'date', min: '2026-02-17', max: '2027-02-17' }),
)

const handles = fc.array(
  fc.record({
    name: fc.option(id(64)),
    handle: fc.oneof(
      fc.constant(HASH),
      id(128).map(name => `artifact:${name}`),
    ),
    fixed: fc.boolean(),
  }),
  { maxLength: 20, ...AS_LONG_AS_ALLOWED },
)

/** The lane writes the headline of an approval, from a name in the configuration; it asks for yes or no. */
const LONGEST_ACTION = {
  headline: `Approve ${'A'.repeat(64)}`,
  action: 'A'.repeat(64),
  reply_schema: { kind: 'yes_no' },
} as const

export const displays: fc.Arbitrary<Display> = fc
  .record({
    reply_schema: schemas,
    type: fc.constantFrom('REQUEST_QUESTION', 'REQUEST_REVIEW', 'REQUEST_APPROVAL'),
    headline: text(500),
    words: text(500),
    asked_by: text(100),
    run_id: id(128),
    request_id: id(128),
    work_item_id: fc.option(id(128)),
    handles,
  })
  .map(({ type, reply_schema, words, headline, ...rest }) =>
    question(reply_schema, {
      ...rest,
      type: type as Display['type'],
      ...(type === 'REQUEST_QUESTION' ? { headline, impact: words } : { impact: null }),
      ...(type === 'REQUEST_REVIEW' && { headline: 'Review for correctness', lens: 'correctness' }),
      ...(type === 'REQUEST_APPROVAL' && LONGEST_ACTION),
    }),
  )
