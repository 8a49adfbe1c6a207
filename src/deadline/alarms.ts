// An alarm clock wakes; it never decides. An implementation promises only that a request whose alarm has come is rung
// soon after, and again if it is still due; nothing depends on it having rung exactly once. A ring that comes too
// early, twice, or for a settled request is harmless: the ledger says what is owed.
import type { Case } from '../agenda/case.js'

export interface Alarms {
  /** Just committed: when the agenda must next be asked about this request; null for never. */
  set(subject: Armed, at: number | null): void
  /** The reasons it may not ring in time, in words; empty when there are none. */
  troubles(): readonly string[]
  /** Stops ringing and waits for the rings under way. */
  stop(): Promise<void>
}

/** The facts an alarm clock knows of a request. */
export type Armed = Pick<Case, 'request_id' | 'deadline_ms' | 'resolved_seq'>

export type Ring = (requestId: string) => Promise<void>
