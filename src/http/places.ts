// The waits and streams one key may hold at once. A caller in a loop is refused, and takes nothing from the others.

/** Places of one kind, each held from its taking until it is given up. */
export class Places {
  readonly #atMost: number
  /** The number taken, by key; a key that has none is not kept. */
  readonly #taken = new Map<string, number>()

  /** 0 is no limit. */
  constructor(atMost: number) {
    this.#atMost = atMost === 0 ? Number.POSITIVE_INFINITY : atMost
  }

  /** A function that gives the place up again, or null if the key holds all of its places. */
  take(keyId: string): (() => void) | null {
    const taken = this.#taken.get(keyId) ?? 0
    if (taken >= this.#atMost) return null
    this.#taken.set(keyId, taken + 1)
    return () => this.#giveUp(keyId)
  }

  #giveUp(keyId: string): void {
    const left = (this.#taken.get(keyId) ?? 1) - 1
    if (left > 0) this.#taken.set(keyId, left)
    else this.#taken.delete(keyId)
  }
}
