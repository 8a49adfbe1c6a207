// What happened lately and is not to happen again so soon: a webhook that was taken, for as long as a copy of it would be
// believed; a hint that was given. In memory: after a restart, or on another replica, a message that comes again is known by
// its id in the ledger.
//
// M1  The first to claim has it; whoever claims the same before its end does not.
// M2  It is bounded, and forgets the oldest first. Only verified webhooks are remembered, so strangers cannot fill that
//     memory; what a provider's own flood has driven out the ledger still knows.

/** Ten minutes of a busy provider fit in. */
const MAX_REMEMBERED = 100_000

export class Seen {
  readonly #most: number
  /** Until when each is remembered, by what it is known by; in the order in which they came. Owned by claim() and forget(). */
  readonly #until = new Map<string, number>()

  constructor(most: number = MAX_REMEMBERED) {
    this.#most = most
  }

  /** True for the first to ask; false for every later one. */
  claim(once: string, until: number, now: number): boolean {
    if ((this.#until.get(once) ?? Number.NEGATIVE_INFINITY) >= now) return false
    this.#until.delete(once)
    for (const [old, end] of this.#until) {
      if (end >= now && this.#until.size < this.#most) break
      this.#until.delete(old)
    }
    this.#until.set(once, until)
    return true
  }

  /** It was not taken after all: the provider may bring it again. */
  forget(once: string): void {
    this.#until.delete(once)
  }
}
