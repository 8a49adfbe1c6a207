// What a person is told beside the display of a request: who else is asked, how many must agree, in whose place they are,
// to whom they may hand it on, and when the deadline is where they live.
import type { Beside } from '../adapter/contract.js'
import type { Case } from '../agenda/case.js'
import { localTime } from '../people/zone.js'
import { votingWords } from '../tally/so-far.js'
import { type AskingParts, delegatesOf } from './asking.js'

/** Null where there is nothing to tell. */
export function besideOf(parts: AskingParts, subject: Case, userId: string, ms: number): Beside | null {
  const { recipients } = parts.config
  const { asked, deadline_at } = subject
  const { time_zone, delegates: theirs } = recipients[userId] ?? {}
  const nameOf = (id: string): string => recipients[id]?.name ?? id
  const from = asked.find(one => one.user_id === userId)?.from
  if (asked.length === 1 && from === undefined && time_zone === undefined && theirs === undefined) return null
  return {
    local_deadline: time_zone === undefined ? null : localTime(deadline_at, time_zone),
    votes: votingWords(subject),
    others: asked
      .filter(one => one.user_id !== userId && one.handed_to === undefined)
      .map(one => nameOf(one.user_id) + (one.from === undefined ? '' : ` in place of ${nameOf(one.from)}`)),
    handed_by: from === undefined ? null : nameOf(from),
    delegates: delegatesOf(parts, subject, userId, ms).map(id => ({ user_id: id, name: nameOf(id) })),
  }
}
