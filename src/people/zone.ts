// Hours of the day where a person lives, as instants. Zones are IANA's; what daylight saving does to an hour is left to
// a library made for it.
//
// Z1  A local time that a change skips is the first instant after the gap; of a time that comes twice the later is
//     meant. So nobody is disturbed early, by either change.
import { Temporal } from 'temporal-polyfill'

/** A zone has a name, so that it knows of daylight saving: an offset does not. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

/** An hour of the day, `HH:MM`. */
export const HOUR = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Weekday = (typeof WEEKDAYS)[number]

export type QuietHours = {
  readonly from: string
  /** At or before `from` it is an hour of the next day. */
  readonly to: string
  /** The days on which they begin; absent for every day. */
  readonly days?: readonly Weekday[]
}

/** The end of the quiet hours that this instant lies in; null where it lies in none. */
export function quietUntil(hours: QuietHours, zone: string, ms: number): number | null {
  const today = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate()
  const ends = [-1, 0]
    .map(days => today.add({ days }))
    .filter(day => hours.days?.includes(weekdayOf(day)) ?? true)
    .map(day => nightOf(hours, zone, day))
    .filter(({ from, to }) => from <= ms && ms < to)
    .map(({ to }) => to)
  return ends.length === 0 ? null : Math.max(...ends)
}

/** The quiet hours that begin on this day. */
function nightOf({ from, to }: QuietHours, zone: string, day: Temporal.PlainDate) {
  const last = to > from ? day : day.add({ days: 1 })
  return { from: instantOf(day, from, zone), to: instantOf(last, to, zone) }
}

const weekdayOf = ({ dayOfWeek }: Temporal.PlainDate): Weekday => WEEKDAYS[dayOfWeek - 1] as Weekday

/** Z1. */
function instantOf(day: Temporal.PlainDate, hour: string, zone: string): number {
  const wanted = day.toPlainDateTime(hour)
  const found = wanted.toZonedDateTime(zone, { disambiguation: 'later' })
  if (found.toPlainDateTime().equals(wanted)) return found.epochMilliseconds
  const before = wanted.toZonedDateTime(zone, { disambiguation: 'earlier' })
  return before.getTimeZoneTransition('next')?.epochMilliseconds ?? found.epochMilliseconds
}

/** An instant as a person there reads it: `Wed 18 Nov 14:05 Europe/Berlin`. */
export function localTime(at: string, zone: string): string {
  const local = Temporal.Instant.from(at).toZonedDateTimeISO(zone)
  const { dayOfWeek, day, month } = local
  const hour = local.toPlainTime().toString({ smallestUnit: 'minute' })
  return `${DAY_NAMES[dayOfWeek - 1]} ${day} ${MONTH_NAMES[month - 1]} ${hour} ${zone}`
}

const DAY_NAMES = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
