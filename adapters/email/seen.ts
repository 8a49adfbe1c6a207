// Which webhooks were taken already, for as long as a copy of one would still be believed. In memory: after a restart, or
// on another replica, what comes again is told by its Message-ID in the ledger.

/** Only verified webhooks are remembered, so strangers cannot fill it; ten minutes of a busy provider fit in. */
const MAX_REMEMBERED = 100_000

export class Seen {
  /** By what it is known by: until when. In the order in which they came. Owned by claim() and forget(). */
  readonly #until = new Map<string, number>()

  /** True for the first to ask; false for every later one. */
  claim(once: string, until: number, now: number): boolean {
    for (const [old, end] of this.#until) {
      if (end >= now && this.#until.size < MAX_REMEMBERED) break
      this.#until.delete(old)
    }
    if (this.#until.has(once)) return false
    this.#until.set(once, until)
    return true
  }

  /** It was not taken after all: the provider may bring it again. */
  forget(once: string): void {
    this.#until.delete(once)
  }
}
