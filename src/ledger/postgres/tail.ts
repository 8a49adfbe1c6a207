// What was committed, told in order, once, on every replica. Our own commits are known at once; of the others' we hear
// by NOTIFY, and a look once a second finds what was not heard.
//
// N1  Every entry is told once, in the order of its seq, none left out.
// N2  An own commit is told at once, before whoever made it is told; only where it stands behind others' entries it waits
//     until those have been read. So nothing is read from the database while a commit of ours is under way.
import type { Entry } from '../../event.js'
import type { OnCommit } from '../contract.js'
import { parseEntry } from '../entry.js'

type ReadLines = (from: number, limit: number) => Promise<readonly string[]>

const PAGE = 500

export class Tail {
  readonly #read: ReadLines
  readonly #listeners = new Set<OnCommit>()
  /** The seq that is told next. While #filling it is moved by #fill alone. */
  #next: number
  /** Own commits that came before what stands between, by the seq they begin with. */
  readonly #early = new Map<number, readonly Entry[]>()
  #filling = false
  /** A commit of ours is under way. Owned by begin() and end(). */
  #committing = false
  /** The greatest size heard of. */
  #rumour = 0

  constructor(size: number, read: ReadLines) {
    this.#next = size
    this.#read = read
  }

  listen(listener: OnCommit): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  begin(): void {
    this.#committing = true
  }

  /** What this process has committed since begin(), if anything. */
  end(entries: readonly Entry[]): void {
    this.#committing = false
    const [first] = entries
    if (first !== undefined && first.seq >= this.#next) {
      if (!this.#filling && first.seq === this.#next) this.#tell(entries, true)
      else this.#early.set(first.seq, entries)
    }
    this.heard(first?.seq ?? 0)
  }

  /** The ledger has at least this many entries. */
  heard(size: number): void {
    this.#rumour = Math.max(this.#rumour, size)
    if (this.#rumour <= this.#next || this.#filling || this.#committing) return
    this.#filling = true
    void this.#fill()
      // The database is away: the next look begins where this one stopped.
      .catch(() => {
        this.#early.clear()
        this.#rumour = 0
      })
      .then(() => {
        this.#filling = false
        // What came in between the last reading and now.
        for (const seq of this.#early.keys()) this.heard(seq + 1)
      })
  }

  async #fill(): Promise<void> {
    for (;;) {
      const early = this.#early.get(this.#next)
      if (early !== undefined) {
        this.#tell(early, true)
        continue
      }
      const upTo = Math.min(...this.#early.keys())
      const lines = await this.#read(this.#next, Math.min(PAGE, upTo - this.#next))
      if (lines.length === 0) return
      this.#tell(lines.map(parseEntry), false)
    }
  }

  #tell(entries: readonly Entry[], own: boolean): void {
    this.#next += entries.length
    for (const seq of this.#early.keys()) if (seq < this.#next) this.#early.delete(seq)
    for (const listener of this.#listeners) {
      try {
        listener(entries, own)
      } catch (error) {
        // A listener's bug must not make a committed append look like a failed one; it surfaces on its own.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
