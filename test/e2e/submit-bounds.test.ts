// What silence may lead to, and how far a reply may reach: both are settled before anybody is asked.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, review, startLane } from '../lane-under-test.js'
import { caller, errorsOf, without } from './caller.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.close())
const { submit, refused, refusedField } = caller(() => lane)

describe('silence is safe', () => {
  const UNSAFE = ['APPROVE', 'YES', 'PUBLISH', 'CONTINUE', 'ALLOW', 'EXPORT', 'RETRY', 'halt', '', null, true]
  test.each(UNSAFE)(
    '[LANE-017] a default of %j is refused at submit for every type',
    async default_action => {
      for (const make of [question, review, approval]) {
        const error = await refusedField(make('bad-default', { default_action }), '/request/default_action')
        expect(error.accepted).toContain('HALT')
      }
    },
  )

  test('[LANE-016] a question without a default has no escape hatch and is refused', async () => {
    await refusedField(without(question('bad-nodefault'), 'default_action'), '/request/default_action')
  })

  const DEFAULTS = [
    'HALT',
    'SPLIT',
    'DOWNGRADE_TO_HYPOTHESIS',
    'QUARANTINE_OUTPUTS',
    'DENY',
    'DO_NOT_PUBLISH',
    'DO_NOT_EXPORT',
  ]
  test.concurrent.each(DEFAULTS)(
    '[LANE-018] [LANE-066] the default %s is accepted, shown, recorded and held',
    async default_action => {
      const id = `default-${default_action}`
      const opened = await submit(question(id, { default_action, deadline_seconds: 2 }))
      expect(opened.status).toBe(201)
      expect(opened.json.default_action).toBe(default_action)
      expect((await lane.story(id))[0]?.body.request).toMatchObject({ default_action, deadline_seconds: 2 })
      const settled = await lane.outcome(id)
      expect(settled.json).toMatchObject({
        state: 'defaulted',
        default_action,
        default_applied: true,
        answer: null,
      })
    },
  )

  test.each([
    ['PUBLISH', 'DO_NOT_PUBLISH', 201],
    ['PUBLISH', 'DENY', 201],
    ['PUBLISH', 'QUARANTINE_OUTPUTS', 201],
    ['EXPORT', 'DO_NOT_EXPORT', 201],
    ['EXPORT', 'HALT', 201],
    ['PUBLISH', 'DO_NOT_EXPORT', 422],
    ['EXPORT', 'DO_NOT_PUBLISH', 422],
    ['PUBLISH', 'SPLIT', 422],
    ['PUBLISH', 'DOWNGRADE_TO_HYPOTHESIS', 422],
  ])(
    '[LANE-017] [LANE-018] an approval of %s may default to %s: %i',
    async (action, default_action, status) => {
      const request = approval(`fits-${action}-${default_action}`, { action, default_action })
      if (status === 201) expect((await submit(request)).status).toBe(201)
      else await refusedField(request, '/request/default_action')
    },
  )

  test('[LANE-066] the deadline is the opening plus deadline_seconds, to the millisecond', async () => {
    const opened = await submit(question('exact-due', { deadline_seconds: 2_592_000 }))
    const { opened_at, deadline_at } = opened.json as { opened_at: string; deadline_at: string }
    expect(Date.parse(deadline_at) - Date.parse(opened_at)).toBe(2_592_000_000)
    const [entry] = await lane.story('exact-due')
    expect(entry?.at).toBe(opened_at)
    expect(entry?.body.deadline_at).toBe(deadline_at)
  })
})

describe('a reply schema is bounded', () => {
  const two = [
    { value: 'a', label: 'A' },
    { value: 'b', label: 'B' },
  ]
  test.each<[string, unknown, string]>([
    ['text without max_chars', { kind: 'text' }, '/max_chars'],
    ['text of 501', { kind: 'text', max_chars: 501 }, '/max_chars'],
    ['text of 0', { kind: 'text', max_chars: 0 }, '/max_chars'],
    ['a number without max', { kind: 'number', min: 0 }, '/max'],
    ['a number without min', { kind: 'number', max: 9 }, '/min'],
    ['a number from 9 to 0', { kind: 'number', min: 9, max: 0 }, '/max'],
    ['a number with step 0', { kind: 'number', min: 0, max: 9, step: 0 }, '/step'],
    ['a number up to 1e300', { kind: 'number', min: 0, max: 1e300 }, '/max'],
    ['a unit that is markup', { kind: 'number', min: 0, max: 9, unit: '<b>' }, '/unit'],
    ['a choice without options', { kind: 'choice' }, '/options'],
    ['a choice of one', { kind: 'choice', options: two.slice(1) }, '/options'],
    [
      'a choice of 27',
      { kind: 'choice', options: [...Array(27)].map((_, i) => ({ value: `v${i}`, label: 'L' })) },
      '/options',
    ],
    [
      'two options of one value',
      {
        kind: 'choice',
        options: [
          { value: 'x', label: '1' },
          { value: 'X', label: '2' },
        ],
      },
      '/options/1/value',
    ],
    [
      "a value that is another's letter",
      {
        kind: 'choice',
        options: [
          { value: 'B', label: '1' },
          { value: 'x', label: '2' },
        ],
      },
      '/options/0/value',
    ],
    ['many without max', { kind: 'multi_choice', options: two, min: 1 }, '/max'],
    ['more than there are', { kind: 'multi_choice', options: two, min: 1, max: 3 }, '/max'],
    ['a date that is none', { kind: 'date', min: '2026-02-30' }, '/min'],
    ['an unknown kind', { kind: 'regex', pattern: '.*' }, ''],
    ['an unknown field', { kind: 'yes_no', max_chars: 5 }, '/max_chars'],
    ['nothing', {}, ''],
    ['a list', [], ''],
  ])('[LANE-027] %s is refused at submit', async (_, reply_schema, place) => {
    const answer = await refused(
      () => submit(question('bad-schema', { reply_schema })),
      422,
      'invalid_request',
    )
    const fields = errorsOf(answer).map(one => one.field)
    expect(
      fields.some(field => field.startsWith(`/request/reply_schema${place}`)),
      answer.text,
    ).toBe(true)
  })

  test('an approval is answered YES or NO, and in no other way', async () => {
    await refusedField(
      approval('bad-reply', { reply_schema: { kind: 'text', max_chars: 5 } }),
      '/request/reply_schema/kind',
    )
  })

  test('a callback without its secret is known and refused as not available', async () => {
    await refused(
      () => submit(question('bad-cb'), { callback_url: 'https://example.org/' }),
      422,
      'not_available',
    )
  })
})
