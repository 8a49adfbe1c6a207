// A webhook is taken once, for as long as a copy of it would be believed; and the memory for that has a bound.
import { expect, test } from 'vitest'
import { Seen } from '../../src/adapter/seen.js'

test('a webhook is remembered for as long as a copy of it would be believed, and no longer', () => {
  const seen = new Seen()
  const claims = [seen.claim('a', 10, 0), seen.claim('a', 10, 10), seen.claim('a', 30, 11)]
  expect(claims).toEqual([true, false, true])
})

test('what was not taken after all may come again', () => {
  const seen = new Seen()
  seen.claim('a', 10, 0)
  seen.forget('a')
  expect(seen.claim('a', 10, 1)).toBe(true)
})

test('however many come within the time, the newest are known again and the oldest are forgotten', () => {
  const seen = new Seen(3)
  for (const once of ['a', 'b', 'c']) expect(seen.claim(once, 100, 0)).toBe(true)
  // One that is known takes no other's place.
  expect(seen.claim('a', 100, 1)).toBe(false)
  expect(seen.claim('d', 100, 2)).toBe(true)
  expect(['b', 'c', 'd'].map(once => seen.claim(once, 100, 3))).toEqual([false, false, false])
  expect(seen.claim('a', 100, 4)).toBe(true)
})

test('one that is remembered for long keeps none that has run out in the way of new ones', () => {
  const seen = new Seen(2)
  seen.claim('long', 1_000, 0)
  seen.claim('short', 10, 0)
  expect([seen.claim('short', 30, 11), seen.claim('long', 1_000, 11)]).toEqual([true, false])
})
