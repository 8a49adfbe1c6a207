// Two profiles, one program. All that differs between them is chosen here and nowhere else: the store of the ledger,
// and the alarm clock. Neither profile loads the packages of the other.

import { machineClock } from '../clock.js'
import type { Settings } from '../config/settings.js'
import type { Alarms, Ring } from '../deadline/alarms.js'
import type { Store } from '../ledger/contract.js'
import { reasonOf, type Say } from '../say.js'

export async function openStore({ databaseUrl, dataDir }: Settings): Promise<Store> {
  if (databaseUrl === null) {
    const { openSqlite } = await import('../ledger/sqlite/open.js')
    return openSqlite(dataDir, machineClock)
  }
  const { openPostgres } = await import('../ledger/postgres/open.js')
  return openPostgres(databaseUrl)
}

export async function startAlarms(
  { redisUrl }: Settings,
  store: Store,
  ring: Ring,
  say: Say,
): Promise<Alarms> {
  if (redisUrl !== null) {
    const { startBullmq } = await import('../deadline/bullmq/start.js')
    return startBullmq({ store, url: redisUrl, ring, say })
  }
  const { startTimer } = await import('../deadline/timer.js')
  return startTimer(store.ledger, ring, error =>
    say('error', 'an alarm could not be answered; it rings again', { why: reasonOf(error) }),
  )
}
