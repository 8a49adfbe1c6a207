// How often an address may guess wrong. Only failures count (an unknown handle, a bad key), so that honest traffic of
// any volume is not slowed, and whoever tries handles or keys in turn is.
const WINDOW_MS = 60_000
const FAILURES = 60
/** Addresses remembered at once; past it the oldest window is forgotten first. */
const ADDRESSES = 10_000

type Window = { count: number; readonly until: number }

export class Guesses {
  readonly #now: () => number
  readonly #windows = new Map<string, Window>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Seconds to wait, or 0 when the address may go on. */
  blockedFor(address: string): number {
    const window = this.#windows.get(address)
    if (window === undefined || window.until <= this.#now() || window.count < FAILURES) return 0
    return Math.ceil((window.until - this.#now()) / 1000)
  }

  failed(address: string): void {
    const now = this.#now()
    const window = this.#windows.get(address)
    if (window !== undefined && window.until > now) {
      window.count++
      return
    }
    this.#windows.delete(address)
    this.#windows.set(address, { count: 1, until: now + WINDOW_MS })
    const oldest = this.#windows.keys().next().value
    if (this.#windows.size > ADDRESSES && oldest !== undefined) this.#windows.delete(oldest)
  }
}
