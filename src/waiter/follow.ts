// The ledger as a stream: all entries from a place on, then those committed next, in order, with nothing left out
// between the two.
import type { Entry } from '../event.js'
import type { Ledger } from '../ledger/contract.js'

/** Yields entries from `from` on for ever; `null` when it has caught up and `idleMs` passed with nothing new. */
export async function* follow(
  ledger: Ledger,
  from: number,
  idleMs: number,
  gone: AbortSignal,
): AsyncGenerator<Entry | null> {
  let next = from
  let fresh = false
  let wake: () => void = () => undefined
  // A commit only says that there is something new: it is read from the ledger.
  const stop = ledger.onCommit(() => {
    fresh = true
    wake()
  }, [])
  const leave = (): void => wake()
  gone.addEventListener('abort', leave)
  try {
    while (!gone.aborted) {
      fresh = false
      for await (const entry of ledger.entries(next)) {
        next = entry.seq + 1
        fresh = true
        yield entry
        if (gone.aborted) return
      }
      if (fresh || gone.aborted) continue
      const timedOut = await new Promise<boolean>(resolve => {
        const timer = setTimeout(() => resolve(true), idleMs)
        wake = () => {
          clearTimeout(timer)
          resolve(false)
        }
      })
      if (timedOut) yield null
    }
  } finally {
    stop()
    gone.removeEventListener('abort', leave)
  }
}
