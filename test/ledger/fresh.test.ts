// Places on their way to a late index (src/ledger/sqlite/fresh.ts), held against a map of lists.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fresh } from '../../src/ledger/sqlite/fresh.js'

/** As far as 48 bits go; and beginnings whose last bits are the same, which lie behind each other. */
const beginning = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  fc.integer({ min: 0, max: 2 ** 20 - 1 }).map(high => high * 2 ** 28 + 7),
  fc.integer({ min: 0, max: 5 }),
)

const rowsOf = (fresh: Fresh, one: number): number[] => {
  const rows: number[] = []
  fresh.each(one, row => rows.push(row))
  return rows.sort((these, those) => these - those)
}

test('every row is found by its beginning and by no other, however many share its last bits', () => {
  fc.assert(
    fc.property(
      fc.array(beginning, { maxLength: 3_000, size: 'max' }),
      fc.array(beginning),
      (added, others) => {
        const fresh = new Fresh()
        const rows = new Map<number, number[]>()
        for (const [row, one] of added.entries()) {
          fresh.add(one, row)
          rows.set(one, [...(rows.get(one) ?? []), row])
        }
        expect(fresh.size).toBe(added.length)
        for (const one of [...added, ...others]) expect(rowsOf(fresh, one)).toEqual(rows.get(one) ?? [])
      },
    ),
    { numRuns: 20 },
  )
})

test('all places come out once, in the order of their beginnings', () => {
  fc.assert(
    fc.property(fc.array(beginning, { maxLength: 3_000, size: 'max' }), added => {
      const fresh = new Fresh()
      for (const [row, one] of added.entries()) fresh.add(one, row)
      const places = [...fresh.inOrder()]
      const beginnings = places.filter((_, at) => at % 2 === 0)
      expect(beginnings).toEqual([...added].sort((these, those) => these - those))
      const told = beginnings.map((one, at) => [one, places[2 * at + 1]] as const)
      for (const [one, row] of told) expect(added[row as number]).toBe(one)
      expect(new Set(told.map(([, row]) => row)).size).toBe(added.length)
    }),
    { numRuns: 20 },
  )
})
