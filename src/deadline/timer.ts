// The in-process alarm clock: one timer waits for the earliest of the ledger's own alarms, be there ten or a million.
import type { Ledger } from '../ledger/contract.js'
import type { Alarms, Ring } from './alarms.js'
import { overdue, REST_MS } from './overdue.js'

/** Node's timers overflow at 24.8 days; and a short nap also notices a wall clock that was set. */
const LONGEST_NAP_MS = 10_000

export function startTimer(ledger: Ledger, ring: Ring, onTrouble: (error: unknown) => void): Alarms {
  const due = overdue(ledger, ring, onTrouble)
  let timer: NodeJS.Timeout | undefined
  let wakeAt = Number.POSITIVE_INFINITY
  /** The soonest alarm set while a round was running. Written by set(), taken by nap(). */
  let meanwhile = Number.POSITIVE_INFINITY
  let running: Promise<void> | null = null
  let stopped = false

  const sleepUntil = (at: number): void => {
    clearTimeout(timer)
    wakeAt = at
    if (!stopped) timer = setTimeout(wake, Math.max(0, at - ledger.now()))
  }

  const nap = async (rungUpTo: number): Promise<void> => {
    const next = (await ledger.nextAlarm(rungUpTo)) ?? Number.POSITIVE_INFINITY
    running = null
    sleepUntil(Math.min(next, meanwhile, due.restedAt(), ledger.now() + LONGEST_NAP_MS))
  }

  const wake = (): void => {
    meanwhile = Number.POSITIVE_INFINITY
    running = due
      .ringAll(0, () => stopped)
      .then(nap)
      .catch(error => {
        running = null
        onTrouble(error)
        // After a failure too: an alarm clock that stops because it could not look once is silent for ever.
        sleepUntil(ledger.now() + REST_MS)
      })
  }

  wake()
  return {
    set(_subject, at) {
      if (at === null || stopped) return
      if (running !== null) meanwhile = Math.min(meanwhile, at)
      else if (at < wakeAt) sleepUntil(at)
    },
    troubles: () => [],
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
