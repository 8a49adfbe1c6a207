// One replica of many: the deeds that replicas do one at a time, and how one learns of another's changes. On the
// embedded profile the same code runs with nobody else there.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry, EventType } from '../event.js'
import type { Ledger, Store } from './contract.js'

const AGAIN_MS = 100
/** The first of many to start makes keys and migrates in less than this; one that hangs must not hold up the rest. */
const PATIENCE_MS = 30_000
/** A failed reading is repeated until it succeeds: nobody announces the change a second time. */
const RETRY_MS = 1_000

/** Does something while no other replica does it. */
export async function alone<T>(store: Store, name: string, deed: () => Promise<T>): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS; waited += AGAIN_MS) {
    const hold = await store.hold(name, () => undefined)
    if (hold === null) {
      await sleep(AGAIN_MS)
      continue
    }
    try {
      return await deed()
    } finally {
      await hold.release()
    }
  }
  throw new Error(`another replica has been at "${name}" for ${PATIENCE_MS / 1000} s: see what holds it up`)
}

/** Reads something again whenever any replica has committed an entry of this type. Returns the unsubscriber. */
export function onEntry(
  ledger: Ledger,
  type: EventType,
  reread: () => Promise<void>,
  onTrouble: (error: unknown) => void,
): () => void {
  const stopping = new AbortController()
  const again = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        return await reread()
      } catch (error) {
        onTrouble(error)
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const hear = (entries: readonly Entry[]): void => {
    if (entries.some(entry => entry.type === type)) void again()
  }
  const leave = ledger.onCommit(hear, [type])
  return () => {
    leave()
    stopping.abort()
  }
}
