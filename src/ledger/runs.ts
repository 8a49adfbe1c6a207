// In a ledger from before there were seals, the limits of its appends are no longer known. Entries that stand
// together are sealed together: neighbours of one story, or of none.
import type { Entry } from '../event.js'
import { BEGINNING, placeOf, type Sealed, type Standing } from './seals.js'

export class Runs {
  #run: Entry[] = []
  #story: number | null = null
  /** The standing of each story so far, by the seq it begins with. */
  readonly #standing = new Map<number, Standing>()

  /** The run that ends before this entry, if one does. */
  add(entry: Entry, story: number | null): Sealed | null {
    const ended = story === this.#story ? null : this.end()
    this.#story = story
    this.#run.push(entry)
    return ended
  }

  /** The run that is under way, if one is. */
  end(): Sealed | null {
    if (this.#run.length === 0) return null
    const story = this.#story
    const sealed = placeOf(this.#run, story === null ? null : (this.#standing.get(story) ?? BEGINNING))
    if (story !== null) this.#standing.set(story, { version: sealed.after, last: sealed.hash })
    this.#run = []
    return sealed
  }
}
