// Brings a database forward, one numbered file a transaction, while every other replica waits. A change of shape is a
// new file, never an edit of an old one. The lanes still running must be able to live with it unless the rules change
// with it. A database of a newer lane is refused rather than guessed at.
import { type Client, query } from './connection.js'
import { ledger } from './migrations/0001-ledger.js'
import { rules2 } from './migrations/0002-rules-2.js'
import { sessions } from './migrations/0003-sessions.js'
import { inbox } from './migrations/0004-inbox.js'
import { passkeys } from './migrations/0005-passkeys.js'
import { evidence } from './migrations/0006-evidence.js'
import { enrolments } from './migrations/0007-enrolments.js'
import { formerGrants } from './migrations/0008-former-grants.js'
import { registrations } from './migrations/0009-registrations.js'
import { sessionsByPasskey } from './migrations/0010-sessions-by-passkey.js'
import { revocations } from './migrations/0011-revocations.js'

const FILES: readonly { readonly name: string; readonly sql: string }[] = [
  { name: '0001-ledger', sql: ledger },
  { name: '0002-rules-2', sql: rules2 },
  { name: '0003-sessions', sql: sessions },
  { name: '0004-inbox', sql: inbox },
  { name: '0005-passkeys', sql: passkeys },
  { name: '0006-evidence', sql: evidence },
  { name: '0007-enrolments', sql: enrolments },
  { name: '0008-former-grants', sql: formerGrants },
  { name: '0009-registrations', sql: registrations },
  { name: '0010-sessions-by-passkey', sql: sessionsByPasskey },
  { name: '0011-revocations', sql: revocations },
]

export const SCHEMA_VERSION = FILES.length

const LOCK = { name: 'lock', text: `SELECT pg_advisory_lock(hashtextextended('lane/migrate', 0))` }
const UNLOCK = { name: 'unlock', text: `SELECT pg_advisory_unlock(hashtextextended('lane/migrate', 0))` }
const TABLE = {
  name: 'table',
  text: `CREATE TABLE IF NOT EXISTS migrations (
    version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
}

export async function migrate(client: Client): Promise<void> {
  await query(client, LOCK)
  try {
    await query(client, TABLE)
    const version = await schemaVersion(client)
    if (version > SCHEMA_VERSION) {
      throw new Error(
        `the database has schema version ${version}, this lane knows ${SCHEMA_VERSION}: run the newer lane, or restore a dump`,
      )
    }
    for (let step = version; step < SCHEMA_VERSION; step++) await apply(client, step)
  } finally {
    await query(client, UNLOCK).catch(() => undefined)
  }
}

async function apply(client: Client, step: number): Promise<void> {
  const file = FILES[step]
  if (file === undefined) throw new Error(`there is no migration ${step + 1}`)
  const record = `INSERT INTO migrations (version, name) VALUES (${step + 1}, '${file.name}')`
  // One simple query is one transaction: all of the file, with its record, or nothing.
  await client.query(`${file.sql}; ${record}`)
}

/** 0 for a database without a lane's tables. */
export async function schemaVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('migrations') IS NOT NULL AS there`,
  )
  if (!rows[0]?.there) return 0
  const newest = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM migrations',
  )
  return newest.rows[0]?.version ?? 0
}
