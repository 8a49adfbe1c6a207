// The rows of keys whose places are in no table yet, by the beginnings of their keys. They lie in two arrays of numbers: as
// objects of a map each would be carried by the collector, and be looked for all over memory.
import { randomInt } from 'node:crypto'

/** No hash begins with it. */
const NOTHING = -1
/** A power of two; doubled when half of it is taken. */
const ROOM = 1_024
const WORD_BITS = 32
/** Multipliers of the last and of the first bits of a beginning, drawn at each start. Without them anybody could choose contents
 *  whose hashes have the same last bits: all would want one slot, and each would be looked for behind the others. */
const [BY_LAST, BY_FIRST] = [oddWord(), oddWord()]

function oddWord(): number {
  return 2 * randomInt(2 ** (WORD_BITS - 1)) + 1
}

export class Fresh {
  /** Each lies in its slot (#slotOf), or in the next one that was free. */
  #beginnings = new Float64Array(ROOM).fill(NOTHING)
  #rows = new Float64Array(ROOM)
  #size = 0
  /** The bits of a word, less those that name a slot. */
  #rest = WORD_BITS - Math.log2(ROOM)

  /** The number of places. */
  get size(): number {
    return this.#size
  }

  add(beginning: number, row: number): void {
    if (2 * (this.#size + 1) > this.#rows.length) this.#double()
    this.#put(beginning, row)
    this.#size += 1
  }

  /** Passes each row of this beginning on. */
  each(beginning: number, on: (row: number) => void): void {
    const [beginnings, rows] = [this.#beginnings, this.#rows]
    const last = rows.length - 1
    for (let at = this.#slotOf(beginning); beginnings[at] !== NOTHING; at = (at + 1) & last)
      if (beginnings[at] === beginning) on(rows[at] ?? NOTHING)
  }

  /** Beginning and row by turns, in the order of the beginnings. */
  inOrder(): Float64Array {
    const places = new Float64Array(2 * this.#size)
    let [at, before] = [0, NOTHING]
    for (const beginning of this.#beginnings.filter(one => one !== NOTHING).sort()) {
      // All rows of a beginning are told when it is first met.
      if (beginning === before) continue
      before = beginning
      this.each(beginning, row => {
        places[at++] = beginning
        places[at++] = row
      })
    }
    return places
  }

  #slotOf(beginning: number): number {
    const mixed = Math.imul(beginning, BY_LAST) + Math.imul(beginning / 2 ** WORD_BITS, BY_FIRST)
    return mixed >>> this.#rest
  }

  #put(beginning: number, row: number): void {
    const last = this.#rows.length - 1
    let at = this.#slotOf(beginning)
    while (this.#beginnings[at] !== NOTHING) at = (at + 1) & last
    this.#beginnings[at] = beginning
    this.#rows[at] = row
  }

  #double(): void {
    const [beginnings, rows] = [this.#beginnings, this.#rows]
    this.#beginnings = new Float64Array(2 * rows.length).fill(NOTHING)
    this.#rows = new Float64Array(2 * rows.length)
    this.#rest -= 1
    for (const [at, beginning] of beginnings.entries())
      if (beginning !== NOTHING) this.#put(beginning, rows[at] ?? NOTHING)
  }
}
