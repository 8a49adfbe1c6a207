// The tokens this process has signed lately, by hash. Whoever has made a signature need not check it: the same bytes
// have the same signature. What another process signed, or this one long ago, is verified.

/** So many at least are known, and twice as many at most: some two megabytes. Replies that come later than so many
 *  deliveries pay for the check. */
const KEPT = 8_192

export class Lately {
  /** Those of now, and those before them. What is full takes the place of the older ones: nothing is removed singly, since a
   *  Set pays for the gaps. */
  #newer = new Set<string>()
  #older = new Set<string>()

  add(hash: string): void {
    if (this.#newer.size >= KEPT) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
    this.#newer.add(hash)
  }

  has(hash: string): boolean {
    return this.#newer.has(hash) || this.#older.has(hash)
  }
}
