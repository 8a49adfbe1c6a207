// Codes that are guessed at rest. Anybody who can write from a person's number can try codes on that channel: after
// ten wrong ones in an hour none is taken there for a while, each time twice as long as the last. Nobody else's
// codes, no other channel and no page rest with them.
//
// RR1  Wrong codes are counted in the append that records them, and a right one is guarded by the same count: however
//      many come at once, the eleventh within the hour is not looked at.
// RR2  Each rest is told once, in the ledger.

import { instant } from '../clock.js'
import type { Guard, Ledger } from '../ledger/contract.js'
import type { Rest, Shelf } from '../ledger/shelf.js'
import type { Channel } from '../request/channel.js'

/** Ten typos are a search; a code has 35 bits. */
const MISSES_AN_HOUR = 10
const HOUR_MS = 3_600_000
const FIRST_REST_MS = 900_000
const LONGEST_REST_MS = 86_400_000

/** The person whose codes they are, and the channel. */
export type Speaker = { readonly channel: Channel; readonly user_id: string }

/** Asked of every reply that is bound by a code. */
export const codeTry = ({ channel, user_id }: Speaker, fails: boolean): Guard => ({
  kind: 'misses',
  channel,
  user_id,
  at_most: MISSES_AN_HOUR,
  fails,
})

export type Rester = { readonly ledger: Ledger; readonly shelf: Shelf }

/** Lets the codes rest if too many were missed and they do not rest yet. */
export async function restIfGuessed({ ledger, shelf }: Rester, { channel, user_id }: Speaker): Promise<void> {
  const misses = await shelf.misses(channel, user_id, ledger.now() - HOUR_MS)
  if (misses < MISSES_AN_HOUR) return
  const last = await shelf.rest(channel, user_id)
  // Every replica that saw the same misses saw the same rest before them: only one of us records this one.
  const value = `${channel}/${user_id}/${last?.until_ms ?? 0}`
  await ledger.append({
    guards: [{ kind: 'unclaimed', space: 'rest', value }],
    decide: ({ ms }) => {
      const length_ms = lengthAfter(last, ms)
      const until_ms = ms + length_ms
      return {
        kind: 'append',
        events: [{ type: 'CODES_RESTED', body: { user_id, channel, until: instant(until_ms) } }],
        shelve: [{ put: 'rest', rest: { channel, user_id, until_ms, length_ms }, since_ms: ms }],
      }
    },
  })
}

/** Twice the last rest, unless that ended as long ago as the longest lasts. */
function lengthAfter(last: Rest | null, ms: number): number {
  if (last === null || ms - last.until_ms >= LONGEST_REST_MS) return FIRST_REST_MS
  return Math.min(2 * last.length_ms, LONGEST_REST_MS)
}
