// How many sends a channel may have under way at once: a provider that hangs must not gather thousands of them.
export class Gate {
  readonly #places: number
  /** Those inside, and those waiting in order. Owned by pass(). */
  #inside = 0
  readonly #queue: (() => void)[] = []

  constructor(places: number) {
    this.#places = places
  }

  get full(): boolean {
    return this.#inside >= this.#places
  }

  get idle(): boolean {
    return this.#inside === 0
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#places) await new Promise<void>(resolve => this.#queue.push(resolve))
    else this.#inside++
    try {
      return await work()
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#inside--
    }
  }
}
