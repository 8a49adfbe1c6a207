// The requests rung lately, in this process: in a burst the worker and the sweep come to the same requests, and the
// second would read a whole story to learn that there is nothing left to do.
import type { Ledger } from '../../ledger/contract.js'
import type { Ring } from '../alarms.js'

/** A ring is remembered this long: by then its job has been taken, or it is the sweep's matter. */
const REMEMBERED_MS = 10_000

export class Rings {
  readonly #ledger: Ledger
  readonly #ring: Ring
  /** When each request was last rung, the longest ago first. */
  readonly #last = new Map<string, number>()

  constructor(ledger: Ledger, ring: Ring) {
    this.#ledger = ledger
    this.#ring = ring
  }

  /** Rings, unless the request was rung at or after `since`. */
  async ring(requestId: string, since: number): Promise<void> {
    const now = this.#ledger.now()
    if ((this.#last.get(requestId) ?? Number.NEGATIVE_INFINITY) >= since) return
    this.#remember(requestId, now)
    try {
      await this.#ring(requestId)
    } catch (error) {
      this.#last.delete(requestId)
      throw error
    }
  }

  #remember(requestId: string, now: number): void {
    this.#last.delete(requestId)
    this.#last.set(requestId, now)
    for (const [id, at] of this.#last) {
      if (at > now - REMEMBERED_MS) return
      this.#last.delete(id)
    }
  }
}
