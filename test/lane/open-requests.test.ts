import { describe, expect, test } from 'vitest'
import { COUNT_AGAIN_MS, OpenRequests } from '../../src/lane/open-requests.js'

describe('open requests', () => {
  function start(atMost: number) {
    const state = { open: 0, counts: 0, now: 1_000 }
    const count = async (_key: string, most: number): Promise<number> => {
      state.counts++
      return Math.min(state.open, most)
    }
    return { state, bound: new OpenRequests(count, atMost, () => state.now) }
  }
  const many = (bound: OpenRequests, n: number): Promise<boolean[]> =>
    Promise.all(Array.from({ length: n }, () => bound.admit('a')))

  test('a key has no more than allowed, however many it asks for at once', async () => {
    const { bound } = start(5)
    expect((await many(bound, 20)).filter(Boolean)).toHaveLength(5)
    expect(await bound.admit('b')).toBe(true)
  })

  test('they are not counted for each opening, and not more than once a second where there is no room', async () => {
    const { state, bound } = start(100)
    await many(bound, 100)
    expect(state.counts).toBe(1)
    state.open = 100
    await many(bound, 50)
    state.now += COUNT_AGAIN_MS
    expect(await many(bound, 50)).not.toContain(true)
    expect(state.counts).toBe(2)
  })

  test('what was resolved makes room at the next count', async () => {
    const { state, bound } = start(3)
    state.open = 3
    expect(await bound.admit('a')).toBe(false)
    state.open = 1
    expect(await bound.admit('a')).toBe(false)
    state.now += COUNT_AGAIN_MS
    expect((await many(bound, 5)).filter(Boolean)).toHaveLength(2)
  })

  test('a count that fails is made again by whoever comes next', async () => {
    let broken = true
    const bound = new OpenRequests(
      async () => {
        if (broken) throw new Error('away')
        return 0
      },
      1,
      () => 0,
    )
    await expect(bound.admit('a')).rejects.toThrow('away')
    broken = false
    expect(await bound.admit('a')).toBe(true)
  })

  test('0 is no limit, and nothing is counted', async () => {
    const { state, bound } = start(0)
    expect(await many(bound, 1_000)).not.toContain(false)
    expect(state.counts).toBe(0)
  })
})
