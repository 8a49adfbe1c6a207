// Rings the requests that the ledger says are due, until only resting ones are left. The ledger's own index is the
// queue: nothing is kept here per pending request.
import type { Ledger } from '../ledger/contract.js'
import type { Ring } from './alarms.js'

/** Rings under way at once: enough to share commits, few enough to leave room for requests. */
export const TOGETHER = 256
/** A request that is still due after its ring (its clock suspect, its ledger full) is left alone for this long. */
export const REST_MS = 1_000

type Overdue = {
  /** Rings every request that was due `graceMs` ago; returns the time up to which only resting ones are left. */
  ringAll(graceMs: number, stopped: () => boolean): Promise<number>
  /** When the first resting request may be rung again; infinity when none rests. */
  restedAt(): number
}

export function overdue(ledger: Ledger, ring: Ring, onTrouble: (error: unknown) => void): Overdue {
  /** Requests rung lately: not rung again before the time given. Owned by ringAll(). */
  const resting = new Map<string, number>()
  return {
    async ringAll(graceMs, stopped) {
      for (;;) {
        const now = ledger.now()
        const due = await ledger.due(now - graceMs, TOGETHER + resting.size)
        keepDue(resting, due, now)
        const fresh = due.filter(id => !resting.has(id)).slice(0, TOGETHER)
        if (fresh.length === 0 || stopped()) return now - graceMs
        for (const id of fresh) resting.set(id, now + REST_MS)
        await Promise.all(fresh.map(id => ring(id).catch(onTrouble)))
      }
    },
    restedAt: () => Math.min(Number.POSITIVE_INFINITY, ...resting.values()),
  }
}

/** A resting request is still due: one that was rung and settled is forgotten, and so is a rest that is over. */
function keepDue(resting: Map<string, number>, due: readonly string[], now: number): void {
  if (resting.size === 0) return
  const still = new Set(due)
  for (const [id, until] of resting) if (until <= now || !still.has(id)) resting.delete(id)
}
