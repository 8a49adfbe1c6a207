// A bound on the sends a channel may have under way at once: a provider that hangs must not gather thousands of them.
export class Gate {
  readonly #places: number
  /** Places taken, and those waiting for one in order. */
  #taken = 0
  readonly #queue: (() => void)[] = []

  constructor(places: number) {
    this.#places = places
  }

  get idle(): boolean {
    return this.#taken === 0
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (!this.take()) await new Promise<void>(resolve => this.#queue.push(resolve))
    return this.use(work)
  }

  /** Takes a place, if one is free: to be used, or left. */
  take(): boolean {
    if (this.#taken >= this.#places) return false
    this.#taken++
    return true
  }

  /** Works at a place that was taken, and leaves it. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  /** The longest waiting takes it over. */
  leave(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#taken--
  }
}
