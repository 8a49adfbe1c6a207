// The lines this process has sealed or checked lately, with their place in their story: bytes that have not changed
// need not be hashed again.
import type { Hash } from '../canonical.js'

/** At least this many lines are known, and at most twice as many: some five megabytes. A story read again after more
 *  entries than that pays for the check. */
const KEPT = 4_096

/** The version of its story that a line made, and the hash of the entry before it there. */
type Place = { readonly version: number; readonly follows: Hash | null }
type Line = Place & { readonly line: string }

export class Known {
  /** By seq: the lines of now, and those before them. When the newer map is full it replaces the older one. */
  #newer = new Map<number, Line>()
  #older = new Map<number, Line>()

  add(seq: number, line: Line): void {
    if (this.#newer.size >= KEPT) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(seq, line)
  }

  /** Null where the bytes differ from the known ones. */
  placeOf(seq: number, line: string): Place | null {
    const known = this.#newer.get(seq) ?? this.#older.get(seq)
    return known !== undefined && known.line === line ? known : null
  }
}
