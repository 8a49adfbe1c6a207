import { describe, expect, test } from 'vitest'
import { draw } from '../../src/token/chance.js'
import { Lately } from '../../src/token/lately.js'

describe('what was signed here lately', () => {
  test('is known by its hash: the last 8 192 at least, twice as many at most', () => {
    const lately = new Lately()
    for (let index = 0; index < 50_000; index++) {
      lately.add(`hash-${index}`)
      if (index % 1_000 > 0) continue
      expect(lately.has(`hash-${index}`)).toBe(true)
      if (index >= 8_191) expect(lately.has(`hash-${index - 8_191}`)).toBe(true)
      if (index >= 16_384) expect(lately.has(`hash-${index - 16_384}`)).toBe(false)
    }
  })
})

describe('chance', () => {
  test('no two draws are alike, whatever their sizes and across the blocks they come from', () => {
    const drawn = Array.from({ length: 2_000 }, (_, index) => draw(16 + (index % 50)))
    expect(new Set(drawn.map(bytes => bytes.subarray(0, 16).toString('hex'))).size).toBe(2_000)
    expect(drawn.map(bytes => bytes.length)).toEqual(drawn.map((_, index) => 16 + (index % 50)))
  })

  test('what was drawn is the holder’s own: changing it changes no later draw, and no later draw changes it', () => {
    const first = draw(32)
    const before = first.toString('hex')
    const second = draw(32)
    second.fill(0)
    expect(first.toString('hex')).toBe(before)
    expect(draw(32).every(byte => byte === 0)).toBe(false)
  })

  test('more than a block holds is drawn whole', () => {
    expect(
      draw(5_000)
        .subarray(-64)
        .every(byte => byte === 0),
    ).toBe(false)
  })
})
