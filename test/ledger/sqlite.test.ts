// The embedded store: the contract every store keeps, and what only a file can show.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LedgerUnavailable, SealBroken } from '../../src/ledger/contract.js'
import { AlreadyRunning } from '../../src/ledger/sqlite/lock.js'
import { durability, LEDGER_FILE, openReadOnly, openSqlite } from '../../src/ledger/sqlite/open.js'
import { migrate, SCHEMA_VERSION } from '../../src/ledger/sqlite/schema.js'
import { verify } from '../../src/ledger/verify.js'
import { note, open, TestClock, withdraw } from '../contract/ledger/stage.js'
import { ledgerContract } from '../contract/ledger.js'
import { SEAL_KEY, unlocked } from '../unlocked.js'

const makeDirectory = (): string => mkdtempSync(join(tmpdir(), 'lane-ledger-'))

ledgerContract('SQLite', async () => {
  const directory = makeDirectory()
  return {
    open: async clock => openSqlite(directory, clock),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  }
})

/** The last schema of rules 1. */
const OF_RULES_1 = 5

describe('the file', () => {
  let directory = ''
  beforeEach(() => {
    directory = makeDirectory()
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))
  const openHere = () => unlocked(openSqlite(directory, new TestClock()))

  /** A closed ledger of three entries, its file opened behind the lane's back. */
  async function tampering(): Promise<Database> {
    const { ledger } = openHere()
    await open(ledger, 'q-1')
    await withdraw(ledger, 'q-1')
    await ledger.close()
    return new Sqlite(join(directory, LEDGER_FILE))
  }

  test('[LANE-076] refuses to have an entry changed, replaced or removed', async () => {
    const db = await tampering()
    for (const sql of [
      `UPDATE entries SET line = replace(line, 'withdrawn', 'answered')`,
      'UPDATE entries SET seq = seq + 1',
      'DELETE FROM entries WHERE seq = 2',
      'DELETE FROM entries',
      `INSERT OR REPLACE INTO entries (seq, type, line) VALUES (2, 'LANE_STARTED', '{}')`,
    ]) {
      expect(() => db.exec(sql)).toThrow('the ledger is append-only')
    }
    expect(db.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(3)
    db.close()
  })

  test('[LANE-076] an entry changed by force is found by verify', async () => {
    const db = await tampering()
    db.exec(`DROP TRIGGER entries_are_not_changed;
      UPDATE entries SET line = replace(line, 'enough', 'ENOUGH') WHERE seq = 1`)
    db.close()
    const { ledger } = openHere()
    const { problems } = await verify(ledger.lines(0))
    expect(problems).toMatchObject([{ invariant: 'I1', seq: 1 }])
    await ledger.close()
  })

  test('is held by one process: a second opener is told who has it', async () => {
    const { ledger } = openHere()
    expect(openHere).toThrow(AlreadyRunning)
    expect(openHere).toThrow(`already running, pid ${process.pid}`)
    await ledger.close()
    await openHere().ledger.close()
  })

  test('a directory whose lane has died is not held, whatever its pid file says', async () => {
    writeFileSync(join(directory, 'lane.pid'), '1\n')
    await openHere().ledger.close()
  })

  test('is durable by its settings, not by luck', async () => {
    const { ledger, file } = openHere()
    await ledger.close()
    const db = openReadOnly(file)
    expect(durability(db).journal_mode).toBe('wal')
    db.close()
  })

  test.each([
    ['a new file has pages of 8 KiB', null, 8_192],
    ['a file of before keeps its own', 4_096, 4_096],
  ])('%s, also in a backup', async (_, before, expected) => {
    if (before !== null) {
      const old = new Sqlite(join(directory, LEDGER_FILE))
      old.pragma(`page_size = ${before}`)
      old.pragma('journal_mode = WAL')
      migrate(old)
      old.close()
    }
    const pageOf = (file: string): unknown => {
      const db = openReadOnly(file)
      const bytes = db.pragma('page_size', { simple: true })
      db.close()
      return bytes
    }
    const { ledger, backup } = openHere()
    await open(ledger, 'q-1')
    const copy = join(directory, 'copy.db')
    for await (const piece of backup()) appendFileSync(copy, piece)
    expect([pageOf(join(directory, LEDGER_FILE)), pageOf(copy)]).toEqual([expected, expected])
    expect(await verify(ledger.lines(0))).toMatchObject({ ok: true, problems: [] })
    await ledger.close()
  })

  test('of a newer lane is refused, and the directory let go', async () => {
    const db = await tampering()
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`)
    expect(openHere).toThrow(`schema version ${SCHEMA_VERSION + 1}, this lane knows ${SCHEMA_VERSION}`)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
    db.close()
    const { ledger } = openHere()
    expect(await ledger.story('q-1')).toHaveLength(3)
    await ledger.close()
  })

  test('under rules that are not known here takes no append', async () => {
    const db = await tampering()
    db.exec(`UPDATE head SET rules = '3'`)
    db.close()
    const { ledger } = openHere()
    await expect(note(ledger)).rejects.toThrow(LedgerUnavailable)
    await expect(note(ledger)).rejects.toThrow(
      'under rules "3", and this lane knows 1, 2: run the newer lane',
    )
    expect((await ledger.head()).size).toBe(3)
    await ledger.close()
  })

  test('of rules 1 is brought forward, and keeps what it holds', async () => {
    const newer = await tampering()
    const rows = newer.prepare('SELECT seq, type, story, line FROM entries').all()
    const requests = newer.prepare('SELECT * FROM requests').all() as { resolved_seq?: number }[]
    newer.close()
    const file = join(directory, LEDGER_FILE)
    rmSync(file)
    const db = new Sqlite(file)
    migrate(db, OF_RULES_1)
    const put = (table: string, row: object): void => {
      const names = Object.keys(row)
      const values = names.map(name => `@${name}`)
      db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${values.join()})`).run(row)
    }
    for (const row of rows) put('entries', row as object)
    for (const { resolved_seq: _, ...row } of requests) put('requests', row)
    put('signing_keys', {
      kid: 'k-1',
      public_jwk: '{}',
      sealed_private: Buffer.of(1),
      not_before: 5,
      verify_until: 7,
    })
    db.close()
    const { ledger, shelf, seals, sealAll } = openSqlite(directory, new TestClock())
    expect(await shelf.keyring()).toMatchObject([
      { kid: 'k-1', purpose: 'reply-token', public_jwk: '{}', not_before: 5, verify_until: 7 },
    ])
    seals.unlock(SEAL_KEY)
    await expect(ledger.story('q-1')).rejects.toBeInstanceOf(SealBroken)
    await sealAll()
    expect(await ledger.story('q-1')).toHaveLength(3)
    await ledger.close()
    const after = openReadOnly(file)
    expect(after.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION)
    expect(requests).toMatchObject([{ request_id: 'q-1', resolved_seq: 2 }])
    expect(after.prepare('SELECT * FROM requests').all()).toEqual(requests)
    after.close()
  })

  test('can be read by an auditor while the lane writes', async () => {
    const { ledger, file } = openHere()
    await note(ledger)
    const db = openReadOnly(file)
    await note(ledger)
    expect(db.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(2)
    expect(() => db.exec('DELETE FROM entries')).toThrow('readonly')
    db.close()
    await ledger.close()
  })
})
