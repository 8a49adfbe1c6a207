// A store unlocked with a key of the tests', as a lane's start unlocks it with the one of its keyring.
import { createHmac } from 'node:crypto'
import type { SealKey, Store } from '../src/ledger/contract.js'

export const SEAL_KEY: SealKey = {
  kid: 'testtest',
  mac: words => createHmac('sha256', 'a key of the tests').update(words).digest('hex'),
}

export function unlocked<S extends Store>(store: S): S {
  store.seals.unlock(SEAL_KEY)
  return store
}
