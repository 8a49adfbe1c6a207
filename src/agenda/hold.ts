// A copy that would come in somebody's quiet hours is held until they end, but never past the point where a quarter of
// the time to answer is left.
import type { Case } from './case.js'
import type { AgendaPolicy } from './owed.js'

/** The part of its time for which a request may be held. */
export const HELD_AT_MOST = 0.75

/** Until when a new copy or a reminder for this person would be held now; null where it may be sent. */
export function holdUntil(
  { terms, opened_at, request }: Case,
  userId: string,
  now: number,
  { quietUntil }: Pick<AgendaPolicy, 'quietUntil'>,
): number | null {
  if (terms === null || terms.urgency === 'high') return null
  const end = quietUntil(userId, now)
  if (end === null) return null
  const latest = Date.parse(opened_at) + request.deadline_seconds * HELD_AT_MOST * 1000
  return now < latest ? Math.min(end, latest) : null
}
