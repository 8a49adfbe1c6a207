// The short cut past the schema of a submission, against the schema it stands in for.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainSubmission } from '../../src/request/plain.js'
import { SUBMISSION_SHAPES } from '../../src/request/request-shape.js'
import { RULES } from '../../src/rules.js'
import { request } from './generated.js'
import { run, submit } from './samples.js'

const HASH = `sha256:${'a'.repeat(64)}`
const OTHER = `sha256:${'b'.repeat(64)}`
const envelope = fc.record(
  {
    run: fc.constantFrom<unknown>(run, { ...run, work_item_id: 'wi-1' }, { ...run, mood: 'GLAD' }, {}),
    recipients: fc.constantFrom<unknown>(['owner'], ['owner', 'owner'], [''], [], 'owner', [
      { user_id: 'a' },
    ]),
    contents: fc.oneof(
      fc.dictionary(fc.constantFrom(HASH, OTHER), fc.string({ unit: 'binary' })),
      fc.constantFrom<unknown>(
        { [HASH]: 1 },
        { 'doc:a': 'a' },
        { [HASH]: 'a\0' },
        { [HASH]: 'é'.repeat(32_769) },
        [],
        null,
      ),
    ),
  },
  { requiredKeys: ['run'] },
)
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    0,
    1,
    -0,
    1.5,
    2_592_001,
    [],
    {},
    '',
    ' ',
    'a  b',
    ' a',
    'a ',
    'a??',
  ),
  fc.constantFrom(
    'a? b?',
    'a\u202eb',
    'a\n',
    '¿a',
    'n'.repeat(501),
    'yes_no',
    'HALT',
    'security',
    '__proto__',
  ),
  fc.constantFrom({ kind: 'yes_no', reason: 'required' }, { kind: 'text', max_chars: 9 }, ['sha256:0']),
  fc.constant([`sha256:${'a'.repeat(64)}`]),
  fc.string({ maxLength: 40, unit: 'binary' }),
)
type Edit = { readonly pick: number; readonly value: unknown; readonly kind: 'set' | 'drop' | 'add' }
const edit: fc.Arbitrary<Edit> = fc.record({
  pick: fc.nat(),
  value: odd,
  kind: fc.constantFrom('set', 'drop', 'add'),
})

/** One member, of the request or of the value itself, is set, dropped or added. */
function edited(body: Record<string, unknown>, { pick, value, kind }: Edit): Record<string, unknown> {
  const names = [...Object.keys(body), ...Object.keys(body.request as object).map(name => `request/${name}`)]
  const [first = '', second] = (names[pick % names.length] ?? '').split('/')
  const change = (object: Record<string, unknown>, name: string): Record<string, unknown> => {
    const { [name]: _, ...rest } = object
    if (kind === 'drop') return rest
    return kind === 'set' ? { ...object, [name]: value } : { ...object, extra: value }
  }
  if (second === undefined) return change(body, first)
  return { ...body, request: change(body.request as Record<string, unknown>, second) }
}

/** Whatever the short cut lets in, the schema of every rules reads in the same way. */
function holds(body: unknown): boolean {
  const plain = plainSubmission(body)
  if (plain === null) return false
  for (const rules of RULES) {
    const { recipients = null, ...rest } = SUBMISSION_SHAPES[rules].parse(body)
    expect(plain).toEqual({ recipients, ...rest })
  }
  return true
}

test('the usual submissions are plain: a question, a review and an approval that are answered by yes or no', () => {
  const reply_schema = { kind: 'yes_no' }
  const common = { deadline_seconds: 60, default_action: 'HALT', reply_schema }
  const hash = `sha256:${'a'.repeat(64)}`
  const question = {
    type: 'REQUEST_QUESTION',
    question_text: 'Ship?',
    impact: 'Ships.',
    context_handles: [hash],
  }
  const review = { type: 'REQUEST_REVIEW', review_id: 'r-1', target_handles: ['doc:a'], lens: 'security' }
  const approval = {
    type: 'REQUEST_APPROVAL',
    approval_id: 'a-1',
    action: 'PUBLISH',
    parameters: { a: hash },
  }
  for (const one of [question, review, approval])
    expect(holds({ request: { ...one, ...common }, run, recipients: ['owner'] })).toBe(true)
})

