// ME1 of src/memo.ts.
import { expect, test } from 'vitest'
import { canonical } from '../src/canonical.js'
import { Memo } from '../src/memo.js'

test('what was found out about an object is told by it alone, and is spelt, copied and compared by nobody', () => {
  const found = new Memo<object, string>()
  const other = new Memo<object, string>()
  const one = { b: 1, a: [2] }
  expect(found.get(one)).toBe(undefined)
  found.set(one, 'known')
  found.set(one, 'known better')
  expect([found.get(one), other.get(one), found.get({ ...one })]).toEqual([
    'known better',
    undefined,
    undefined,
  ])
  expect(canonical(one)).toBe('{"a":[2],"b":1}')
  expect(JSON.stringify(one)).toBe('{"b":1,"a":[2]}')
  expect(one).toStrictEqual({ b: 1, a: [2] })
})

test('an object made by another has nothing known of it', () => {
  const found = new Memo<readonly number[], string>()
  const list = [1, 2]
  found.set(list, 'known')
  expect([list.slice(), list.map(one => one), [...list]].map(copy => found.get(copy))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
