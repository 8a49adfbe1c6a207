// Where the appends of a ledger of before there were seals began and ended is not known any more. What stands together in it
// is sealed together: entries of one story, or of none, that follow on each other.
import type { Entry } from '../event.js'
import { BEGINNING, placeOf, type Sealed, type Standing } from './seals.js'

export class Runs {
  #run: Entry[] = []
  #story: number | null = null
  /** Where each story stands so far, by the seq it begins with. */
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
