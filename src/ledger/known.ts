// The lines this process has sealed or checked lately, with their place in their story: bytes that are still the same need not
// be hashed again.
import type { Hash } from '../canonical.js'

/** So many lines at least are known, and twice as many at most: some five megabytes. A story that is read later than so many
 *  entries after it was written pays for the check. */
const KEPT = 4_096

/** Which version of its story a line made, and the hash of the entry before it there. */
type Place = { readonly version: number; readonly follows: Hash | null }
type Line = Place & { readonly line: string }

export class Known {
  /** By seq: those of now, and those before them. What is full takes the place of the older ones. */
  #newer = new Map<number, Line>()
  #older = new Map<number, Line>()

  add(seq: number, line: Line): void {
    if (this.#newer.size >= KEPT) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(seq, line)
  }

  /** Null for other bytes than were known. */
  placeOf(seq: number, line: string): Place | null {
    const known = this.#newer.get(seq) ?? this.#older.get(seq)
    return known !== undefined && known.line === line ? known : null
  }
}
