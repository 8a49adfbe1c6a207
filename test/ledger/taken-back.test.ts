// Whether a passkey was taken back is asked with every reading of passkeys and inside the append, so it is searched for by an
// index, also in a store from before there was one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { STANDING as STANDING_IN_POSTGRES } from '../../src/ledger/postgres/passkeys.js'
import { LEDGER_FILE, openSqlite } from '../../src/ledger/sqlite/open.js'
import { STANDING } from '../../src/ledger/sqlite/passkeys.js'
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/schema.js'
import { present, startPostgres } from '../cluster/postgres.js'
import { note, TestClock } from '../contract/ledger/stage.js'
import { registered } from '../passkey/registered.js'
import { unlocked } from '../unlocked.js'

const COLUMNS = ['credential_hash', 'credential_id', 'user_id'] as const

test('SQLite searches for it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lane-taken-'))
  const { ledger, file } = openSqlite(directory, new TestClock())
  const db = new Sqlite(file, { readonly: true })
  try {
    for (const column of COLUMNS) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT * FROM ${STANDING} AND p.${column} = ?`).all('x')
      expect(plan).toContainEqual(
        expect.objectContaining({ detail: 'SEARCH e USING INDEX entries_revoking (<expr>=?)' }),
      )
    }
  } finally {
    db.close()
    void ledger.close()
    rmSync(directory, { recursive: true, force: true })
  }
})

test.runIf(present)('PostgreSQL searches for it', async () => {
  const server = await startPostgres()
  const url = await server.corner()
  await (await openPostgres(url)).ledger.close()
  const client = new pg.Client(url)
  await client.connect()
  try {
    // As the store's own connections are set.
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off',
    )
    for (const column of COLUMNS) {
      const text = `EXPLAIN SELECT * FROM ${STANDING_IN_POSTGRES} AND p.${column} = $1`
      const { rows } = await client.query({ text, values: ['x'] })
      const steps = rows.map(row => String(row['QUERY PLAN']))
      const at = steps.findIndex(step => /Index Scan using entries_revoking on entries e/.test(step))
      expect(steps[at + 1]).toContain('Index Cond')
    }
  } finally {
    await client.end()
    await server.end()
  }
})

test('a store in which one was taken back before is brought forward, and gives it back to nobody', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'lane-taken-'))
  const opened = () => unlocked(openSqlite(directory, new TestClock()))
  try {
    const before = opened()
    const { credential_hash } = await registered(before, 'ada')
    await note(before.ledger, [
      { type: 'PASSKEY_REVOKED', body: { user_id: 'ada', credential_hash, by: 'person' } },
    ])
    await before.ledger.close()
    const db = new Sqlite(join(directory, LEDGER_FILE))
    db.exec('DROP INDEX entries_revoking; DROP INDEX sessions_by_passkey')
    db.pragma(`user_version = ${SCHEMA_VERSION - 1}`)
    db.close()
    const after = opened()
    expect(await after.shelf.passkey(credential_hash)).toBeNull()
    await after.ledger.close()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
