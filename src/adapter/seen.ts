// Remembers events that must not be repeated soon: a webhook that was taken, for as long as a copy of it would be
// believed; a hint that was given. It is in memory: after a restart, or on another replica, a repeated message is
// known by its id in the ledger.
//
// M1  The first claim is granted; a second claim of the same before its end is not.
// M2  It is bounded, and forgets the oldest first. Only verified webhooks are remembered, so strangers cannot fill
//     that memory; the ledger still knows the messages that a provider's own flood drove out.

/** Ten minutes of a busy provider fit in. */
const MAX_REMEMBERED = 100_000

export class Seen {
  readonly #most: number
  /** The end of each claim, by its key, in the order in which they came. Owned by claim() and forget(). */
  readonly #until = new Map<string, number>()

  constructor(most: number = MAX_REMEMBERED) {
    this.#most = most
  }

  /** True for the first claim; false for every later one before its end. */
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

  /** For a webhook that was not taken after all: the provider may send it again. */
  forget(once: string): void {
    this.#until.delete(once)
  }
}
