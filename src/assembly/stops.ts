// Stops the parts of a start, the last first, since a later part may need an earlier one. A start that fails midway
// stops its parts in the same way.
import { within } from '../patience.js'
import { reasonOf, type Say } from '../say.js'

type Stop = () => unknown

export class Stops {
  readonly #begins = new AbortController()
  readonly #say: Say
  readonly #now: () => number
  readonly #stack: { readonly stop: Stop; readonly drains: boolean }[] = []

  constructor(say: Say, now: () => number) {
    this.#say = say
    this.#now = now
  }

  /** Aborted when stopping begins: streams end and waiters are let go, or the door that
   *  serves them would never close. */
  get stopping(): AbortSignal {
    return this.#begins.signal
  }

  add(stop: Stop): void {
    this.#stack.push({ stop, drains: false })
  }

  /** For work that may be cut short: all of it together has the time that `run` is given. */
  addDraining(stop: Stop): void {
    this.#stack.push({ stop, drains: true })
  }

  async run(drainMs: number): Promise<void> {
    this.#begins.abort()
    const until = this.#now() + drainMs
    for (let next = this.#stack.pop(); next !== undefined; next = this.#stack.pop()) {
      const stopped = this.#begun(next.stop)
      await (next.drains ? within(Math.max(0, until - this.#now()), stopped, undefined) : stopped)
    }
  }

  /** A part that fails to stop must not keep the ledger from being closed. */
  async #begun(stop: Stop): Promise<void> {
    try {
      await stop()
    } catch (error) {
      this.#say('error', 'a part of the lane did not stop as it should', { why: reasonOf(error) })
    }
  }
}
