// Every rule of a form as it is submitted, broken once: refused by its field, with what would have been taken.
import { describe, expect, it } from 'vitest'
import { parseSubmission } from '../../src/request/parse.js'
import { approval, POLICY, question, submit } from './samples.js'

const decision = { id: 'd1', type: 'approval', prompt: 'Ship the release', required: true }
const options = [
  { value: 'all', label: 'Everybody' },
  { value: 'few', label: 'A few' },
]
const choice = { ...decision, id: 'd2', type: 'choice', options }

const formOf = (decisions: readonly unknown[], more: object = {}) => ({ kind: 'form', decisions, ...more })

function judge(reply_schema: unknown, request: object = question): string {
  const parsed = parseSubmission(submit({ ...request, reply_schema }), POLICY)
  if (parsed.ok) return 'taken'
  return parsed.errors
    .map(({ field, accepted }) => `${field.replace('/request/reply_schema', '')}: ${accepted}`)
    .join('\n')
}
const judgeOne = (more: object, base: object = decision) => judge(formOf([{ ...base, ...more }]))

describe('a form is taken', () => {
  it.each([
    ['with one decision', formOf([decision])],
    ['with fifty', formOf(Array.from({ length: 50 }, (_, at) => ({ ...decision, id: `d${at}` })))],
    [
      'with everything beside them',
      formOf([decision, choice], {
        context: 'First line.\n\nThird line.',
        blocking: [
          { task_id: 'TASK-1', description: 'the rollout' },
          { artifact_id: 'a1', description: 'notes' },
        ],
      }),
    ],
    ['with a reason for a NO', formOf([{ ...decision, reason: { when: 'on_no', max_chars: 100 } }])],
    ['with descriptions of several lines', formOf([{ ...choice, description: 'One.\nTwo.' }])],
    [
      'with a pattern',
      formOf([
        {
          ...decision,
          type: 'text',
          constraints: { min: 2, max: 9, pattern: '^[A-Z]+-[0-9]{1,4}$' },
          default: 'AB-12',
        },
      ]),
    ],
    [
      'with a number and its bounds',
      formOf([{ ...decision, type: 'number', constraints: { min: -1.5 }, default: 2 }]),
    ],
    [
      'with several options to choose',
      formOf([{ ...choice, type: 'multi_choice', constraints: { min: 2, max: 2 }, default: ['few', 'all'] }]),
    ],
    ['with a date', formOf([{ ...decision, type: 'date', default: '2026-02-17' }])],
  ])('%s', (_, schema) => {
    expect(judge(schema)).toBe('taken')
  })

  it('in an approval that holds a required one', () => {
    expect(judge(formOf([decision, choice]), approval)).toBe('taken')
  })
})

