// A lane on a PostgreSQL store, with one channel that a test plays: as much of a replica as its ledger concerns.
import { Directory } from '../../../src/directory.js'
import { Lane } from '../../../src/lane.js'
import type { Store } from '../../../src/ledger/contract.js'
import { Rests } from '../../../src/rests.js'
import { openKeyring, rotate } from '../../../src/token/keyring.js'
import { configure, SECRET, type StageAdapter } from '../../lane/stage.js'

export const RUN = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
export const TO_OWNER = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const

export async function laneOn(
  store: Store,
  slack: StageAdapter,
  onTrouble: (error: unknown) => void,
): Promise<Lane> {
  const config = configure()
  const { shelf, ledger } = store
  const ring = (await openKeyring(shelf, SECRET)) ?? (await rotate(shelf, SECRET, ledger.now())).keyring
  return new Lane({
    store,
    config,
    directory: await Directory.open(config, shelf),
    rests: await Rests.open(store),
    adapters: new Map([['slack', slack]]),
    keyring: () => ring,
    publicUrl: () => 'https://lane.example.org',
    keyName: id => id,
    onTrouble,
  })
}
