// Chance that can be told again: the same seed gives the same deeds.

export type Chance = {
  /** An integer from 0 to below `below`. */
  upTo(below: number): number
  /** One of these. */
  of<T>(values: readonly T[]): T
  /** True once in so many times. */
  once(inTimes: number): boolean
}

/** A small generator of 32 bits (mulberry32); not for secrets. */
export function chanceOf(seed: number): Chance {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const upTo = (below: number): number => Math.floor(next() * below)
  return {
    upTo,
    of: values => {
      const value = values[upTo(values.length)]
      if (value === undefined) throw new Error('nothing to choose from')
      return value
    },
    once: inTimes => upTo(inTimes) === 0,
  }
}
