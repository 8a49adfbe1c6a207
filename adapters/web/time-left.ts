// The time a person still has.

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest whole unit, rounded down: a person is never told more time than there is. */
export function timeLeft(now: string, deadline: string): string {
  const seconds = Math.floor((Date.parse(deadline) - Date.parse(now)) / 1000)
  for (const [unit, size] of UNITS) {
    const whole = Math.floor(seconds / size)
    if (whole >= 1) return `${whole} ${unit}${whole === 1 ? '' : 's'}`
  }
  return 'No time'
}