test('a choice among options that nothing can confuse is plain; every other list of options is left to the schema', () => {
  const asked = (options: unknown, more: object = {}) => ({
    request: {
      type: 'REQUEST_QUESTION',
      question_text: 'Which?',
      impact: 'Decides.',
      context_handles: [],
      deadline_seconds: 60,
      default_action: 'HALT',
      reply_schema: { kind: 'choice', options, ...more },
    },
    run,
    recipients: ['owner'],
  })
  const named = (...values: string[]) => values.map(value => ({ value, label: `The ${value}` }))
  expect(holds(asked(named('approve', 'deny', 'edit')))).toBe(true)
  const many = Array.from({ length: 27 }, (_, at) => `option-${at}`)
  expect(holds(asked(named(...many.slice(1))))).toBe(true)
  const left: unknown[] = [
    asked(named('approve')),
    asked(named(...many)),
    asked(named('approve', 'APPROVE')),
    asked(named('b', 'a')),
    asked(named('approve', 'delegates')),
    asked(named('approve', 'Delegate-x')),
    asked(named('approve', 'two words')),
    asked([...named('approve'), { value: 'deny', label: 'a'.repeat(76) }]),
    asked([...named('approve'), { value: 'deny', label: 'two  blanks' }]),
    asked([...named('approve'), { value: 'deny' }]),
    asked([...named('approve'), { value: 'deny', label: 'No', description: 'Never' }]),
    asked({ 0: named('approve')[0], 1: named('deny')[0], length: 2 }),
    asked(named('approve', 'deny'), { reason: { when: 'optional', max_chars: 9 } }),
  ]
  for (const body of left) expect(plainSubmission(body), JSON.stringify(body)).toBeNull()
})

test('contents are plain up to their bounds, and beyond them left to the schema', () => {
  const asked = (contents: unknown) => {
    const request = {
      type: 'REQUEST_QUESTION',
      question_text: 'Ship?',
      impact: 'Ships.',
      context_handles: [],
      deadline_seconds: 60,
      default_action: 'HALT',
      reply_schema: { kind: 'yes_no' },
    }
    return { request, run, recipients: ['owner'], contents }
  }
  const handle = (at: number) => `sha256:${at.toString(16).padStart(64, '0')}`
  const many = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [handle(at), text]))
  // Letters of one, two and three bytes, up to the last of them.
  const fitting = [
    ...[{}, many(20, 'a\nb')],
    ...[many(1, 'a'.repeat(65_536)), many(1, 'é'.repeat(32_768)), many(1, '€'.repeat(21_845))],
    ...[many(4, 'a'.repeat(65_536)), many(4, 'é'.repeat(32_768)), many(13, '€'.repeat(6_721))],
  ]
  for (const contents of fitting) expect(holds(asked(contents))).toBe(true)
  const unfit = [
    ...[many(21, 'a'), many(1, 'a\0b')],
    ...[many(1, 'a'.repeat(65_537)), many(1, 'é'.repeat(32_769)), many(1, '€'.repeat(21_846))],
    ...[many(5, 'a'.repeat(65_536)), many(5, 'é'.repeat(32_768)), many(13, '€'.repeat(6_722))],
  ]
  for (const contents of unfit) {
    expect(plainSubmission(asked(contents))).toBeNull()
    expect(SUBMISSION_SHAPES['2'].safeParse(asked(contents)).success).toBe(false)
  }
})

test('an approval that is answered by a choice is not plain: it is no approval', () => {
  const options = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ]
  const request = {
    type: 'REQUEST_APPROVAL',
    approval_id: 'a-1',
    action: 'PUBLISH',
    parameters: { a: `sha256:${'a'.repeat(64)}` },
    deadline_seconds: 60,
    default_action: 'HALT',
    reply_schema: { kind: 'choice', options },
  }
  expect(plainSubmission({ request, run, recipients: ['owner'] })).toBeNull()
})

test('what the short cut lets in the schema lets in, whatever is changed in a well-formed submission', () => {
  let plain = 0
  const property = fc.property(request, envelope, fc.option(edit), (given, around, change) => {
    const body = { ...(submit(given) as Record<string, unknown>), ...around }
    if (holds(change === null ? body : edited(body, change))) plain++
  })
  fc.assert(property, { numRuns: 3_000 })
  expect(plain).toBeGreaterThan(10)
})
