// A day of the calendar, or a moment of it with its offset (RFC 3339), exact to the nanosecond. Date is not used: it
// loses everything finer than a millisecond, takes 30 February for 2 March, and reads spellings we do not.

export type CivilMoment = {
  /** The day as written: YYYY-MM-DD, which sorts as it counts. */
  readonly day: string
  /** Its place on the line of time; null for a plain day. */
  readonly instant: { readonly seconds: number; readonly nanos: number } | null
}

const DAY = /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/
const CLOCK = /^[Tt][0-9][0-9]:[0-9][0-9]:[0-9][0-9]$/
const OFFSET = /^[+-][0-9][0-9]:[0-9][0-9]$/
const FRACTION = /^\.[0-9]{1,9}$/

const DAY_LENGTH = 'YYYY-MM-DD'.length
const CLOCK_END = 'YYYY-MM-DDThh:mm:ss'.length
const OFFSET_LENGTH = '+hh:mm'.length

/** The day or instant this text names, or null. */
export function readMoment(text: string): CivilMoment | null {
  const day = text.slice(0, DAY_LENGTH)
  if (!DAY.test(day) || !isInCalendar(day)) return null
  if (text.length === DAY_LENGTH) return { day, instant: null }
  const time = secondsOfDay(text.slice(DAY_LENGTH, CLOCK_END))
  const isUtc = text.endsWith('Z') || text.endsWith('z')
  const offsetAt = isUtc ? text.length - 1 : text.length - OFFSET_LENGTH
  const offset = isUtc ? 0 : secondsOfOffset(text.slice(offsetAt))
  const nanos = offsetAt < CLOCK_END ? null : nanosOf(text.slice(CLOCK_END, offsetAt))
  if (time === null || offset === null || nanos === null) return null
  return { day, instant: { seconds: daysBefore(day) * 86_400 + time - offset, nanos } }
}

const two = (text: string, at: number): number => Number(text.slice(at, at + 2))
const yearOf = (day: string): number => Number(day.slice(0, 4))

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const daysIn = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (MONTHS[month - 1] ?? 0)

function isInCalendar(day: string): boolean {
  const date = two(day, 8)
  return date >= 1 && date <= daysIn(yearOf(day), two(day, 5))
}

/** Days from 0000-01-01. */
function daysBefore(day: string): number {
  const year = yearOf(day)
  let days = year * 365 + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400)
  for (let month = 1; month < two(day, 5); month += 1) days += daysIn(year, month)
  return days + two(day, 8) - 1
}

/** `Thh:mm:ss`. A leap second is refused: nobody can say offline that it existed. */
function secondsOfDay(clock: string): number | null {
  if (!CLOCK.test(clock)) return null
  const [hour, minute, second] = [two(clock, 1), two(clock, 4), two(clock, 7)]
  return hour > 23 || minute > 59 || second > 59 ? null : hour * 3600 + minute * 60 + second
}

function secondsOfOffset(offset: string): number | null {
  if (!OFFSET.test(offset)) return null
  const [hours, minutes] = [two(offset, 1), two(offset, 4)]
  if (hours > 23 || minutes > 59) return null
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

function nanosOf(fraction: string): number | null {
  if (fraction === '') return 0
  return FRACTION.test(fraction) ? Number(fraction.slice(1).padEnd(9, '0')) : null
}

/** Two instants by their place on the line; as soon as one side is a plain day, by the day as written. */
export function isBefore(one: CivilMoment, other: CivilMoment): boolean {
  if (one.instant === null || other.instant === null) return one.day < other.day
  if (one.instant.seconds !== other.instant.seconds) return one.instant.seconds < other.instant.seconds
  return one.instant.nanos < other.instant.nanos
}
