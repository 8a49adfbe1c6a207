// Time's two readings. Only this file reads the machine's clocks; everyone else is handed one, so that a test can
// move time and a run can be replayed.

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

let spelled = { ms: Number.NaN, text: '' }

/** RFC 3339 UTC with milliseconds: the ledger's one spelling of an instant. Asked for the same one many times over. */
export function instant(ms: number): string {
  if (spelled.ms !== ms) spelled = { ms, text: new Date(ms).toISOString() }
  return spelled.text
}
