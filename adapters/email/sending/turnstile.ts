// Lets mails through to the server so many at once and so many a second, in order. A mail that waits too long is
// given up unsent, so that the lane may try again knowing that no copy is on its way.

export class Turnstile {
  readonly #places: number
  readonly #gapMs: number
  readonly #patienceMs: number
  /** Those inside, those waiting in order, and whether the last one has only just gone in. Owned by #admit(). */
  #inside = 0
  readonly #queue: (() => void)[] = []
  #resting = false

  constructor(places: number, perSecond: number, patienceMs: number) {
    this.#places = places
    this.#gapMs = 1_000 / perSecond
    this.#patienceMs = patienceMs
  }

  /** The result of the work, or null if it was not let in. */
  async pass<T>(work: () => Promise<T>): Promise<T | null> {
    if (!(await this.#enter())) return null
    try {
      return await work()
    } finally {
      this.#inside--
      this.#admit()
    }
  }

  #enter(): Promise<boolean> {
    return new Promise(resolve => {
      const tired = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(go), 1)
        resolve(false)
      }, this.#patienceMs)
      const go = (): void => {
        clearTimeout(tired)
        resolve(true)
      }
      this.#queue.push(go)
      this.#admit()
    })
  }

  #admit(): void {
    if (this.#resting || this.#inside >= this.#places) return
    const next = this.#queue.shift()
    if (next === undefined) return
    this.#inside++
    this.#resting = true
    setTimeout(() => {
      this.#resting = false
      this.#admit()
    }, this.#gapMs)
    next()
  }
}
