// Where the appends of a ledger of before there were seals began and ended is not known any more. What stands together in it
// is sealed together: entries of one story, or of none, that follow on each other.
import type { Entry } from '../event.js'
import { placeOf, type Sealed } from './seals.js'

export class Runs {
  #run: Entry[] = []
  #story: number | null = null
  /** How many entries each story has so far, by the seq it begins with. */
  readonly #versions = new Map<number, number>()

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
    const before = story === null ? 0 : (this.#versions.get(story) ?? 0)
    const sealed = placeOf(this.#run, story, before)
    if (story !== null) this.#versions.set(story, sealed.after)
    this.#run = []
    return sealed
  }
}
