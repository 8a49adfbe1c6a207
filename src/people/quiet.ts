// Each person's quiet hours, as the agenda asks for them: often, and mostly within the same minute.
import type { People } from './person.js'
import { quietUntil } from './zone.js'

const MINUTE_MS = 60_000

type Known = { readonly minute: number; readonly until: number | null }

/** The end of the quiet hours that a person has at that time; null where they have none. Hours begin and end with
 *  a minute, so what was found holds for the whole of it. */
export function quietHoursOf(people: People): (userId: string, ms: number) => number | null {
  const quiet = new Map(
    Object.values(people).flatMap(({ user_id, quiet_hours: hours, time_zone: zone }) =>
      hours === undefined || zone === undefined ? [] : [[user_id, { hours, zone }] as const],
    ),
  )
  const known = new Map<string, Known>()
  return (userId, ms) => {
    const theirs = quiet.get(userId)
    if (theirs === undefined) return null
    const minute = Math.floor(ms / MINUTE_MS)
    const before = known.get(userId)
    if (before?.minute === minute) return before.until
    const until = quietUntil(theirs.hours, theirs.zone, ms)
    known.set(userId, { minute, until })
    return until
  }
}
