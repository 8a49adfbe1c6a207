// A session made for a test, by the lane's own code and in the lane's own store: a second connection to its file, with
// the seals of its keyring. What a browser would have is the cookie.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { findSecret } from '../../src/keys/secret.js'
import { Seals } from '../../src/ledger/seals.js'
import { openLate } from '../../src/ledger/sqlite/late.js'
import { LEDGER_FILE } from '../../src/ledger/sqlite/open.js'
import { sqliteShelf } from '../../src/ledger/sqlite/shelf.js'
import { Storage } from '../../src/ledger/sqlite/storage.js'
import { begin } from '../../src/session/session.js'
import { openSealKey } from '../../src/token/keyring.js'
import type { LaneUnderTest } from '../lane-under-test.js'

type Who = Parameters<typeof begin>[1]

/** The header by which a browser shows its session, for an embedded lane on this machine. */
export async function signedIn(
  { dataDir }: Pick<LaneUnderTest, 'dataDir'>,
  who: Who,
  given: string | null = null,
): Promise<{ readonly cookie: string }> {
  const secret = findSecret(dataDir, given)
  if (secret === null) throw new Error('the lane has not started yet')
  const db = new Sqlite(join(dataDir, LEDGER_FILE))
  try {
    const seals = new Seals()
    const shelf = sqliteShelf(db, new Storage(), seals, openLate(db))
    const key = openSealKey(await shelf.keyring(), secret)
    if (key === null) throw new Error('the keyring has no key that seals')
    seals.unlock(key)
    // The clock of the machine, which an embedded lane goes by.
    const { id } = await begin({ shelf, ledger: { now: () => Date.now() } }, who)
    return { cookie: `lane-session=${id}` }
  } finally {
    db.close()
  }
}

export const asPerson = (
  lane: Pick<LaneUnderTest, 'dataDir'>,
  user_id = 'operator',
  given: string | null = null,
) => signedIn(lane, { kind: 'person', user_id, by: 'oidc' }, given)
