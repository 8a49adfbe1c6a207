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

/** Microseconds of this process to take so many in and give them out, the least of some tries. */
function cost(beginnings: readonly number[]): number {
  const tries = [1, 2, 3].map(() => {
    const started = process.cpuUsage()
    const fresh = new Fresh()
    for (const [row, one] of beginnings.entries()) fresh.add(one, row)
    fresh.inOrder()
    const { user, system } = process.cpuUsage(started)
    return user + system
  })
  return Math.min(...tries)
}

test('SI3 places whose beginnings somebody has chosen by trying, all with the same last bits, cost no more than others', () => {
  const MANY = 32_768
  const chance = Array.from({ length: MANY }, (_, row) => (row * 0x9e3779b97f4b) % 2 ** 48)
  for (const bits of [16, 20, 24]) {
    const chosen = chance.map(one => one - (one % 2 ** bits) + 7)
    expect(cost(chosen)).toBeLessThan(10 * cost(chance))
  }
})
