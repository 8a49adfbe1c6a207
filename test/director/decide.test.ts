// What a run does next, from an outcome and the operator's policy.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Case } from '../../src/agenda/case.js'
import { decide, isApproved, mayContinue } from '../../src/director/decide.js'
import {
  CAUTIOUS_OUTCOMES,
  type CautiousMove,
  type Decisions,
  FREE_OUTCOMES,
  type Move,
  USUAL_POLICY,
} from '../../src/director/policy.js'
import { DEFAULT_ACTIONS, MOODS, type Request } from '../../src/request/request.js'
import { answered, approval, ended, opened, question, review } from './cases.js'

const { decisions } = USUAL_POLICY
const halt = { decision: 'HALT' }
const become = (mood: string) => ({ decision: 'CHANGE_MOOD', mood })

describe('[LANE-065] each outcome has its decision', () => {
  test.each<[string, Case, object]>([
    ['an answered question', answered(question('q'), { parsed_choice: 'NO' }), { decision: 'CONTINUE' }],
    ['a review answered YES', answered(review(), { parsed_choice: 'YES' }), { decision: 'CONTINUE' }],
    ['a review answered NO', answered(review(), { parsed_choice: 'NO' }), become('CONTRITE')],
    ['an approval answered YES', answered(approval('a'), { parsed_choice: 'YES' }), { decision: 'CONTINUE' }],
    ['an approval answered NO', answered(approval('a'), { parsed_choice: 'NO' }), halt],
    ['a withdrawn question', ended(question('q'), 'withdrawn'), { decision: 'CONTINUE' }],
    ['a withdrawn approval', ended(approval('a'), 'withdrawn'), halt],
  ])('%s', (_name, subject, expected) => {
    const { reason, ...decided } = decide(subject, decisions)
    expect(decided).toEqual(expected)
    expect(reason).toMatch(/^[a-z ]{10,60}$/)
  })

  test.each([
    ['HALT', halt],
    ['SPLIT', { decision: 'SPLIT' }],
    ['DOWNGRADE_TO_HYPOTHESIS', become('SKEPTICAL')],
    ['QUARANTINE_OUTPUTS', become('PARANOID')],
    ['DENY', halt],
    ['DO_NOT_PUBLISH', become('PARANOID')],
    ['DO_NOT_EXPORT', become('PARANOID')],
  ] as const)('silence where %s was declared, delivered or not', (default_action, expected) => {
    const request = question('q', { default_action })
    expect(decide(ended(request, 'defaulted'), decisions)).toEqual({
      ...expected,
      reason: 'nobody answered in time',
    })
    expect(decide(ended(request, 'undelivered'), decisions)).toEqual({
      ...expected,
      reason: 'nobody could be reached in time',
    })
  })

  test('a split names the work item where the run has one', () => {
    const split = question('q', { default_action: 'SPLIT' })
    expect(decide(ended(split, 'defaulted', { work_item_id: 'wi-3' }), decisions)).toMatchObject({
      decision: 'SPLIT',
      work_item_id: 'wi-3',
    })
    expect(decide(ended(split, 'defaulted'), decisions)).not.toHaveProperty('work_item_id')
  })

  test('an option that merely reads NO is an answer to a question and a review of options', () => {
    const reply_schema = { kind: 'choice', options: [{ value: 'NO', label: 'No' }] } as never
    const reviewed = answered(review({ reply_schema }), { parsed_choice: 'NO' })
    expect(decide(reviewed, decisions).decision).toBe('CONTINUE')
  })

  test('an open request is not decided about', () => {
    expect(() => decide(opened(question('q')), decisions)).toThrow(/no outcome/)
  })
})

describe('D1: an approval that is not YES never continues', () => {
  const mood = fc.constantFrom(...MOODS)
  const change = mood.map(one => ({ decision: 'CHANGE_MOOD' as const, mood: one }))
  const cautious: fc.Arbitrary<CautiousMove> = fc.oneof(
    fc.constantFrom('SPLIT' as const, 'HALT' as const).map(decision => ({ decision })),
    change,
  )
  const free: fc.Arbitrary<Move> = fc.oneof(cautious, fc.constant({ decision: 'CONTINUE' as const }))
  const policies = fc.record({
    ...Object.fromEntries(FREE_OUTCOMES.map(key => [key, free])),
    ...Object.fromEntries([...CAUTIOUS_OUTCOMES, ...DEFAULT_ACTIONS].map(key => [key, cautious])),
  }) as unknown as fc.Arbitrary<Decisions>
  const request = fc
    .constantFrom(...DEFAULT_ACTIONS)
    .map(default_action => ({ ...approval('a'), default_action }) as Request)
  const other = fc.string().filter(text => text !== 'YES')

  test('whatever the policy, whatever was said instead', () => {
    const subjects = fc.oneof(
      fc.tuple(request, other).map(([asked, parsed_choice]) => answered(asked, { parsed_choice })),
      request.map(asked => answered(asked, { parsed_payload: { text: 'YES' } })),
      fc
        .tuple(request, fc.constantFrom('defaulted', 'undelivered', 'withdrawn'))
        .map(([asked, outcome]) => ended(asked, outcome as 'defaulted')),
    )
    fc.assert(
      fc.property(policies, subjects, (policy, subject) => {
        expect(decide(subject, policy).decision).not.toBe('CONTINUE')
        expect([isApproved(subject), mayContinue(subject)]).toEqual([false, false])
      }),
      { numRuns: 500 },
    )
  })

  test('an open approval may not continue either; a question always may', () => {
    expect(mayContinue(opened(approval('a')))).toBe(false)
    expect(mayContinue(opened(question('q')))).toBe(true)
    expect(isApproved(answered(question('q'), { parsed_choice: 'YES' }))).toBe(false)
  })
})
