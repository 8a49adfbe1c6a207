// The tokens this process has signed lately, by hash. The signer need not check its own signature: the same bytes
// have the same signature. A token signed by another process, or by this one long ago, is verified.

/** At least this many are known, and at most twice as many: some two megabytes. A reply that comes after more
 *  deliveries than that pays for the check. */
const KEPT = 8_192

export class Lately {
  /** The tokens of now, and those before them. When the newer set is full it replaces the older one: nothing is
   *  removed singly, since a Set pays for the gaps. */
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
