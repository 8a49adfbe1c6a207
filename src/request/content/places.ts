// Places in a text, in code points as they are recorded, and in UTF-16 units as JavaScript counts.
import type { Range } from './cut.js'

const SURROGATE = /[\ud800-\udfff]/

export function countPoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let points = 0
  for (const _ of text) points += 1
  return points
}

export const inPoints = (text: string, ranges: readonly Range[]): readonly Range[] =>
  SURROGATE.test(text)
    ? ranges.map(([from, to]) => {
        const before = countPoints(text.slice(0, from))
        return [before, before + countPoints(text.slice(from, to))] as const
      })
    : ranges

/** The passages at these places, which are in code points. */
export function passagesOf(text: string, ranges: readonly Range[]): readonly string[] {
  if (!SURROGATE.test(text)) return ranges.map(([from, to]) => text.slice(from, to))
  const points = [...text]
  return ranges.map(([from, to]) => points.slice(from, to).join(''))
}
