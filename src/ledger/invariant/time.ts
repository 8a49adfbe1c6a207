// I5: the ledger's clock, as its entries tell of it.
import { instant } from '../../clock.js'
import type { Entry } from '../../event.js'
import type { Book } from './book.js'
import { type Flaw, flaw } from './invariants.js'

export function checkTime(book: Book, entry: Entry): Flaw | null {
  const { at } = entry
  const { lastAt, suspect } = book
  // A lane that starts anchors its clock anew, which settles the suspicion of the one before it.
  if (entry.type === 'CLOCK_SUSPECT') book.suspect = entry.body.state === 'suspected'
  else if (entry.type === 'LANE_STARTED') book.suspect = false
  if (at !== lastAt) {
    if (!isInstant(at)) return flaw('I5', `${at} is not an instant`)
    if (at < lastAt) return flaw('I5', `${at} is before ${lastAt}`)
    book.lastAt = at
  }
  return entry.type === 'TIMEOUT_RECEIPT' && suspect
    ? flaw('I5', 'timed out while the clock was suspect')
    : null
}

const isInstant = (at: string): boolean => later(at, 0) === at

/** The end of what a Date can say; it throws beyond. */
const LAST_MS = 8_640_000_000_000_000

/** So many seconds after `at`, spelt as the ledger spells it; null when `at` is no time of any day, or the sum is
 *  beyond all calendars. */
export function later(at: string, seconds: number): string | null {
  const ms = Date.parse(at) + seconds * 1000
  return Number.isNaN(ms) || ms > LAST_MS ? null : instant(ms)
}
