// Ids by sender and UTC day: `<from>-<YYYYMMDD>-<NNN>`. They are read from the right, since a sender's name may hold
// hyphens and digits too.
import type { Entry } from './entry.js'

/** More digits are no count of anything: such an id is somebody's own, and only must not be given again. */
const MOST_DIGITS = 9
const SHAPE = /^(.+)-(\d{8})-(\d{3,})$/s

export const dayOf = (at: string): string => at.slice(0, 10)
const compact = (date: string): string => date.replaceAll('-', '')

export function conventionOf({ id, from, date }: Pick<Entry, 'id' | 'from' | 'date'>): boolean {
  const [, sender, day] = SHAPE.exec(id) ?? []
  return sender === from && day === compact(date)
}

/** Gives ids that follow the highest of their sender and day. The thousandth of a day has four digits. */
export function numbering(entries: readonly Pick<Entry, 'id'>[]): (from: string, date: string) => string {
  // By sender and day, which are an id's beginning.
  const highest = new Map<string, number>()
  const taken = new Set<string>()
  for (const { id } of entries) {
    taken.add(id)
    const [, sender, day, digits = ''] = SHAPE.exec(id) ?? []
    if (sender === undefined || digits.length > MOST_DIGITS) continue
    const series = `${sender}-${day}`
    highest.set(series, Math.max(highest.get(series) ?? 0, Number(digits)))
  }
  return (from, date) => {
    const series = `${from}-${compact(date)}`
    for (;;) {
      const next = (highest.get(series) ?? 0) + 1
      highest.set(series, next)
      const id = `${series}-${String(next).padStart(3, '0')}`
      if (!taken.has(id)) return id
    }
  }
}
