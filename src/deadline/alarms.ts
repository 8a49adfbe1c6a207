// An alarm clock wakes; it never decides. Whoever implements this promises only that a request whose alarm has come is
// rung soon after, again if it is still due, and that nothing depends on it having rung exactly once.
export interface Alarms {
  /** Something may have become due sooner than the clock knew. */
  nudge(): void
  /** Stops ringing and waits for the rings under way. */
  stop(): Promise<void>
}

export type Ring = (requestId: string) => Promise<void>
