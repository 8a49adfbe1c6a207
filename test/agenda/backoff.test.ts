import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryAt } from '../../src/agenda/backoff.js'

const waits = (attempt: number): number[] =>
  Array.from({ length: 500 }, (_, index) => retryAt(`d-${index}`, attempt, 0))

describe('when a failed attempt is repeated', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [8, 128_000],
    [9, 256_000],
    [10, 300_000],
    [50, 300_000],
    [5_000, 300_000],
  ])('after attempt %i: within a fifth of %i ms, and spread over most of that', (attempt, plain) => {
    const all = waits(attempt)
    expect(Math.min(...all)).toBeGreaterThanOrEqual(plain * 0.8)
    expect(Math.max(...all)).toBeLessThanOrEqual(Math.ceil(plain * 1.2))
    expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(plain * 0.3)
  })

  test('the same delivery and attempt give the same moment: the agenda knows no chance', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 100 }), fc.nat({ max: 4e12 }), (id, attempt, at) => {
        expect(retryAt(id, attempt, at)).toBe(retryAt(id, attempt, at))
        expect(Number.isInteger(retryAt(id, attempt, at))).toBe(true)
        expect(retryAt(id, attempt, at) - at).toBe(retryAt(id, attempt, 0))
      }),
    )
  })

  test('a provider that says how long to wait is obeyed, and never shortens the wait', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat({ max: 1e7 }), (attempt, wait) => {
        const own = retryAt('d', attempt, 0)
        expect(retryAt('d', attempt, 0, wait)).toBe(Math.max(own, wait))
      }),
    )
  })
})
