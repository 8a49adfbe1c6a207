// The database's clock, as this process knows it: the wall of the ledger's clock is the database's, the monotonic clock
// is this machine's.
//
// PC1  The database read its clock at some moment between our question and its answer. The moment of that window that
//      agrees best with the expected time is taken, so that a slow answer is not a jump.
// PC2  Two machines' clocks never run alike. A wall that falls behind little by little is followed little by little.
// PC3  now() is never ahead of what the database would say, except where its clock was set back.
// PC4  One replica's suspicion holds for all: it stands in the head until the same or another replica has confirmed
//      or cleared it. A replica that sees nothing wrong for CONFIRM_MS clears it for one that died.
import { type Clock, instant } from '../../clock.js'
import type { Body } from '../../event.js'
import { CONFIRM_MS, JUMP_MS, LedgerClock, type Reading } from '../clock.js'

/** The database's clock, and ours when the question was sent and when the answer had come. */
export type Sighting = { readonly wall: number; readonly asked: number; readonly answered: number }
export type Change = Body<'CLOCK_SUSPECT'>

/** More than any two clocks drift apart by themselves. */
const DRIFT = 1 / 1000

export class DatabaseClock {
  readonly #machine: Pick<Clock, 'monotonic'>
  readonly #ledger: LedgerClock
  /** How far the machine's monotonic clock has run ahead of the database's (PC2). Owned by #follow(). */
  #slip = 0
  #followed: number
  /** Changes of the clock's state that no commit holds yet. */
  readonly #unrecorded: Change[] = []
  /** Another replica's suspicion, by its seq, and since when we have known it and seen nothing wrong. */
  #foreign: { readonly seq: number; readonly since: number } | null = null
  /** The suspicion that stands in the head, as last read there. */
  #standing: number | null = null

  constructor(machine: Pick<Clock, 'monotonic'>, first: Sighting, lastEntryMs: number) {
    this.#machine = machine
    this.#followed = first.answered
    const clock: Clock = { wall: () => first.wall, monotonic: () => this.#monotonic() }
    this.#ledger = new LedgerClock(clock, lastEntryMs)
  }

  #monotonic(at: number = this.#machine.monotonic()): number {
    return at - this.#slip
  }

  now(): number {
    return this.#ledger.peek()
  }

  get suspect(): boolean {
    return this.#ledger.suspect || this.#standing !== null
  }

  /** The head as it was read: its time is behind us, and its suspicion holds here too. */
  heed(lastEntryMs: number, suspected: number | null): void {
    this.#ledger.raise(lastEntryMs)
    this.#standing = suspected
    // Another replica has recorded our suspicion: by the time we append it may be settled, and is no news then.
    if (suspected !== null && this.#unrecorded[0]?.state === 'suspected') this.#unrecorded.shift()
  }

  see({ wall, asked, answered }: Sighting): Reading {
    const latest = { wall, monotonic: this.#monotonic(answered) }
    const earliest = { wall, monotonic: this.#monotonic(asked) }
    const behind = this.#ledger.gap(earliest)
    const ahead = this.#ledger.gap(latest)
    const agreed = { wall, monotonic: latest.monotonic + ahead }
    const reading = this.#ledger.read(ahead > 0 ? latest : behind < 0 ? earliest : agreed)
    if (reading.change) this.#unrecorded.push(reading.change)
    this.#follow(behind, answered)
    return reading
  }

  #follow(behind: number, answered: number): void {
    const most = Math.max(0, answered - this.#followed) * DRIFT
    this.#followed = answered
    if (behind < 0 && behind >= -JUMP_MS) this.#slip += Math.min(-behind, most)
  }

  /** The changes that must be recorded before anything else, given the suspicion in the head (PC4). */
  pending(reading: Reading, suspected: number | null): readonly Change[] {
    const changes: Change[] = []
    let standing = suspected !== null
    for (const change of this.#unrecorded) {
      const suspects = change.state === 'suspected'
      if (suspects !== standing) changes.push(change)
      standing = suspects
    }
    if (changes.length === 0 && standing && !reading.suspect && this.#outlasted(suspected))
      changes.push({ state: 'cleared', wall: instant(reading.ms), expected: instant(reading.ms) })
    return changes
  }

  /** The changes from `pending` are committed, or need not be; `suspected` is now in the head. */
  recorded(suspected: number | null): void {
    this.#unrecorded.length = 0
    this.#standing = suspected
  }

  #outlasted(seq: number | null): boolean {
    const now = this.#machine.monotonic()
    if (seq === null) return false
    if (this.#foreign?.seq !== seq) this.#foreign = { seq, since: now }
    return now - this.#foreign.since >= CONFIRM_MS
  }
}
