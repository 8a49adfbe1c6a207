// A day or an instant, as a reply schema bounds it: `2026-02-17`, or RFC 3339 with an offset. Days that are not in
// the calendar and leap seconds have no place on the line, so they are no dates.

export type ReadDate = { readonly kind: 'day' | 'instant'; readonly ms: number }

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isInCalendar(year: number, month: number, day: number): boolean {
  const days = month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** What this text names, or null when it names no day and no instant. */
export function readDate(text: string): ReadDate | null {
  const kind = DAY.test(text) ? 'day' : INSTANT.test(text) ? 'instant' : null
  if (kind === null) return null
  const [year, month, day] = text.slice(0, 10).split('-').map(Number)
  if (!isInCalendar(year ?? 0, month ?? 0, day ?? 0)) return null
  return { kind, ms: Date.parse(text) }
}
