// An alarm clock wakes; it never decides. Whoever implements this promises only that a request whose alarm has come is
// rung soon after, again if it is still due, and that nothing depends on it having rung exactly once. A ring that comes
// too early, twice, or for a request that is settled is harmless: the ledger says what is owed.
import type { Case } from '../agenda/case.js'

export interface Alarms {
  /** Just committed: when the agenda must next be asked about this request; null for never. */
  set(subject: Armed, at: number | null): void
  /** What keeps it from ringing in time, in words; empty when nothing does. */
  troubles(): readonly string[]
  /** Stops ringing and waits for the rings under way. */
  stop(): Promise<void>
}

/** What an alarm clock knows of a request. */
export type Armed = Pick<Case, 'request_id' | 'deadline_ms' | 'resolved_seq'>

export type Ring = (requestId: string) => Promise<void>
