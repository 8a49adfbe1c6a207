// The sweep: one replica at a time rings the requests that are overdue in the ledger itself, so that no deadline
// rests on Redis.
//
// BS1  An overdue request is rung without asking Redis: a lost alarm is late by GRACE_MS and a round at most.
import type { Store } from '../../ledger/contract.js'
import { overdue, REST_MS } from '../overdue.js'
import type { Rings } from './rings.js'
import { type Rounds, startRounds } from './rounds.js'
import type { Troubles } from './trouble.js'

/** The time an alarm has to ring by itself before the sweep rings it. */
const GRACE_MS = 1_000

type SweepParts = {
  readonly store: Store
  readonly rings: Rings
  readonly troubles: Troubles
  readonly onTrouble: (error: unknown) => void
}

export function startSweep({ store, rings, troubles, onTrouble }: SweepParts): Rounds {
  const { ledger } = store
  const ring = (id: string): Promise<void> => rings.ring(id, ledger.now() - REST_MS)
  const due = overdue(ledger, ring, onTrouble)
  return startRounds({
    store,
    name: 'sweep',
    go: async stopped => void (await due.ringAll(GRACE_MS, stopped)),
    onTrouble(error) {
      troubles.begin('sweep', 'the sweep cannot read the ledger')
      onTrouble(error)
    },
    onWell: () => troubles.end('sweep'),
  })
}
