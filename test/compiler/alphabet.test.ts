// The alphabet of text: the table in the source, the published list and the engine's Unicode say the same.
import { describe, expect, it } from 'vitest'
import { CURRENCY, DIGIT, kindOf, LETTER, MARK, OTHER } from '../../src/compiler/alphabet.js'
import { CLASSES } from './oracle.js'
import { linesOf } from './vector-files.js'

const NAMES = [
  [LETTER, 'letter', /\p{L}/u],
  [MARK, 'mark', /\p{M}/u],
  [DIGIT, 'digit', /\p{Nd}/u],
  [CURRENCY, 'currency', /\p{Sc}/u],
] as const
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u
const LAST = 0x10ffff

const everyCodePoint = function* (): Generator<number> {
  for (let codePoint = 0; codePoint <= LAST; codePoint += 1) yield codePoint
}

describe('the alphabet', () => {
  it('is, code point for code point, the published list', () => {
    const listed = new Map<number, string>()
    for (const line of linesOf('text-allowed.txt').filter(it => it !== '' && !it.startsWith('#'))) {
      const [range = '', name = ''] = line.split(' ')
      const [from = 0, to = 0] = range.split('..').map(hex => Number.parseInt(hex, 16))
      for (let codePoint = from; codePoint <= to; codePoint += 1) listed.set(codePoint, name)
    }
    const nameOf = new Map<number, string>(NAMES.map(([kind, name]) => [kind, name]))
    const parted = [...everyCodePoint()].filter(it => nameOf.get(kindOf(it)) !== listed.get(it))
    expect(parted).toEqual([])
    expect(listed.size).toBeGreaterThan(130_000)
  })

  it('holds nothing that this engine does not class the same, and nothing ignorable', () => {
    for (const [kind, name, property] of NAMES) {
      const wrong = [...everyCodePoint()].filter(codePoint => {
        const character = String.fromCodePoint(codePoint)
        return kindOf(codePoint) === kind && (!property.test(character) || IGNORABLE.test(character))
      })
      expect(wrong, name).toEqual([])
    }
  })

  it('leaves out only ignorable ones and those that Unicode added after 14.0', () => {
    const left = [...everyCodePoint()].filter(codePoint => {
      const character = String.fromCodePoint(codePoint)
      return (
        kindOf(codePoint) === OTHER &&
        !IGNORABLE.test(character) &&
        /[\p{L}\p{M}\p{Nd}\p{Sc}]/u.test(character)
      )
    })
    // Up to Unicode 14.0 the blocks of the everyday scripts were complete; nothing of theirs is missing.
    const everyday = left.filter(
      codePoint => codePoint < 0x870 || (codePoint >= 0x3041 && codePoint <= 0x9fff),
    )
    expect(everyday).toEqual([])
    expect(left.length).toBeLessThan(30_000)
  })

  it('four marks on a letter never need more than sixteen before NFC', () => {
    const marksIn = (text: string): number => Array.from(text).filter(it => /\p{M}/u.test(it)).length
    const most = (kind: number): number =>
      Math.max(
        ...[...everyCodePoint()]
          .filter(it => kindOf(it) === kind)
          .map(it => String.fromCodePoint(it))
          .filter(it => it.normalize('NFC') === it && it.normalize('NFD') !== it)
          .map(it => marksIn(it.normalize('NFD'))),
      )
    expect(most(LETTER) + 4 * most(MARK)).toBeLessThanOrEqual(16)
  })

  it('the oracle reads the same classes', () => {
    expect(CLASSES.letter?.has(0x41)).toBe(true)
    expect(CLASSES.letter?.has(0x3164)).toBe(false)
    expect(CLASSES.mark?.has(0xfe0f)).toBe(false)
  })
})
