// A store that the bench fills itself is unlocked as a lane's start unlocks it, with the secret of the run: a lane can then be
// started on it.

import { secretOf } from '../src/keys/secret.js'
import { unlock } from '../src/keys/unlocking.js'
import type { Store } from '../src/ledger/contract.js'
import { NEWEST_RULES } from '../src/rules.js'

export const SECRET = 'a secret of this run, and no other'

export async function unlocked<S extends Store>(store: S, profile: 'embedded' | 'cluster'): Promise<S> {
  const body = { version: 'bench', grammar: '1', profile, rules: NEWEST_RULES } as const
  await unlock(store, secretOf(SECRET), { type: 'LANE_STARTED', body })
  return store
}
