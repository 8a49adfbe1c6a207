// Cut text is never longer than it may be, says that it was cut, and holds whole characters only.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutToCharacters, cutToUnits } from '../../src/adapter/cut.js'

const texts = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ' '), maxLength: 40 })
const most = fc.integer({ min: 3, max: 20 })
const points = (text: string): number => [...text].length
const units = (text: string): number => text.length

describe.each([
  ['characters', cutToCharacters, points, '…'],
  [
    'characters, with another mark',
    (text: string, n: number) => cutToCharacters(text, n, '..'),
    points,
    '..',
  ],
  ['UTF-16 units', cutToUnits, units, '…'],
])('to so many %s', (_unit, cut, count, mark) => {
  test('a text that fits stays as it is', () => {
    fc.assert(
      fc.property(texts, text => {
        expect(cut(text, Math.max(count(text), 3))).toBe(text)
      }),
    )
  })

  test('a text that does not is its own beginning, whole characters, and the mark', () => {
    fc.assert(
      fc.property(texts, most, (text, n) => {
        fc.pre(count(text) > n)
        const short = cut(text, n)
        const kept = short.slice(0, -mark.length)
        expect([short.endsWith(mark), text.startsWith(kept)]).toEqual([true, true])
        expect(short).not.toMatch(/\p{Surrogate}/u)
        // At most one place is left empty: the half of a character that does not fit.
        expect([n, n - 1]).toContain(count(short))
      }),
    )
  })
})
