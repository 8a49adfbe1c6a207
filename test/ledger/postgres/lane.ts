// A lane on a PostgreSQL store, with one channel that a test plays: as much of a replica as its ledger concerns.

import { Lane } from '../../../src/lane/lane.js'
import type { Store } from '../../../src/ledger/contract.js'
import { Absences } from '../../../src/people/absences.js'
import { Directory } from '../../../src/people/directory.js'
import { Rests } from '../../../src/people/rests.js'
import { openKeyring, rotate } from '../../../src/token/keyring.js'
import { configure, SECRET, type StageAdapter } from '../../lane/stage.js'

export const RUN = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
export const TO_OWNER = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const

export async function laneOn(
  store: Store,
  slack: StageAdapter,
  onTrouble: (error: unknown) => void,
  config = configure(),
): Promise<Lane> {
  const { shelf, ledger } = store
  const ring = (await openKeyring(shelf, SECRET)) ?? (await rotate(shelf, SECRET, ledger.now())).keyring
  return new Lane({
    store,
    config,
    directory: await Directory.open(config.recipients, shelf),
    rests: await Rests.open(store),
    absences: await Absences.open(store),
    adapters: new Map([['slack', slack]]),
    keyring: () => ring,
    publicUrl: () => 'https://lane.example.org',
    keyName: id => id,
    onTrouble,
  })
}
