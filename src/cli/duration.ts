// Spans of time as people write and read them: 90s, 30m, 2h, 7d. A bare number is refused, because it names no unit.

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const
type Unit = keyof typeof SECONDS

export const DURATION_WORDS = 'a whole number and s, m, h or d, such as 90s, 30m, 2h or 7d'

/** Seconds, or null. Nine digits keep every product an exact integer. */
export function parseDuration(text: string): number | null {
  const read = /^([0-9]{1,9})([smhd])$/.exec(text)
  return read === null ? null : Number(read[1]) * SECONDS[read[2] as Unit]
}

/** The two largest units that are not zero: 2h 5m, 7d, 0s. */
export function sayDuration(ms: number): string {
  let seconds = Math.round(Math.abs(ms) / 1000)
  const parts: string[] = []
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const count = Math.floor(seconds / SECONDS[unit])
    if (count > 0) parts.push(`${count}${unit}`)
    seconds -= count * SECONDS[unit]
  }
  return parts.slice(0, 2).join(' ') || '0s'
}
