// The ledger's clock: the wall anchored to the monotonic clock, so that time in the ledger never goes back and a jump
// of the wall is noticed instead of believed.
//
// LC1  A reading is never before an earlier one, nor before the last entry of a reopened ledger.
// LC2  When the wall and the anchored time part by more than JUMP_MS, the clock is suspect: time goes on by the
//      monotonic clock alone and nothing may time out.
// LC3  A second reading that agrees with the jump, CONFIRM_MS of monotonic time later, confirms it. A forward jump is
//      then taken over; after a backward one the ledger's time simply goes on.
// LC4  If the wall returns before that, the suspicion is cleared.
import { type Clock, instant } from '../clock.js'
import type { Body } from '../event.js'

/** A smaller difference is drift, which time services correct as a matter of course. */
export const JUMP_MS = 60_000
/** Long enough for a time service to correct itself, short enough that defaults are not held up for long. */
export const CONFIRM_MS = 30_000

/** The wall and the monotonic clock, read at one moment. */
type Sight = { readonly wall: number; readonly monotonic: number }

export type Reading = {
  readonly ms: number
  readonly suspect: boolean
  /** Set once, when the state of trust has just changed: the ledger records it. */
  readonly change: Body<'CLOCK_SUSPECT'> | null
}

export class LedgerClock {
  readonly #clock: Clock
  /** Ledger time minus monotonic time. Owned by read(). */
  #offset: number
  #last: number
  #suspicion: { readonly gap: number; readonly since: number } | null = null

  constructor(clock: Clock, lastEntryMs: number) {
    this.#clock = clock
    const wall = clock.wall()
    this.#last = lastEntryMs
    this.#offset = Math.max(wall, lastEntryMs) - clock.monotonic()
  }

  read(sight: Sight = { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() }): Reading {
    const { wall, monotonic } = sight
    const expected = monotonic + this.#offset
    const gap = this.gap(sight)
    const change = this.#judge(gap, monotonic, wall, expected)
    if (this.#suspicion === null && gap > 0 && gap <= JUMP_MS) this.#offset += gap
    this.#last = Math.max(this.#last, Math.floor(monotonic + this.#offset))
    return { ms: this.#last, suspect: this.#suspicion !== null, change }
  }

  /** The wall's lead over the expected time. */
  gap({ wall, monotonic }: Sight): number {
    return wall - monotonic - this.#offset
  }

  /** In a ledger that others write as well, time is never before the entries they have written. */
  raise(ms: number): void {
    this.#last = Math.max(this.#last, ms)
  }

  get suspect(): boolean {
    return this.#suspicion !== null
  }

  /** The ledger's time without judging the wall: what an append would read if nothing has jumped. */
  peek(): number {
    return Math.max(this.#last, Math.floor(this.#clock.monotonic() + this.#offset))
  }

  #judge(gap: number, monotonic: number, wall: number, expected: number): Reading['change'] {
    const report = (state: Body<'CLOCK_SUSPECT'>['state']) => ({
      state,
      wall: instant(wall),
      expected: instant(Math.floor(expected)),
    })
    const held = this.#suspicion
    if (held === null) {
      if (Math.abs(gap) <= JUMP_MS || this.#accepted(gap)) return null
      this.#suspicion = { gap, since: monotonic }
      return report('suspected')
    }
    if (Math.abs(gap) <= JUMP_MS) {
      this.#suspicion = null
      return report('cleared')
    }
    if (Math.abs(gap - held.gap) > JUMP_MS) {
      this.#suspicion = { gap, since: monotonic }
      return null
    }
    if (monotonic - held.since < CONFIRM_MS) return null
    this.#suspicion = null
    if (gap > 0) this.#offset += gap
    else this.#behind = gap
    return report('confirmed')
  }

  /** A confirmed backward jump stays true: the wall is then this far behind the ledger for good. */
  #behind = 0
  #accepted(gap: number): boolean {
    return this.#behind < 0 && Math.abs(gap - this.#behind) <= JUMP_MS
  }
}
