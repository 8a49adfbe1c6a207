// I30, as far as the lines show it: the one entry after which a missing seal is a wrong one.
import type { EntryOf } from '../../event.js'
import type { Book } from './book.js'
import { type Flaw, flaw } from './invariants.js'

export function checkSealing(book: Book, { body, seq }: EntryOf<'LEDGER_SEALED'>): Flaw | null {
  const { previous, isSealed } = book
  book.isSealed = true
  if (isSealed) return flaw('I30', 'sealed twice')
  if (previous?.type !== 'LANE_STARTED') return flaw('I30', 'it does not stand directly after LANE_STARTED')
  const isTrue = body.size === seq - 1 && body.hash === previous.prev
  return isTrue ? null : flaw('I30', 'the ledger had another size or hash before it')
}
