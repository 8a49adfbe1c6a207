// Waiting for the outcome: long polls, one after another. A lane that is being restarted is not an outcome, so a
// broken connection is tried again until the deadline is long past; then somebody should be told.
import { type Answer, call, jsonOf, type Trouble } from './api.js'
import type { Shell } from './command.js'
import type { Door } from './environment.js'
import { isOpen, readCase, type ShownCase } from './shown-case.js'

/** Below the minute at which proxies commonly cut an idle request. */
const POLL_SECONDS = 50
const POLL_PATIENCE_MS = (POLL_SECONDS + 15) * 1000
/** A lane restored from a backup may be away for some minutes after a deadline; longer is an outage to report. */
export const GRACE_MS = 300_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** A poll that comes back open at once must not become a busy loop. */
const SHORTEST_ROUND_MS = 1000

export type Outcome = { readonly kind: 'outcome'; readonly answer: Answer; readonly subject: ShownCase }

/** `giveUpAt` is by the monotonic clock: from then on trouble is final. */
export async function waitForOutcome(
  shell: Shell,
  door: Door,
  requestId: string,
  giveUpAt: number,
): Promise<Outcome | Trouble> {
  const path = `/v1/requests/${encodeURIComponent(requestId)}/wait?timeout_seconds=${POLL_SECONDS}`
  let pause = FIRST_PAUSE_MS
  for (;;) {
    const startedAt = shell.clock.monotonic()
    const answer = await call(door, { path, patienceMs: POLL_PATIENCE_MS })
    if (answer.kind === 'answer') {
      const subject = readCase(jsonOf(answer))
      if (subject === null) return { ...answer, kind: 'problem', retryAfterMs: null }
      if (!isOpen(subject)) return { kind: 'outcome', answer, subject }
      pause = FIRST_PAUSE_MS
      await shell.sleep(Math.max(0, SHORTEST_ROUND_MS - (shell.clock.monotonic() - startedAt)))
      continue
    }
    if (!isPassing(answer) || shell.clock.monotonic() >= giveUpAt) return answer
    await shell.sleep(pauseAfter(answer, pause))
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

/** What a restart, a proxy in front of one, or a busy lane looks like. Everything else will not get better. */
export const isPassing = (trouble: Trouble): boolean =>
  trouble.kind === 'unreachable' || trouble.status === 429 || trouble.status >= 500

export const pauseAfter = (trouble: Trouble, pause: number): number =>
  trouble.kind === 'problem' ? Math.max(pause, Math.min(trouble.retryAfterMs ?? 0, LONGEST_PAUSE_MS)) : pause
