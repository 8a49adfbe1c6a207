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
  /** Alarms up to here have been rung or rest. Owned by nap(). */
  let seen = 0
  let running: Promise<void> | null = null
  let nudged = false
  let stopped = false

  /** Rings until nothing is due but what rests; returns the time up to which that was true. */
  const round = async (): Promise<number> => {
    for (;;) {
      const now = ledger.now()
      const due = await ledger.due(now, TOGETHER + resting.size)
      keepDue(resting, due, now)
      const fresh = due.filter(id => !resting.has(id)).slice(0, TOGETHER)
      if (fresh.length === 0 || stopped) return now
      for (const id of fresh) resting.set(id, now + REST_MS)
      await Promise.all(fresh.map(id => ring(id).catch(onTrouble)))
    }
  }

  /** Set whatever happens: an alarm clock that stops because it could not look once is silent for ever. */
  const sleep = (ms: number): void => {
    if (!stopped) timer = setTimeout(wake, Math.max(0, ms))
  }

  const nap = async (upTo: number): Promise<void> => {
    seen = upTo
    const next = (await ledger.nextAlarm(seen)) ?? Number.POSITIVE_INFINITY
    const now = ledger.now()
    wakeAt = Math.min(next, ...resting.values(), now + LONGEST_NAP_MS)
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
      .nextAlarm(seen)
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

/** Who rests is still due: a request that was rung and settled is forgotten, and so is a rest that is over. */
function keepDue(resting: Map<string, number>, due: readonly string[], now: number): void {
  if (resting.size === 0) return
  const still = new Set(due)
  for (const [id, until] of resting) if (until <= now || !still.has(id)) resting.delete(id)
}
