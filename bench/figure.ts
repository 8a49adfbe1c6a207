// One figure: the measurement, its baseline, and its goal. A rate or a time alone says little on a machine nobody
// knows, so most figures are judged as a ratio to a baseline of the same run.
//
// B1  Repeat i of the measurement and repeat i of its baseline ran next to each other; their ratio is taken pair by
//     pair, and the median of the ratios is judged, so that a machine that slows down half way moves both.
// B2  A figure without a goal is there to be read; it cannot fail the run.

export type Unit = 'per s' | 'ms' | 'B' | 'MB'

export type Goal = {
  /** The ratio to the baseline, the difference to it, or the number itself. */
  readonly judged: 'ratio' | 'difference' | 'value'
  readonly better: 'more' | 'less'
  readonly must: number
  readonly aim: number | null
}

export type Figure = {
  readonly what: string
  readonly unit: Unit
  /** One number for each repeat. */
  readonly measured: readonly number[]
  readonly baseline: { readonly what: string; readonly measured: readonly number[] } | null
  readonly goal: Goal | null
  readonly note?: string
}

export type Verdict = 'missed' | 'met' | 'aim reached' | 'no goal'

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  if (middle.length === 0) throw new RangeError('nothing was measured')
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** Nearest rank: always a number that was really measured. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
  if (value === undefined) throw new RangeError('nothing was measured')
  return value
}

export function ratioOf({ measured, baseline }: Figure): number | null {
  if (baseline === null) return null
  if (baseline.measured.length !== measured.length) return median(measured) / median(baseline.measured)
  return median(measured.map((value, index) => value / (baseline.measured[index] ?? Number.NaN)))
}

export function judgedValue(figure: Figure, goal: Goal): number {
  const { measured, baseline } = figure
  switch (goal.judged) {
    case 'ratio':
      return ratioOf(figure) ?? Number.NaN
    case 'difference':
      return median(measured) - median(baseline?.measured ?? [])
    case 'value':
      return median(measured)
  }
}

export function verdictOf(figure: Figure): Verdict {
  const { goal } = figure
  if (goal === null) return 'no goal'
  const value = judgedValue(figure, goal)
  const reaches = (bound: number): boolean => (goal.better === 'more' ? value >= bound : value <= bound)
  if (!reaches(goal.must)) return 'missed'
  return goal.aim !== null && reaches(goal.aim) ? 'aim reached' : 'met'
}
