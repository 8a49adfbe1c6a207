// The tokens this process has signed lately, by hash. Whoever has made a signature need not check it: the same bytes
// have the same signature. What another process signed, or this one long ago, is verified.

/** About a megabyte; replies that come later than so many deliveries pay for the check. */
const KEPT = 8_192

export class Lately {
  readonly #hashes = new Set<string>()
  /** The same in the order they were signed, round and round. The Set's own first is found ever more slowly: it steps
   *  over every gap that was left before it. */
  readonly #order: string[] = []
  #next = 0

  add(hash: string): void {
    if (this.#hashes.has(hash)) return
    const oldest = this.#order[this.#next]
    if (oldest !== undefined) this.#hashes.delete(oldest)
    this.#order[this.#next] = hash
    this.#hashes.add(hash)
    this.#next = (this.#next + 1) % KEPT
  }

  has(hash: string): boolean {
    return this.#hashes.has(hash)
  }
}
