// The cluster's database, looked at without changing anything: whether it can be reached, makes commits durable, and
// has the tables this program knows.

import type { Settings } from '../../config/settings.js'
import { findSecret, openSecret } from '../../keys/secret.js'
import type { Client } from '../../ledger/postgres/connection.js'
import type { KeyRow } from '../../ledger/shelf.js'
import { reasonOf } from '../../say.js'
import { sayDuration } from '../duration.js'
import { type Finding, fail, ok, warn } from './finding.js'
import { checkAbsences } from './ladder.js'
import { checkSeals, type Each } from './seals.js'
import { judgeLast } from './store.js'

/** A lane takes time from the database; a difference matters only to people who compare. */
const SKEW_MS = 2_000
/** Writer, listener, holder and readers, and one more while a backup or an audit is made. */
const CONNECTIONS_OF_A_REPLICA = 7

export async function checkDatabase(settings: Settings, now: () => number): Promise<Finding[]> {
  const { databaseUrl } = settings
  if (databaseUrl === null) return []
  const { connector, leave } = await import('../../ledger/postgres/connection.js')
  let client: Client | null = null
  try {
    client = await connector(databaseUrl)('doctor')
    return [
      ...(await checkDurability(client)),
      await checkConnections(client),
      await checkClock(client, now),
      ...(await checkTables(client, settings)),
    ]
  } catch (error) {
    const remedy = 'start PostgreSQL, or correct DATABASE_URL'
    return [fail('database', `cannot be used (${reasonOf(error)})`, remedy)]
  } finally {
    if (client !== null) await leave(client)
  }
}

async function checkDurability(client: Client): Promise<Finding[]> {
  const { durability, flawsOf } = await import('../../ledger/postgres/durability.js')
  const found = await durability(client)
  const flaws = flawsOf(found)
  return flaws.length === 0
    ? [ok('database', `PostgreSQL ${found.version}, fsync and synchronous_commit are on`)]
    : flaws.map(flaw => fail('database', flaw, 'the lane does not start with it; see docs/postgres.md'))
}

async function checkConnections(client: Client): Promise<Finding> {
  const { rows } = await client.query<{ most: number; used: number }>(
    `SELECT current_setting('max_connections')::int AS most,
       (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  )
  const { most = 0, used = 0 } = rows[0] ?? {}
  const message = `${used} of ${most} connections are used`
  return most - used >= CONNECTIONS_OF_A_REPLICA
    ? ok('connections', message)
    : warn('connections', message, `a replica needs ${CONNECTIONS_OF_A_REPLICA}: raise max_connections`)
}

async function checkClock(client: Client, now: () => number): Promise<Finding> {
  const asked = now()
  const { rows } = await client.query<{ wall: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS wall',
  )
  const skew = Math.abs((rows[0]?.wall ?? 0) - (asked + now()) / 2)
  return skew <= SKEW_MS
    ? ok('database clock', 'agrees with the clock of this machine')
    : warn(
        'database clock',
        `differs from this machine's by ${sayDuration(skew)}`,
        "deadlines go by the database's clock: set both by a time service",
      )
}

async function checkTables(client: Client, settings: Settings): Promise<Finding[]> {
  const { SCHEMA_VERSION, schemaVersion } = await import('../../ledger/postgres/migrate.js')
  const version = await schemaVersion(client)
  if (version === 0) return [await judgeEmpty(client)]
  if (version !== SCHEMA_VERSION) return [judgeVersion(version, SCHEMA_VERSION)]
  const { rows } = await client.query<{ at: number; wall: number; size: number }>(
    `SELECT size, at_ms AS at, extract(epoch FROM clock_timestamp())::float8 * 1000 AS wall FROM head`,
  )
  const [head] = rows
  if (head === undefined) return [fail('ledger', 'the ledger has no head', 'restore a dump')]
  const last =
    head.size === 0
      ? ok('last entry', 'the ledger is empty')
      : judgeLast(new Date(head.at).toISOString(), head.wall)
  const secret = findSecret(settings.dataDir, settings.secret)
  const seals = await checkSeals(eachIn(client), secret)
  const alone = await checkAbsences(eachIn(client), head.wall)
  const secrets = await checkSecret(client, settings)
  return [ok('schema', `schema version ${version}`), ...secrets, seals, ...alone, last]
}

const PAGE = 1_000

const eachIn = (client: Client): Each =>
  async function* (sql) {
    await client.query('BEGIN')
    try {
      await client.query(`DECLARE looked_at NO SCROLL CURSOR FOR ${sql}`)
      for (;;) {
        const { rows } = await client.query<Record<string, unknown>>(`FETCH ${PAGE} FROM looked_at`)
        if (rows.length === 0) return
        yield* rows.map(asText)
      }
    } finally {
      await client.query('ROLLBACK')
    }
  }

/** References and addresses are text for the lane; a wrapped key stays bytes. */
const asText = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) && name !== 'wrapped' ? value.toString('utf8') : value,
    ]),
  )

/** Without a key in the database there is nothing to check. */
async function checkSecret(client: Client, { dataDir, secret }: Settings): Promise<Finding[]> {
  const { rows } = await client.query<Pick<KeyRow, 'kid' | 'purpose' | 'wrapped'>>(
    `SELECT kid, purpose, wrapped FROM keys WHERE purpose = 'reply-token' AND verify_until IS NULL`,
  )
  const [key] = rows
  if (key === undefined || secret === null) return []
  const { opens } = await import('../../token/key-row.js')
  return opens(key, openSecret(dataDir, secret))
    ? [ok('secret', 'LANE_SECRET opens the signing key')]
    : [fail('secret', 'LANE_SECRET does not open the signing key', 'set the one that all replicas have')]
}

async function judgeEmpty(client: Client): Promise<Finding> {
  const { rows } = await client.query<{ place: string | null; may: boolean | null }>(
    `SELECT current_schema() AS place, has_schema_privilege(current_schema(), 'CREATE') AS may`,
  )
  const { place = null, may = null } = rows[0] ?? {}
  if (place !== null && may === true)
    return warn('ledger', 'the database has no ledger yet', 'the first `lane serve` makes it')
  const seen =
    place === null
      ? 'no schema of the search path is there'
      : `this role may not make tables in schema ${place}`
  return fail('ledger', `no ledger, and ${seen}`, 'give the role a schema of its own; see docs/postgres.md')
}

const judgeVersion = (version: number, known: number): Finding => {
  const message = `schema version ${version}, this program knows ${known}`
  return version < known
    ? warn('schema', message, 'the next `lane serve` brings it forward; take a dump first')
    : fail('schema', message, 'run the newer lane, or restore a dump')
}
