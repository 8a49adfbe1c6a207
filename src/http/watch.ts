// Callers turned away at the door, for the log: their address, and the id of a key that is ours. Never a secret: a
// wrong one may be a right one with a slip. Lines are bounded, so that nobody can bury the log under their own.
import { networkOf } from './guesses.js'

const WINDOW_MS = 60_000
/** Lines in a window for one address (one network for IPv6), and for all of them together. */
const LINES_EACH = 10
const LINES = 100

export type TurnedAway = {
  readonly address: string
  readonly why: 'unknown_key' | 'revoked_key' | 'scope_missing'
  readonly route: string
  readonly key_id?: string
}

export class Watch {
  readonly #now: () => number
  readonly #tell: (about: object, words: string) => void
  #until = 0
  #lines = 0
  #untold = 0
  /** Lines of this window, by network; never more networks than lines. */
  readonly #each = new Map<string, number>()

  constructor(now: () => number, tell: (about: object, words: string) => void) {
    this.#now = now
    this.#tell = tell
  }

  turnedAway(who: TurnedAway): void {
    if (this.#now() >= this.#until) this.#begin()
    const network = networkOf(who.address)
    const mine = this.#each.get(network) ?? 0
    if (this.#lines >= LINES || mine >= LINES_EACH) {
      this.#untold++
      return
    }
    this.#lines++
    this.#each.set(network, mine + 1)
    this.#tell(who, 'a caller was turned away')
  }

  #begin(): void {
    if (this.#untold > 0)
      this.#tell({ untold: this.#untold }, 'more callers were turned away than lines were written')
    this.#until = this.#now() + WINDOW_MS
    this.#lines = 0
    this.#untold = 0
    this.#each.clear()
  }
}
