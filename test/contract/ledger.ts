// The ledger's contract, as a suite that every store must pass: the promises L1–L10 of src/ledger/contract.ts, shown on
// a real store that is opened, closed and opened again. A store that reads a clock of its own leaves out `clock`.
import { describe } from 'vitest'
import { appendContract } from './ledger/append.js'
import { clockContract } from './ledger/clock.js'
import { guardContract } from './ledger/guard.js'
import { inboxContract } from './ledger/inbox.js'
import { readingContract } from './ledger/reading.js'
import { shelfContract } from './ledger/shelf.js'
import type { Opener } from './ledger/stage.js'
import { treeContract } from './ledger/tree.js'

export type { Opener, Place } from './ledger/stage.js'

export function ledgerContract(
  name: string,
  opener: Opener,
  has: { readonly handedClock: boolean } = { handedClock: true },
): void {
  describe(`${name} keeps the ledger's contract`, () => {
    appendContract(opener)
    guardContract(opener)
    shelfContract(opener)
    readingContract(opener)
    inboxContract(opener)
    treeContract(opener)
    if (has.handedClock) clockContract(opener)
  })
}
