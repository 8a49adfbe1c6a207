// The answer to trouble: passing trouble is tried again, with longer pauses; other trouble is told at once.
import type { Clock } from '../clock.js'
import type { Trouble } from './call.js'

/** Time comes in by parameter: a test moves it, everyone else lets it pass. */
export type Pace = {
  readonly clock: Clock
  /** Rejects with the signal's reason when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** A lane restored from a backup may be away for some minutes after a deadline; longer is an outage to report. */
export const GRACE_MS = 300_000

/** The looks of a restart, of a proxy in front of one, or of a busy lane. Other trouble will not get better. */
export const isPassing = (trouble: Trouble): boolean =>
  trouble.kind === 'unreachable' || trouble.status === 429 || trouble.status >= 500

export const pauseAfter = (trouble: Trouble, pause: number): number =>
  trouble.kind === 'problem' ? Math.max(pause, Math.min(trouble.retryAfterMs ?? 0, LONGEST_PAUSE_MS)) : pause

export const longer = (pause: number): number => Math.min(pause * 2, LONGEST_PAUSE_MS)

/** The client's own copy of src/adapter/pause.ts: the client brings no other room of ours with it. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
