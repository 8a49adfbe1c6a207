// When a callback is repeated: the schedule of Standard Webhooks 1.0.0, ten attempts over some three days. A little
// is added, never taken away, so that calls that failed together are not repeated together; it is derived from the
// request's own id.
import { sha256 } from '../canonical.js'
import type { StoredBody } from '../event.js'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** The pause before each further attempt; the first is made at once. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
/** An endpoint may ask for more time, but not to be remembered for ever. */
const LONGEST_PAUSE_MS = 24 * HOUR_MS
const SPREAD = 0.1

/** When the attempt after this one is due; null when the schedule has run out. */
export function callAgainAt(
  request_id: string,
  attempt: number,
  failedAt: number,
  waitAtLeast = 0,
): number | null {
  const pause = PAUSES_MS[attempt - 1]
  if (pause === undefined) return null
  const chance = Number.parseInt(sha256(`${request_id}/${attempt}`).slice(7, 15), 16) / 0xffffffff
  const spread = pause * (1 + SPREAD * chance)
  return Math.ceil(failedAt + Math.max(spread, Math.min(waitAtLeast, LONGEST_PAUSE_MS)))
}

/** The state of the callback of a request that asked for one. */
export type Callback = {
  readonly url_hash: StoredBody<'CALLBACK_REGISTERED'>['url_hash']
  readonly attempts: number
  /** When the next attempt is due; 0 for at once. */
  readonly due: number
  /** Taken, refused for good, or given up. */
  readonly over: boolean
}

export const registered = ({ url_hash }: StoredBody<'CALLBACK_REGISTERED'>): Callback => ({
  url_hash,
  attempts: 0,
  due: 0,
  over: false,
})

export const attempted = (
  before: Callback,
  { attempt, final, next_at }: StoredBody<'CALLBACK_ATTEMPTED'>,
): Callback => ({
  ...before,
  attempts: attempt,
  due: next_at === undefined ? 0 : Date.parse(next_at),
  over: final,
})
