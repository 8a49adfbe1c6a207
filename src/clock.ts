// The two readings of time. Only this file reads the machine's clocks; everyone else is handed one, so that a test
// can move time and a run can be replayed.

export interface Clock {
  /** Milliseconds since 1970 by the wall: may jump. */
  wall(): number
  /** Milliseconds that never jump and never go back; their origin means nothing. */
  monotonic(): number
}

export const machineClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
}

/** Entries that share a commit share its moment, its deadline and its lease: the same few instants
 *  are spelt over and over. */
const SPELT = 64
const spelt = new Map<number, string>()

/** RFC 3339 UTC with milliseconds: the ledger's one spelling of an instant. */
export function instant(ms: number): string {
  const known = spelt.get(ms)
  if (known !== undefined) return known
  const text = new Date(ms).toISOString()
  if (spelt.size >= SPELT) spelt.clear()
  spelt.set(ms, text)
  return text
}
