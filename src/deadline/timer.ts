// The in-process alarm clock. The ledger's own index of alarms is the queue: one timer waits for the earliest of them,
// and nothing is kept in memory per pending request, be there ten or a million.
import type { Ledger } from '../ledger/contract.js'
import type { Alarms, Ring } from './alarms.js'

/** Rings under way at once: enough to share commits, few enough to leave room for requests. */
const TOGETHER = 256
/** Node's timers overflow at 24.8 days; and a short nap also notices a wall clock that was set. */
const LONGEST_NAP_MS = 10_000
/** A request that is still due after its ring (its clock suspect, its ledger full) is left alone for this long. */
const REST_MS = 1_000

export function startTimer(ledger: Ledger, ring: Ring, onTrouble: (error: unknown) => void): Alarms {
  /** Rung lately: not rung again before the time given. Owned by round(). */
  const resting = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  let running: Promise<void> | null = null
  let nudged = false
  let stopped = false

  const round = async (): Promise<void> => {
    const now = ledger.now()
    for (const [id, until] of resting) if (until <= now) resting.delete(id)
    const due = await ledger.due(now, TOGETHER + resting.size)
    const fresh = due.filter(id => !resting.has(id)).slice(0, TOGETHER)
    for (const id of fresh) resting.set(id, now + REST_MS)
    await Promise.all(fresh.map(id => ring(id).catch(onTrouble)))
    if (fresh.length > 0 && !stopped) await round()
  }

  /** Set whatever happens: an alarm clock that stops because it could not look once is silent for ever. */
  const sleep = (ms: number): void => {
    if (!stopped) timer = setTimeout(wake, Math.max(0, ms))
  }

  const nap = async (): Promise<void> => {
    const next = await ledger.nextAlarm()
    const restless = Math.min(...resting.values())
    const now = ledger.now()
    // While something rests it is due already: wake when its rest is over.
    const earliest = resting.size > 0 && next !== null && next <= now ? restless : (next ?? restless)
    wakeAt = Math.min(earliest, now + LONGEST_NAP_MS)
    sleep(wakeAt - now)
  }

  const wake = (): void => {
    clearTimeout(timer)
    running = round()
      .then(nap)
      .catch(error => {
        onTrouble(error)
        sleep(REST_MS)
      })
      .then(() => {
        running = null
        if (nudged && !stopped) look()
      })
  }

  const look = (): void => {
    nudged = false
    void ledger
      .nextAlarm()
      .then(next => {
        if (next !== null && next < wakeAt && running === null && !stopped) wake()
      })
      .catch(onTrouble)
  }

  wake()
  return {
    nudge() {
      if (nudged) return
      nudged = true
      setImmediate(() => {
        if (running === null && !stopped) look()
      })
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
