// How fast messages leave: about one a second to a chat, thirty in all; who must wait long keeps their turn.
import { TelegramError } from 'telegraf'
import { describe, expect, test } from 'vitest'
import { readFailure } from '../../adapters/telegram/failure.js'
import { LONGEST_WAIT_MS, Pace } from '../../adapters/telegram/pace.js'

const NOW = 1_000_000
const name = (index: number): string => `d-${index}`

describe('the pace', () => {
  test('the first message to each chat leaves at once, a burst of them thirty a second', () => {
    const pace = new Pace()
    const waits = Array.from({ length: 31 }, (_, index) => pace.turn(name(index), index, NOW))
    expect(waits[0]).toBe(0)
    expect(waits[30]).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...waits)).toBeLessThan(1_100)
  })

  test('to one chat they leave a second apart', () => {
    const pace = new Pace()
    expect([0, 1, 2].map(index => pace.turn(name(index), 5, NOW))).toEqual([0, 1_000, 2_000])
    expect(pace.turn('later', 5, NOW + 60_000)).toBe(0)
  })

  test('whoever must come back finds their turn kept, and is turned away once only', () => {
    const pace = new Pace()
    const first = Array.from({ length: 40 }, (_, index) => pace.turn(name(index), 5, NOW))
    const away = first.flatMap((wait, index) => (wait > LONGEST_WAIT_MS ? [{ index, wait }] : []))
    expect(away).toHaveLength(34)
    for (const { index, wait } of away) expect(pace.turn(name(index), 5, NOW + wait)).toBe(0)
  })

  test('while Telegram takes nothing nobody is sent', () => {
    const pace = new Pace()
    pace.hold(NOW, 9_000)
    expect(pace.turn('a', 1, NOW)).toBe(9_000)
    expect(pace.turn('b', 2, NOW + 8_000)).toBeGreaterThanOrEqual(1_000)
    expect(pace.turn('a', 1, NOW + 9_000)).toBe(0)
  })

  test('when Telegram takes messages again they do not all leave at once, whenever they came', () => {
    const pace = new Pace()
    const early = Array.from({ length: 200 }, (_, index) => pace.turn(name(index), index, NOW))
    const away = early.flatMap((wait, index) => (wait > LONGEST_WAIT_MS ? [index] : []))
    pace.hold(NOW, 30_000)
    const again = [...away, 1_000, 1_001].map(index => pace.turn(name(index), index, NOW + 1))
    expect(Math.min(...again)).toBeGreaterThanOrEqual(29_999)
    const leaving = [...new Set(again)].sort((one, other) => one - other)
    expect(leaving).toHaveLength(away.length + 2)
    for (const [index, wait] of leaving.slice(1).entries())
      expect(wait - (leaving[index] ?? 0)).toBeGreaterThanOrEqual(34)
  })
})

test.each<[unknown, number]>([
  [3, 3_000],
  [99_999_999, 3_600_000],
  [undefined, 1_000],
  [-5, 1_000],
  ['soon', 1_000],
  [null, 1_000],
])(
  'a 429 that says %j is believed for %i ms: no word of it stops the channel for good',
  (retry_after, ms) => {
    const said = { error_code: 429, description: 'Too Many Requests', parameters: { retry_after } }
    const error = new TelegramError(said as ConstructorParameters<typeof TelegramError>[0])
    expect(readFailure(error)).toEqual({ kind: 'limited', after_ms: ms })
  },
)
