// The tokens this process has signed lately, by hash. Whoever has made a signature need not check it: the same bytes
// have the same signature. What another process signed, or this one long ago, is verified.

/** About a megabyte; replies that come later than so many deliveries pay for the check. */
const KEPT = 8_192

export class Lately {
  /** In the order they were signed: the oldest is forgotten first. */
  readonly #hashes = new Set<string>()

  add(hash: string): void {
    this.#hashes.add(hash)
    if (this.#hashes.size <= KEPT) return
    for (const oldest of this.#hashes) {
      this.#hashes.delete(oldest)
      return
    }
  }

  has(hash: string): boolean {
    return this.#hashes.has(hash)
  }
}
