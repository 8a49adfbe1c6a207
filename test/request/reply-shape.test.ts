import { describe, expect, it } from 'vitest'
import { parseSubmission } from '../../src/request/parse.js'
import { approval, POLICY, question, submit } from './samples.js'

function judge(reply_schema: unknown, request: object = question): string {
  const parsed = parseSubmission(submit({ ...request, reply_schema }), POLICY)
  if (parsed.ok) return 'accepted'
  return parsed.errors
    .map(error => `${error.field.replace('/request/reply_schema', '')}: ${error.accepted}`)
    .join('\n')
}
const options = (...values: string[]) => values.map(value => ({ value, label: `Option ${value}` }))
const lettered = (count: number) => options(...Array.from({ length: count }, (_, i) => `opt${i}`))

describe('a schema without its bound is refused', () => {
  it.each([
    ['choice without options', { kind: 'choice' }, '/options'],
    ['multi_choice without options', { kind: 'multi_choice', min: 1, max: 1 }, '/options'],
    ['multi_choice without max', { kind: 'multi_choice', options: options('x', 'y'), min: 1 }, '/max'],
    ['text without max_chars', { kind: 'text' }, '/max_chars'],
    ['text with no bound that holds', { kind: 'text', max_chars: 501 }, '/max_chars'],
    ['number without max', { kind: 'number', min: 0 }, '/max'],
    ['number without min', { kind: 'number', max: 1 }, '/min'],
  ])('[LANE-027] %s', (_, schema, field) => {
    expect(judge(schema)).toMatch(new RegExp(`^${field}: `))
  })

  it.each([undefined, null, 'yes_no', [], {}, { kind: 'prose' }, { kind: 'YES_NO' }])(
    '[LANE-027] %j is no schema, and the kinds are listed',
    schema => {
      expect(judge(schema)).toContain('one of yes_no, choice, multi_choice, text, number, date')
    },
  )

  it('a field of another kind is unknown', () => {
    expect(judge({ kind: 'yes_no', max_chars: 5 })).toBe(
      '/max_chars: no such field: this reply_schema has only kind, reason',
    )
  })
})

describe('options cannot be confused', () => {
  const choice = (list: unknown) => judge({ kind: 'choice', options: list })

  it.each([2, 26])('%i options are accepted', count => {
    expect(choice(lettered(count))).toBe('accepted')
  })
  it.each([0, 1, 27])('%i options are refused', count => {
    expect(choice(lettered(count))).toBe('/options: 2 to 26 options, each { value, label }')
  })

  it("an option's own letter may be its value, another's may not", () => {
    expect(choice(options('A', 'b'))).toBe('accepted')
    expect(choice(options('keep', 'a'))).toBe('/options/1/value: a value that is not the letter of option 1')
    expect(choice(options('B', 'keep'))).toBe('/options/0/value: a value that is not the letter of option 2')
  })
  it('a letter that no option has may be a value', () => {
    expect(choice(options('C', 'Z'))).toBe('accepted')
  })
  it('values that differ in case only are one value', () => {
    expect(choice(options('Keep', 'kEEP'))).toBe(
      '/options/1/value: a value no other option has, upper and lower case alike',
    )
  })
  it.each(['', '-x', 'a b', '\u017f', '\u212a', 'a'.repeat(33), 5])('value %j is refused', value => {
    expect(choice([{ value, label: 'One' }, ...options('other')])).toMatch(/^\/options\/0\/value: 1 to 32 of/)
  })
  it('a label of 75 characters is accepted, of 76 refused', () => {
    const labelled = (label: string) => choice([{ value: 'one', label }, ...options('two')])
    expect(labelled('é'.repeat(75))).toBe('accepted')
    expect(labelled('é'.repeat(76))).toMatch(/^\/options\/0\/label: .*this has 76$/)
  })
  it('an option has a value and a label and nothing else', () => {
    expect(choice([{ value: 'one', label: 'One', url: 'x' }, ...options('two')])).toBe(
      '/options/0/url: no such field: an option has only value, label',
    )
  })
})

