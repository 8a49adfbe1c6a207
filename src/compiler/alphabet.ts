// The code points that text is made of, and the class of each. Pinned to Unicode 14.0 by table: the engine's own
// \p{…} classes grow with every release of Node, and a stored reply must compile to the same answer years later.
import { RANGES } from './alphabet-table.js'

export const OTHER = 0
export const LETTER = 1
export const MARK = 2
export const DIGIT = 3
export const CURRENCY = 4
const CLASSES = ' LMDC'

type Range = { readonly start: number; readonly end: number; readonly kind: number }

function rangesOf(table: string): Range[] {
  const ranges: Range[] = []
  let from = 0
  for (const [, gap, letter, more] of table.matchAll(/([0-9a-z]*)([A-Z])([0-9a-z]*)/g)) {
    const start = from + count(gap)
    from = start + count(more) + 1
    ranges.push({ start, end: from, kind: CLASSES.indexOf(letter ?? '') })
  }
  return ranges
}

const count = (base36: string | undefined): number => (base36 ? Number.parseInt(base36, 36) : 0)

/** One byte per code point up to the last listed one: 200 kB for a lookup without a search. */
const KINDS = spread(rangesOf(RANGES))

function spread(ranges: readonly Range[]): Uint8Array {
  const kinds = new Uint8Array(ranges.at(-1)?.end ?? 0)
  for (const { start, end, kind } of ranges) kinds.fill(kind, start, end)
  return kinds
}

export const kindOf = (codePoint: number): number => KINDS[codePoint] ?? OTHER