describe('a form is refused, by name', () => {
  it.each([
    ['without a decision', formOf([]), '/decisions: 1 to 50 decisions'],
    [
      'with 51',
      formOf(Array.from({ length: 51 }, (_, at) => ({ ...decision, id: `d${at}` }))),
      '/decisions: 1 to 50',
    ],
    ['with an id twice', formOf([decision, { ...choice, id: 'D1' }]), '/decisions/1/id: an id no other'],
    [
      'with empty lines that push what follows out of sight',
      formOf([decision], { context: `Fine.${'\n'.repeat(1900)}It wipes the disk.` }),
      '/context: ',
    ],
    ['with empty lines before all else', formOf([decision], { context: '\n\nFine.' }), '/context: '],
    ['with a context of nothing', formOf([decision], { context: ' \n ' }), '/context: '],
    [
      'with a context that reorders letters',
      formOf([decision], { context: 'a\nb\u202ec' }),
      '/context: 1 to 2000 visible characters, lines ended by LF; character 4 is U+202E',
    ],
    ['with a context that is too long', formOf([decision], { context: 'x'.repeat(2001) }), '/context: '],
    [
      'with 51 that wait',
      formOf([decision], { blocking: Array.from({ length: 51 }, () => ({ description: 'x' })) }),
      '/blocking: at most 50',
    ],
    ['with an unknown field', formOf([decision], { title: 'x' }), '/title: no such field'],
    [
      'with too many bytes',
      formOf(
        Array.from({ length: 50 }, (_, at) => ({
          ...decision,
          id: `d${at}`,
          description: '\u{20000}'.repeat(2000),
        })),
      ),
      ': a request of at most 65536 bytes',
    ],
  ])('%s', (_, schema, error) => {
    expect(judge(schema)).toContain(error)
  })

  it.each([
    ['an id that begins with a digit', { id: '1d' }, '/decisions/0/id: 1 to 32 of'],
    ['an id that would hand the request on', { id: 'Delegate-1' }, '/decisions/0/id: '],
    ['an id of 33 letters', { id: 'x'.repeat(33) }, '/decisions/0/id: '],
    ['an unknown type', { type: 'vote' }, '/decisions/0/type: a decision whose type'],
    ['no word whether it is required', { required: undefined }, '/decisions/0/required: '],
    ['a prompt of two lines', { prompt: 'a\nb' }, '/decisions/0/prompt: '],
    ['constraints on an approval', { constraints: { min: 1 } }, '/decisions/0/constraints: no such field'],
    ['a default that is no truth', { default: 'YES' }, '/decisions/0/default: true or false'],
  ])('%s', (_, more, error) => {
    expect(judgeOne(more)).toContain(error)
  })

  it.each([
    ['no options', { options: undefined }, '/decisions/0/options: 2 to 26 options'],
    ['one option', { options: options.slice(1) }, '/decisions/0/options: 2 to 26'],
    [
      'a default outside its options',
      { default: 'none' },
      '/decisions/0/default: a value that would itself be an answer',
    ],
    ['a default by its letter', { default: 'A' }, '/decisions/0/default: '],
    [
      'a reason that only a NO can be asked for',
      { reason: { when: 'on_no', max_chars: 5 } },
      '/decisions/0/reason/when: optional',
    ],
    [
      'an option that would hand the request on',
      { options: [{ value: 'delegate', label: 'x' }, ...options] },
      '/decisions/0/options/0/value: ',
    ],
  ])('a choice with %s', (_, more, error) => {
    expect(judgeOne(more, choice)).toContain(error)
  })

  it.each([
    ['more than there are', { constraints: { max: 3 } }, '/decisions/0/constraints/max: '],
    ['a least above the most', { constraints: { min: 2, max: 1 } }, '/decisions/0/constraints/max: '],
    ['a default of too few', { constraints: { min: 2 }, default: ['all'] }, '/decisions/0/default: '],
  ])('a multi_choice with %s', (_, more, error) => {
    expect(judgeOne(more, { ...choice, type: 'multi_choice' })).toContain(error)
  })

  it.each([
    ['that is no expression', '(a'],
    ['that looks behind', '(?<=a)b'],
    ['that refers back', '(a)\\1'],
    ['of 201 characters', 'x'.repeat(201)],
    ['of too many instructions', '(a{50}){6}'],
    ['that would be a program for ever', '((((a{30}){30}){30}){30})'],
    ['that cannot be seen', 'a\u200b'],
    ['of nothing', ''],
  ])('a text with a pattern %s', (_, pattern) => {
    expect(judgeOne({ type: 'text', constraints: { pattern } })).toContain(
      '/decisions/0/constraints/pattern: a regular expression in RE2 syntax',
    )
  })

  it('a text whose default does not fit its pattern', () => {
    expect(judgeOne({ type: 'text', constraints: { pattern: '^[0-9]+$' }, default: 'x' })).toContain(
      '/decisions/0/default: ',
    )
  })

  it('an approval whose form approves nothing', () => {
    expect(judge(formOf([choice]), approval)).toContain('/decisions: at least one decision of type approval')
  })

  it('an approval whose form lets an approval be left out', () => {
    expect(judge(formOf([decision, { ...decision, id: 'd3', required: false }]), approval)).toContain(
      '/decisions/1/required: true',
    )
  })
})

describe('under rules 1', () => {
  it.each([formOf([decision]), { kind: 'yes_no', reason: { when: 'optional', max_chars: 5 } }])(
    '%j is nothing',
    schema => {
      const parsed = parseSubmission(submit({ ...question, reply_schema: schema }), POLICY, '1')
      expect(parsed).toMatchObject({ ok: false, code: 'invalid_request' })
    },
  )
})
