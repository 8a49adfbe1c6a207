// Tells the caller that waits. A waiter is woken by the ledger's own commit, never by the code that made it, so an
// answer recorded before anyone waits is found by every later waiter.
import type { Entry } from '../event.js'
import type { Ledger } from '../ledger/contract.js'

export type Waiters = {
  /** True once the request has been resolved; false when the time is up or the caller has gone. */
  resolved(requestId: string, ms: number, gone?: AbortSignal): Promise<boolean>
  readonly waiting: () => number
  stop(): void
}

export function startWaiters(ledger: Ledger, isResolved: (requestId: string) => Promise<boolean>): Waiters {
  const waiting = new Map<string, Set<(resolved: boolean) => void>>()
  const wake = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.type !== 'REQUEST_RESOLVED' || entry.request_id === undefined) continue
      for (const done of waiting.get(entry.request_id) ?? []) done(true)
    }
  }
  const stop = ledger.onCommit(wake, ['REQUEST_RESOLVED'])

  const enlist = (requestId: string, done: (resolved: boolean) => void): (() => void) => {
    const others = waiting.get(requestId) ?? new Set()
    waiting.set(requestId, others.add(done))
    return () => {
      others.delete(done)
      if (others.size === 0 && waiting.get(requestId) === others) waiting.delete(requestId)
    }
  }

  return {
    resolved: (requestId, ms, gone) =>
      new Promise((resolve, reject) => {
        const done = (resolved: boolean): void => {
          leave()
          clearTimeout(timer)
          gone?.removeEventListener('abort', abort)
          resolve(resolved)
        }
        const abort = (): void => done(false)
        // Enlisted before looking: a commit in between wakes us, an earlier one is seen.
        const leave = enlist(requestId, done)
        const timer = setTimeout(() => done(false), ms)
        if (gone?.aborted) return done(false)
        gone?.addEventListener('abort', abort)
        isResolved(requestId).then(
          already => already && done(true),
          error => {
            reject(error)
            done(false)
          },
        )
      }),
    waiting: () => [...waiting.values()].reduce((sum, each) => sum + each.size, 0),
    stop() {
      stop()
      for (const each of [...waiting.values()]) for (const done of [...each]) done(false)
    },
  }
}
