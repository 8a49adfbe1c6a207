// The rows of keys whose places are in no table yet, by the beginnings of their keys. They lie in two arrays of numbers: as
// objects of a map each would be carried by the collector, and be looked for all over memory.

/** No hash begins with it. */
const NOTHING = -1
/** A power of two; doubled when half of it is taken. */
const ROOM = 1_024

export class Fresh {
  /** Each at the slot that its last bits name, or behind it. */
  #beginnings = new Float64Array(ROOM).fill(NOTHING)
  #rows = new Float64Array(ROOM)
  #size = 0

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
    for (let at = beginning & last; beginnings[at] !== NOTHING; at = (at + 1) & last)
      if (beginnings[at] === beginning) on(rows[at] ?? NOTHING)
  }

  /** Beginning and row by turns, in the order of the beginnings. */
  inOrder(): Float64Array {
    const places = new Float64Array(2 * this.#size)
    let [at, before] = [0, NOTHING]
    for (const beginning of this.#beginnings.filter(one => one !== NOTHING).sort()) {
      // Each of several has its place by the first of them.
      if (beginning === before) continue
      before = beginning
      this.each(beginning, row => {
        places[at++] = beginning
        places[at++] = row
      })
    }
    return places
  }

  #put(beginning: number, row: number): void {
    const last = this.#rows.length - 1
    let at = beginning & last
    while (this.#beginnings[at] !== NOTHING) at = (at + 1) & last
    this.#beginnings[at] = beginning
    this.#rows[at] = row
  }

  #double(): void {
    const [beginnings, rows] = [this.#beginnings, this.#rows]
    this.#beginnings = new Float64Array(2 * rows.length).fill(NOTHING)
    this.#rows = new Float64Array(2 * rows.length)
    for (const [at, beginning] of beginnings.entries())
      if (beginning !== NOTHING) this.#put(beginning, rows[at] ?? NOTHING)
  }
}
