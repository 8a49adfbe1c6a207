// Places in a text, in code points as they are recorded, and in UTF-16 units as JavaScript counts.
import type { Range } from './cut.js'

const SURROGATE = /[\ud800-\udfff]/

export function countPoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let points = text.length
  for (let at = 0; at < text.length; at++) if (isHigh(text.charCodeAt(at))) points -= 1
  return points
}

export const inPoints = (text: string, ranges: readonly Range[]): readonly Range[] =>
  SURROGATE.test(text)
    ? ranges.map(([from, to]) => {
        const before = countPoints(text.slice(0, from))
        return [before, before + countPoints(text.slice(from, to))] as const
      })
    : ranges

/** The passages at these places, which are in code points and follow on each other. */
export function passagesOf(text: string, ranges: readonly Range[]): readonly string[] {
  if (!SURROGATE.test(text)) return ranges.map(([from, to]) => text.slice(from, to))
  let [point, unit] = [0, 0]
  const unitAt = (wanted: number): number => {
    for (; point < wanted && unit < text.length; point++) unit += isHigh(text.charCodeAt(unit)) ? 2 : 1
    return unit
  }
  return ranges.map(([from, to]) => text.slice(unitAt(from), unitAt(to)))
}

/** Contents are well formed: the other half follows. */
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
