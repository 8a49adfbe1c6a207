// LC1–LC4 of the ledger's clock.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LedgerClock } from '../../src/ledger/clock.js'
import { START, StageClock } from '../lane/stage.js'

const HOUR = 3_600_000
function start(lastEntry = 0) {
  const wall = new StageClock()
  return { wall, clock: new LedgerClock(wall, lastEntry) }
}
const change = (clock: LedgerClock) => clock.read().change?.state ?? null

describe('LC1: time never goes back', () => {
  test('a reading is never before an earlier one, whatever the wall does', () => {
    const step = fc.record({
      passes: fc.oneof(fc.nat({ max: 100_000 }), fc.double({ min: 0, max: 10, noNaN: true })),
      jumps: fc.oneof(fc.constant(0), fc.integer({ min: -10 * HOUR, max: 10 * HOUR })),
    })
    fc.assert(
      fc.property(fc.array(step), steps => {
        const { wall, clock } = start()
        let last = clock.read().ms
        for (const { passes, jumps } of steps) {
          wall.pass(passes)
          wall.jump(jumps)
          const peeked = clock.peek()
          expect(peeked).toBeGreaterThanOrEqual(last)
          const { ms, suspect } = clock.read()
          expect(ms).toBeGreaterThanOrEqual(peeked)
          expect(Number.isInteger(ms)).toBe(true)
          expect(clock.suspect).toBe(suspect)
          last = ms
        }
      }),
    )
  })

  test('a reopened ledger goes on from its last entry, though the wall is an hour behind it', () => {
    const { wall, clock } = start(START + HOUR)
    expect(clock.peek()).toBe(START + HOUR)
    wall.pass(10)
    expect(clock.read().ms).toBe(START + HOUR + 10)
  })

  test('a fresh one starts with the wall', () => {
    expect(start().clock.read()).toEqual({ ms: START, suspect: false, change: null })
  })

  test('drift below a minute is followed forwards and waited out backwards', () => {
    const { wall, clock } = start()
    wall.jump(60_000)
    expect(clock.read()).toEqual({ ms: START + 60_000, suspect: false, change: null })
    wall.jump(-60_000)
    expect(clock.read()).toEqual({ ms: START + 60_000, suspect: false, change: null })
    wall.pass(5)
    expect(clock.read().ms).toBe(START + 60_005)
  })
})

describe('LC2: a jump is noticed instead of believed', () => {
  test.each([60_001, HOUR, 30 * 24 * HOUR, -60_001, -HOUR])('of %i ms', jump => {
    const { wall, clock } = start()
    wall.jump(jump)
    expect(clock.read()).toEqual({
      ms: START,
      suspect: true,
      change: {
        state: 'suspected',
        wall: new Date(START + jump).toISOString(),
        expected: new Date(START).toISOString(),
      },
    })
    wall.pass(1_000)
    expect(clock.read()).toEqual({ ms: START + 1_000, suspect: true, change: null })
  })
})

describe('LC3: a second reading that agrees, half a minute later, confirms it', () => {
  test('forwards: the ledger takes the new time over', () => {
    const { wall, clock } = start()
    wall.jump(HOUR)
    clock.read()
    wall.pass(29_999)
    expect(clock.read()).toMatchObject({ suspect: true, change: null })
    wall.pass(1)
    expect(clock.read()).toMatchObject({
      ms: START + HOUR + 30_000,
      suspect: false,
      change: { state: 'confirmed' },
    })
  })

  test('backwards: the ledger goes on as before, and the wall stays believed at its distance', () => {
    const { wall, clock } = start()
    wall.jump(-HOUR)
    clock.read()
    wall.pass(30_000)
    expect(clock.read()).toMatchObject({
      ms: START + 30_000,
      suspect: false,
      change: { state: 'confirmed' },
    })
    for (let minute = 0; minute < 10; minute++) {
      wall.pass(60_000)
      expect(clock.read()).toMatchObject({ suspect: false, change: null })
    }
    expect(clock.read().ms).toBe(START + 630_000)
  })

  test('not one that disagrees: the wait starts again', () => {
    const { wall, clock } = start()
    wall.jump(HOUR)
    clock.read()
    wall.pass(30_000)
    wall.jump(HOUR)
    expect(clock.read()).toMatchObject({ ms: START + 30_000, suspect: true, change: null })
    wall.pass(29_999)
    expect(clock.read().suspect).toBe(true)
    wall.pass(1)
    expect(clock.read()).toMatchObject({ ms: START + 2 * HOUR + 60_000, change: { state: 'confirmed' } })
  })

  test('a second jump after a confirmed one is suspected anew', () => {
    const { wall, clock } = start()
    for (const jump of [HOUR, 2 * HOUR, -5 * HOUR]) {
      wall.jump(jump)
      expect(change(clock)).toBe('suspected')
      wall.pass(30_000)
      expect(change(clock)).toBe('confirmed')
    }
  })
})

describe('LC4: a wall that returns clears the suspicion', () => {
  test.each([HOUR, -HOUR])('after a jump of %i ms', jump => {
    const { wall, clock } = start()
    wall.jump(jump)
    clock.read()
    wall.pass(10_000)
    wall.jump(-jump)
    expect(clock.read()).toMatchObject({ ms: START + 10_000, suspect: false, change: { state: 'cleared' } })
    expect(clock.read()).toMatchObject({ suspect: false, change: null })
  })
})