describe('bounds can be met', () => {
  const multi = (min: unknown, max: unknown) =>
    judge({ kind: 'multi_choice', options: options('x', 'y', 'z'), min, max })
  it.each([
    [1, 1],
    [1, 3],
    [3, 3],
  ])('multi_choice of %i to %i is accepted', (min, max) => {
    expect(multi(min, max)).toBe('accepted')
  })
  it.each([
    [0, 2, '/min'],
    [2, 1, '/min'],
    [1, 4, '/max'],
    [1.5, 2, '/min'],
    ['1', 2, '/min'],
  ])('multi_choice of %j to %j is refused', (min, max, field) => {
    expect(multi(min, max)).toBe(`${field}: an integer, 1 ≤ min ≤ max ≤ the number of options`)
  })

  it.each([1, 500])('text of %i is accepted', max_chars => {
    expect(judge({ kind: 'text', max_chars })).toBe('accepted')
  })
  it.each([0, -1, 1.5, '5', null])('text of %j is refused', max_chars => {
    expect(judge({ kind: 'text', max_chars })).toMatch(/^\/max_chars: an integer from 1 to 500/)
  })

  it.each([
    { min: 0, max: 0 },
    { min: -5.5, max: 5.5, step: 0.5 },
    { min: 0, max: 999_999_999_999_999, unit: 'chips', lead: 'max spend' },
    { min: 0.000001, max: 1, unit: 'GB-hours' },
  ])('number %j is accepted', bounds => {
    expect(judge({ kind: 'number', ...bounds })).toBe('accepted')
  })
  it.each([
    [{ min: 2, max: 1 }, '/max: a number that is not below min'],
    [{ min: 0, max: 1e15 }, '/max: a number of at most 15 digits'],
    [{ min: 0.0000001, max: 1 }, '/min: a number of at most 15 digits'],
    [{ min: 0, max: Number.POSITIVE_INFINITY }, '/max: a number of at most 15 digits'],
    [{ min: '0', max: 1 }, '/min: a number of at most 15 digits'],
    [{ min: 0, max: 1, step: 0 }, '/step: a number of at most 15 digits'],
    [{ min: 0, max: 1, step: -1 }, '/step: a number of at most 15 digits'],
    [{ min: 0, max: 1, unit: '' }, '/unit: ASCII words'],
    [{ min: 0, max: 1, unit: '€' }, '/unit: ASCII words'],
    [{ min: 0, max: 1, unit: '€'.repeat(40) }, '/unit: ASCII words'],
    [{ min: 0, max: 1, unit: '5' }, '/unit: ASCII words'],
    [{ min: 0, max: 1, unit: 'a  b' }, '/unit: ASCII words'],
    [{ min: 0, max: 1, lead: ' spend' }, '/lead: ASCII words'],
    [{ min: 0, max: 1, lead: 'a'.repeat(33) }, '/lead: ASCII words'],
  ])('number %j is refused', (bounds, error) => {
    expect(judge({ kind: 'number', ...bounds })).toContain(error)
    expect(judge({ kind: 'number', ...bounds })).not.toContain('\n')
  })

  it.each([
    {},
    { min: '2026-02-17' },
    { min: '2026-02-17', max: '2026-02-17T00:00:00Z' },
    { min: '2024-02-29', max: '2024-02-29' },
    { min: '2026-02-17T10:00:00Z', max: '2026-02-17T10:00:00.5+00:00' },
    { min: '2026-02-17T10:00:00+02:00', max: '2026-02-17T09:00:00Z' },
  ])('date %j is accepted', bounds => {
    expect(judge({ kind: 'date', ...bounds })).toBe('accepted')
  })
  it.each([
    [{ min: '2026-02-30' }, '/min: a day such as'],
    [{ min: '2025-02-29' }, '/min: a day such as'],
    [{ min: '2100-02-29' }, '/min: a day such as'],
    [{ max: '2026-13-01' }, '/max: a day such as'],
    [{ max: '2026-2-1' }, '/max: a day such as'],
    [{ max: '2026-02-17T10:00:00' }, '/max: a day such as'],
    [{ max: '2026-02-17T24:00:00Z' }, '/max: a day such as'],
    [{ max: '2026-06-30T23:59:60Z' }, '/max: a day such as'],
    [{ min: 20260217 }, '/min: a day such as'],
    [{ min: '2026-02-18', max: '2026-02-17' }, '/max: a date that is not before min'],
    [
      { min: '2026-02-17T10:00:00Z', max: '2026-02-17T11:00:00+02:00' },
      '/max: a date that is not before min',
    ],
    [{ min: '2026-02-18', max: '2026-02-17T23:59:59Z' }, '/max: a date that is not before min'],
  ])('date %j is refused', (bounds, error) => {
    expect(judge({ kind: 'date', ...bounds })).toContain(error)
  })
})

describe('an approval is answered YES or NO', () => {
  it.each([
    { kind: 'text', max_chars: 10 },
    { kind: 'choice', options: options('go', 'stop') },
    { kind: 'number', min: 0, max: 1 },
  ])('%j is refused', schema => {
    expect(judge(schema, approval)).toContain(
      '/kind: yes_no, or a form that holds an approval: an approval is answered YES or NO',
    )
  })
})
