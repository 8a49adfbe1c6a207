import { describe, expect, test } from 'vitest'
import { EXIT, exitFor } from '../../src/cli/exit-code.js'
import type { ShownCase } from '../../src/client/case.js'
import { shownCase } from './samples.js'

const answered = (kind: string, parsed_choice: string | null): ShownCase =>
  shownCase({
    state: 'answered',
    request: { ...shownCase().request, reply_schema: { kind } } as ShownCase['request'],
    answer: {
      parsed_choice,
      parsed_payload: null,
      answered_by: 'operator',
      channel: 'web',
      proof: 'console',
      at: '2026-02-17T12:00:00.000Z',
    },
  })

describe('the exit code after --wait', () => {
  test('the numbers are the published ones', () => {
    const waited = { no: 10, defaulted: 20, undelivered: 21, withdrawn: 22 }
    expect(EXIT).toEqual({ ok: 0, error: 1, usage: 2, ...waited, unreachable: 69 })
  })

  test.each([
    ['yes_no', 'YES', 0],
    ['yes_no', 'NO', 10],
    ['choice', 'later', 0],
    ['choice', 'NO', 0],
    ['text', null, 0],
  ])('%s answered with %s exits %i', (kind, choice, code) => {
    expect(exitFor(answered(kind, choice))).toBe(code)
  })

  test.each([
    ['defaulted', 20],
    ['undelivered', 21],
    ['withdrawn', 22],
    ['pending', 1],
    ['partial', 1],
  ] as const)('%s exits %i', (state, code) => {
    expect(exitFor(shownCase({ state }))).toBe(code)
  })

  test.each(['yes', 'MAYBE', '', null])('a yes_no answer of %j is not a YES, and exits 1', choice => {
    expect(exitFor(answered('yes_no', choice))).toBe(1)
  })

  describe('a YES to an approval', () => {
    const approved = (decision: ShownCase['decision']): ShownCase => {
      const yes = answered('yes_no', 'YES')
      const request = { ...yes.request, type: 'REQUEST_APPROVAL' } as ShownCase['request']
      return { ...yes, request, ...(decision !== undefined && { decision }) }
    }
    test.each([
      ['that gives the right to act', { decision: 'CONTINUE', policy_token: 'eyJ' }, 0],
      ['that nobody has decided about yet', null, 0],
      ['from a lane without a director', undefined, 0],
      ['whose right is spent, taken back or over', { decision: 'CONTINUE' }, 1],
      ['of a run that does not go on', { decision: 'HALT' }, 1],
    ])('%s', (_, decision, code) => {
      expect(exitFor(approved(decision))).toBe(code)
    })
  })

  describe('a form', () => {
    const DECISIONS = [
      { id: 'd1', type: 'approval', prompt: 'Ship it', required: true },
      { id: 'd2', type: 'approval', prompt: 'Tell them', required: true },
      { id: 'd3', type: 'number', prompt: 'Which share', required: false },
    ]
    const form = (given: readonly object[] | null, more: object = {}, decisions = DECISIONS): ShownCase => {
      const base = answered('form', null)
      const reply_schema = { kind: 'form', decisions }
      return {
        ...base,
        request: { ...base.request, reply_schema, ...more } as unknown as ShownCase['request'],
        answer: base.answer && { ...base.answer, parsed_payload: given && { decisions: given } },
      }
    }
    const [yes1, yes2, no2] = [
      { decision_id: 'd1', approved: true },
      { decision_id: 'd2', approved: true },
      { decision_id: 'd2', approved: false },
    ]
    test.each([
      ['every approval given', [yes1, yes2], 0],
      ['one refusal', [yes1, no2], 10],
      ['an approval that nobody gave', [yes1], 1],
      ['one that says neither', [yes1, { decision_id: 'd2', approved: 'true' }], 1],
      ['another decision approved in its place', [yes1, { decision_id: 'd9', approved: true }], 1],
      ['nothing decided', [], 1],
      ['no decisions at all', null, 1],
    ])('%s', (_, given, code) => {
      expect(exitFor(form(given))).toBe(code)
    })
    test('without an approval exits 0 once it is answered', () => {
      const number = { decision_id: 'd3', value: 5 }
      expect(exitFor(form([number], {}, DECISIONS.slice(2)))).toBe(0)
    })
    test('of an approval exits 0 only with the right to act', () => {
      const whole = form([yes1, yes2], { type: 'REQUEST_APPROVAL' })
      expect(exitFor({ ...whole, decision: { decision: 'CONTINUE', policy_token: 'eyJ' } })).toBe(0)
      expect(exitFor({ ...whole, decision: { decision: 'CONTINUE' } })).toBe(1)
    })
  })

  test('a yes_no case that is answered without an answer exits 1', () => {
    expect(exitFor(shownCase({ state: 'answered', answer: null }))).toBe(1)
  })

  test('a state from a later version exits 1', () => {
    expect(exitFor({ ...shownCase(), state: 'delegated' as 'answered' })).toBe(1)
  })
})
