// Tells the caller that waits. A waiter is woken by the ledger's own commit, never by the code that made it, so an
// answer recorded before anyone waits is found by every later waiter.
//
// W1  Who waits enlists first and looks then: a commit in between is heard, an earlier one is seen.
import type { Entry } from '../event.js'
import type { Ledger } from '../ledger/contract.js'

/** Somebody who hears of one request's resolution from the moment of enlisting on. */
export type Enlisted = {
  /** True once the request has been resolved since; false when the time is up, the caller has gone or the lane stops.
   *  `onGone` takes what is to be called when the caller goes. */
  resolved(ms: number, onGone?: (leave: () => void) => void): Promise<boolean>
  /** For one that does not wait after all. */
  leave(): void
}

export type Waiters = {
  enlist(requestId: string): Enlisted
  readonly waiting: () => number
  stop(): void
}

type Tell = (resolved: boolean) => void

export function startWaiters(ledger: Ledger): Waiters {
  const waiting = new Map<string, Set<Tell>>()
  const wake = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.type !== 'REQUEST_RESOLVED' || entry.request_id === undefined) continue
      for (const tell of waiting.get(entry.request_id) ?? []) tell(true)
    }
  }
  const stop = ledger.onCommit(wake, ['REQUEST_RESOLVED'])

  return {
    enlist(requestId) {
      /** What was heard; null while nothing was. */
      let heard: boolean | null = null
      let timer: NodeJS.Timeout | undefined
      let done: Tell = () => undefined
      const others = waiting.get(requestId) ?? new Set()
      const leave = (): void => {
        clearTimeout(timer)
        others.delete(tell)
        if (others.size === 0 && waiting.get(requestId) === others) waiting.delete(requestId)
      }
      const tell: Tell = resolved => {
        heard ??= resolved
        leave()
        done(heard)
      }
      waiting.set(requestId, others.add(tell))
      return {
        leave,
        resolved: (ms, onGone) =>
          new Promise(resolve => {
            if (heard !== null) return resolve(heard)
            done = resolve
            timer = setTimeout(() => tell(false), ms)
            onGone?.(() => tell(false))
          }),
      }
    },
    waiting: () => [...waiting.values()].reduce((sum, each) => sum + each.size, 0),
    stop() {
      stop()
      for (const each of [...waiting.values()]) for (const tell of [...each]) tell(false)
    },
  }
}
