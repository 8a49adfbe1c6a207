// Waiting for the outcome: long polls, one after another. A lane that is being restarted is not an outcome, so a
// broken connection is tried again until the deadline is long past; then somebody should be told.
import { call, type Endpoint, type HttpAnswer, jsonOf, type Trouble } from './call.js'
import { isOpen, readCase, type ShownCase } from './case.js'
import { FIRST_PAUSE_MS, GRACE_MS, isPassing, longer, type Pace, pauseAfter } from './pace.js'

/** Below the minute at which proxies commonly cut an idle request. */
const POLL_SECONDS = 50
/** A lane that is silent for so long after the poll's end is not going to answer. */
const POLL_GRACE_MS = 15_000
/** The same for a caller in a hurry. */
const LAST_POLL_GRACE_MS = 2000
/** A poll that comes back open at once must not become a busy loop. */
const SHORTEST_ROUND_MS = 1000

type Resolved = { readonly kind: 'outcome'; readonly answer: HttpAnswer; readonly subject: ShownCase }
/** Still open when the caller's own patience ended. */
type Open = { readonly kind: 'open'; readonly subject: ShownCase }
type Patience = { readonly until?: number; readonly signal?: AbortSignal | undefined }

/**
 * `giveUpAt` is by the monotonic clock: from then on trouble is final. A case that was read moves it to its own
 * deadline, so that a program that resumes by id need not know it. `until` is the end of the caller's own patience.
 */
export async function waitForOutcome(
  pace: Pace,
  endpoint: Endpoint,
  requestId: string,
  giveUpAt: number,
  { until = Number.POSITIVE_INFINITY, signal }: Patience = {},
): Promise<Resolved | Open | Trouble> {
  const { clock } = pace
  const left = (): number => Math.max(until - clock.monotonic(), 0)
  let pause = FIRST_PAUSE_MS
  for (;;) {
    const startedAt = clock.monotonic()
    const answer = await call(endpoint, { ...poll(requestId, left()), signal })
    if (answer.kind === 'answer') {
      const subject = readCase(jsonOf(answer))
      if (subject === null) return { ...answer, kind: 'problem', retryAfterMs: null }
      if (!isOpen(subject)) return { kind: 'outcome', answer, subject }
      if (left() === 0) return { kind: 'open', subject }
      pause = FIRST_PAUSE_MS
      giveUpAt = Math.max(giveUpAt, clock.monotonic() + deadlineIn(subject, clock.wall()) + GRACE_MS)
      const rest = SHORTEST_ROUND_MS - (clock.monotonic() - startedAt)
      await pace.sleep(Math.min(Math.max(0, rest), left()), signal)
      continue
    }
    if (!isPassing(answer) || clock.monotonic() >= giveUpAt || left() === 0) return answer
    await pace.sleep(Math.min(pauseAfter(answer, pause), left()), signal)
    pause = longer(pause)
  }
}

function poll(requestId: string, left: number): { readonly path: string; readonly patienceMs: number } {
  const seconds = Math.min(Math.max(Math.ceil(left / 1000), 1), POLL_SECONDS)
  return {
    path: `/v1/requests/${encodeURIComponent(requestId)}/wait?timeout_seconds=${seconds}`,
    patienceMs: Math.min(seconds * 1000 + POLL_GRACE_MS, left + LAST_POLL_GRACE_MS),
  }
}

const deadlineIn = ({ deadline_at }: ShownCase, now: number): number =>
  Math.max(Date.parse(deadline_at) - now, 0) || 0
