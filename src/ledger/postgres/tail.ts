// Commits, told in order, once, on every replica. Our own commits are known at once; NOTIFY tells of the others', and
// a look once a second finds those that were not heard.
//
// PT1  Every entry is told once, in the order of its seq. Only others' entries of types that nobody here heeds are
//      left out: their texts are not even read, or each replica would pay for the work of all the others.
// PT2  An own commit is told at once, before the appender learns of it. Only where it stands behind others' entries
//      does it wait until those have been read. No reading begins while a commit of ours is under way: it would bring
//      back our own.
// PT3  A listener to own commits hears of each at once and whole, even if it was read before the COMMIT was answered.
import type { Entry, EventType } from '../../event.js'
import type { OnCommit } from '../contract.js'
import { parseEntry } from '../entry.js'

/** Null for all types. */
export type Heeded = readonly EventType[] | null
/** The entries from a place on, one after the other; null for those of a type that is not heeded. */
type ReadLines = (from: number, limit: number, heeded: Heeded) => Promise<readonly (string | null)[]>

const PAGE = 500

export class Tail {
  readonly #read: ReadLines
  /** Each with the types it heeds. */
  readonly #listeners = new Map<OnCommit, Heeded>()
  readonly #ownListeners = new Set<OnCommit>()
  /** The seq that is told next. While #filling it is moved by #fill alone. */
  #next: number
  /** Own commits ahead of entries that are not read yet, by the seq they begin with. */
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

  listen(listener: OnCommit, heeded: Heeded): () => void {
    this.#listeners.set(listener, heeded)
    return () => this.#listeners.delete(listener)
  }

  listenToOwn(listener: OnCommit): () => void {
    this.#ownListeners.add(listener)
    return () => this.#ownListeners.delete(listener)
  }

  /** The types that any of the listeners heeds. */
  get #heeded(): Heeded {
    const types = new Set<EventType>()
    for (const heeded of this.#listeners.values()) {
      if (heeded === null) return null
      for (const type of heeded) types.add(type)
    }
    return [...types]
  }

  begin(): void {
    this.#committing = true
  }

  /** The entries this process has committed since begin(), if any. */
  end(entries: readonly Entry[]): void {
    this.#committing = false
    const [first] = entries
    if (first !== undefined) this.#own(first.seq, entries)
    this.heard((first?.seq ?? 0) + entries.length)
  }

  #own(seq: number, entries: readonly Entry[]): void {
    for (const listener of this.#ownListeners) tell(listener, entries)
    if (seq < this.#next) return
    if (!this.#filling && seq === this.#next) this.#tell(entries, entries.length)
    else this.#early.set(seq, entries)
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
        // Own commits that came between the last reading and now.
        for (const seq of this.#early.keys()) this.heard(seq + 1)
      })
  }

  async #fill(): Promise<void> {
    for (;;) {
      const early = this.#early.get(this.#next)
      if (early !== undefined) {
        this.#tell(early, early.length)
        continue
      }
      if (this.#committing) return
      const upTo = Math.min(...this.#early.keys())
      const heeded = this.#heeded
      const lines = await this.#read(this.#next, Math.min(PAGE, upTo - this.#next), heeded)
      if (lines.length === 0) return
      // A listener that heeds more types has come meanwhile.
      if (lines.includes(null) && String(heeded) !== String(this.#heeded)) continue
      const shown = lines.flatMap(line => (line === null ? [] : [parseEntry(line)]))
      this.#tell(shown, lines.length)
    }
  }

  /** Tells the entries that are shown, out of `count`. */
  #tell(entries: readonly Entry[], count: number): void {
    this.#next += count
    for (const seq of this.#early.keys()) if (seq < this.#next) this.#early.delete(seq)
    for (const listener of this.#listeners.keys()) tell(listener, entries)
  }
}

/** A listener's bug must not make a committed append look like a failed one; it surfaces on its own. */
function tell(listener: OnCommit, entries: readonly Entry[]): void {
  try {
    listener(entries)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
