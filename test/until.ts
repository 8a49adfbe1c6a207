// Waits for something to be so, by looking again and again, and not for a length of time. If it does not come, the
// error names it and shows what was there instead.
import { inspect } from 'node:util'

/** Below the time limit of a test, so that this says what is missing before the limit says only that time is up. */
const PATIENCE_MS = process.env.CI === 'true' ? 100_000 : 25_000
/** Looked at soon and often in the beginning, then at leisure. */
const LONGEST_PAUSE_MS = 25

// Taken when this is loaded: a test may put its own in place of the timers, and this waits in real time all the same.
const { setTimeout: later } = globalThis

type Come<T> = Exclude<T, false | null | undefined>

/** What a look brings, as soon as it is something; or is what is wanted; or passes. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  wanted: T | ((seen: T) => unknown) = Boolean,
  patienceMs = PATIENCE_MS,
): Promise<Come<T>> {
  const enough =
    typeof wanted === 'function' ? (wanted as (seen: T) => unknown) : (seen: T) => seen === wanted
  const end = performance.now() + patienceMs
  for (let turn = 1; ; turn++) {
    const seen = await look()
    if (enough(seen)) return seen as Come<T>
    if (performance.now() > end) throw new Error(`waited in vain: ${what}; last seen: ${inspect(seen)}`)
    await new Promise(resolve => later(resolve, Math.min(turn, LONGEST_PAUSE_MS)))
  }
}
