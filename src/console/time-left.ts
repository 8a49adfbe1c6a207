// The time that is left, in one short word for a list. The script counts on from it.

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** The largest whole unit, rounded down: nobody is told more time than there is. */
export function timeLeft(now: string, deadline: string): string {
  const seconds = Math.floor((Date.parse(deadline) - Date.parse(now)) / 1000)
  for (const [unit, size] of UNITS) {
    const whole = Math.floor(seconds / size)
    if (whole >= 1) return `${whole} ${unit}`
  }
  return 'now'
}
