// The newest head this process knows of, from any replica. A ledger that is shorter than that, or ends otherwise, has
// lost acknowledged entries: a server was replaced by one that had fewer. That is remembered, however much others
// append meanwhile, until somebody has looked and started the lane anew.
import { LedgerUnavailable } from '../contract.js'
import type { HeadRow } from './tables.js'

const LOST =
  'the database has fewer entries than before, or others: find out which server has them, then start the lane again'

export class KnownHead {
  #head: HeadRow | null = null
  #lost = false

  get head(): HeadRow | null {
    return this.#head
  }

  get isWhole(): boolean {
    return !this.#lost
  }

  /** A head that was read; `known` is the head known when the question was sent: answers may overtake each other. */
  see(head: HeadRow, known: HeadRow | null): void {
    if (hasLost(known, head)) this.#lost = true
    this.assertWhole()
    this.keep(head)
  }

  /** A head that was committed. */
  keep(head: HeadRow): void {
    if (this.#head === null || head.size > this.#head.size) this.#head = head
  }

  assertWhole(): void {
    if (this.#lost) throw new LedgerUnavailable(LOST)
  }
}

const hasLost = (before: HeadRow | null, now: HeadRow): boolean =>
  before !== null && (now.size < before.size || (now.size === before.size && now.hash !== before.hash))
