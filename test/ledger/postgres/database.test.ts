// What only a database can show: what it refuses to have changed, and what it is refused for.

import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LedgerUnavailable, OutcomeUnknown, type Store } from '../../../src/ledger/contract.js'
import { flawsOf } from '../../../src/ledger/postgres/durability.js'
import { SCHEMA_VERSION } from '../../../src/ledger/postgres/migrate.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { verify } from '../../../src/ledger/verify.js'
import { ask, killable, present, type Server, startPostgres, tell } from '../../cluster/postgres.js'
import { guarded, note, open, STARTED, withdraw } from '../../contract/ledger/stage.js'
import { ALL } from '../../faults/rig.js'
import { unlocked } from '../../unlocked.js'
import { until } from '../../until.js'

describe.skipIf(!present)('the database (needs a PostgreSQL: npm run test:setup)', () => {
  let server: Server
  let url = ''
  const stores: Store[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const { ledger } of stores.splice(0)) await ledger.close()
  })
  afterAll(() => server.end())

  async function opened(): Promise<Store> {
    const store = unlocked(await openPostgres(url))
    stores.push(store)
    return store
  }
  async function fresh(): Promise<Store> {
    url = await server.corner()
    return await opened()
  }

  /** A ledger of three entries. */
  async function written(): Promise<Store> {
    const store = await fresh()
    await open(store.ledger, 'q-1')
    await withdraw(store.ledger, 'q-1')
    return store
  }

  test('[LANE-076] refuses to have an entry changed, replaced or removed', async () => {
    await written()
    for (const sql of [
      `UPDATE entries SET line = replace(line, 'withdrawn', 'answered')`,
      'UPDATE entries SET seq = seq + 1',
      'DELETE FROM entries WHERE seq = 2',
      'TRUNCATE entries',
      `INSERT INTO entries (seq, type, line) VALUES (2, 'LANE_STARTED', '{}')
       ON CONFLICT (seq) DO UPDATE SET line = excluded.line`,
      'DELETE FROM head',
    ]) {
      await expect(tell(url, sql)).rejects.toThrow('the ledger is append-only')
    }
    expect(await ask(url, 'SELECT count(*)::int FROM entries')).toEqual([{ count: 3 }])
  })

  test('[LANE-076] an entry changed by force is found by verify', async () => {
    const { ledger } = await written()
    await tell(
      url,
      `ALTER TABLE entries DISABLE TRIGGER ALL;
       UPDATE entries SET line = replace(line, 'enough', 'ENOUGH') WHERE seq = 1`,
    )
    expect((await verify(ledger.lines(0))).problems).toMatchObject([{ invariant: 'I1', seq: 1 }])
  })

  test('a lane that is wrong about its head cannot append over what stands there', async () => {
    await written()
    await tell(url, 'UPDATE head SET size = 1')
    const { ledger } = await opened()
    await expect(note(ledger)).rejects.toThrow('the seal of the head of the ledger is broken')
    await tell(url, 'UPDATE head SET size = 3')
    expect(await note(ledger)).toMatchObject({ kind: 'appended', entries: [{ seq: 3 }] })
  })

  test('a ledger that has lost what was acknowledged is not gone on with', async () => {
    const { ledger } = await written()
    // As if a standby that had not everything yet had taken the place of the primary.
    await tell(
      url,
      `ALTER TABLE entries DISABLE TRIGGER ALL;
       DELETE FROM entries WHERE seq = 2; DELETE FROM requests;
       UPDATE head SET size = 2, hash = (SELECT line::json ->> 'hash' FROM entries WHERE seq = 1)`,
    )
    const refused = note(ledger)
    await expect(refused).rejects.toBeInstanceOf(LedgerUnavailable)
    await expect(refused).rejects.toThrow('fewer entries than before')
    expect(await ask(url, 'SELECT size::int FROM head')).toEqual([{ size: 2 }])
  })

  test('nor by a replica that had only heard of it, however much others append; it is not ready, and says why', async () => {
    const { ledger } = await written()
    const { ledger: heard } = await opened()
    const told: number[] = []
    heard.onCommit(entries => void told.push(...entries.map(({ seq }) => seq)))
    await note(ledger)
    await until('the fourth entry', () => told.length, 1)
    await tell(
      url,
      `ALTER TABLE entries DISABLE TRIGGER ALL;
       DELETE FROM entries WHERE seq > 0; DELETE FROM requests;
       UPDATE head SET size = 1, hash = (SELECT line::json ->> 'hash' FROM entries WHERE seq = 0)`,
    )
    const notReady = async () => (await heard.probe().catch((error: Error) => error.message)) ?? null
    expect(await until('its answer', notReady)).toMatch('fewer entries than before')
    const another = await opened()
    // A start makes the tree that is left; it knows nothing of the loss.
    await another.growTree()
    const { ledger: fresh } = another
    for (let n = 0; n < 5; n++) await note(fresh)
    await expect(note(heard)).rejects.toThrow('fewer entries than before')
    expect(told).toEqual([3])
  })

  test('of a newer lane is refused', async () => {
    await fresh()
    await tell(url, `INSERT INTO migrations (version, name) VALUES (${SCHEMA_VERSION + 1}, 'of tomorrow')`)
    await expect(openPostgres(url)).rejects.toThrow(
      `schema version ${SCHEMA_VERSION + 1}, this lane knows ${SCHEMA_VERSION}`,
    )
  })

  test('is brought forward once, however many start at the same time', async () => {
    url = await server.corner()
    const all = await Promise.all(Array.from({ length: 5 }, opened))
    await Promise.all(all.map(({ ledger }) => note(ledger)))
    const versions = Array.from({ length: SCHEMA_VERSION }, (_, index) => ({ version: index + 1 }))
    expect(await ask(url, 'SELECT version FROM migrations ORDER BY version')).toEqual(versions)
    expect(await verify(all[0]?.ledger.lines(0) ?? [])).toMatchObject({ ok: true, entries: 5 })
  })

  test('under rules that are not known here takes no append', async () => {
    await fresh()
    const { ledger } = await opened()
    await tell(url, `UPDATE head SET rules = '3'`)
    await expect(note(ledger)).rejects.toThrow(
      'under rules "3", and this lane knows 1, 2: run the newer lane',
    )
    expect(await ask(url, 'SELECT size FROM head')).toEqual([{ size: '0' }])
  })

  test('of rules 2 is written no more by a lane of rules 1 that was still running', async () => {
    await fresh()
    const { ledger } = await opened()
    await note(ledger)
    const signedBefore = `INSERT INTO writers (writer, batch, at)
      SELECT writer, batch + 1, clock_timestamp() FROM writers
      ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at`
    await expect(tell(url, signedBefore)).rejects.toThrow('null value in column "rules"')
  })

  describe('is refused where it could lose what it said it has', () => {
    const withSetting = (setting: string): string => {
      const own = new URL(url)
      own.searchParams.set('options', `${own.searchParams.get('options')} -c ${setting}`)
      return own.href
    }

    for (const value of ['off', 'local', 'remote_write']) {
      test(`synchronous_commit=${value}`, async () => {
        await fresh()
        await expect(openPostgres(withSetting(`synchronous_commit=${value}`))).rejects.toThrow(
          `synchronous_commit is ${value}: what was recorded could be lost; set synchronous_commit = on`,
        )
      })
    }

    test.skipIf(!killable)('fsync=off (needs a server of its own, without DATABASE_URL)', async () => {
      const careless = await startPostgres({ fsync: 'off', full_page_writes: 'off' })
      try {
        const opening = openPostgres(careless.url)
        await expect(opening).rejects.toThrow('fsync is off')
        await expect(opening).rejects.toThrow('full_page_writes is off')
      } finally {
        await careless.end()
      }
    })

    test.each([
      [{ version: 13 }, 'too old'],
      [{ standby: true }, 'standby'],
      [{ fsync: 'off' }, 'fsync'],
      [{ full_page_writes: 'off' }, 'full_page_writes'],
      [{ encoding: 'LATIN1' }, 'LATIN1'],
      [{ read_only: 'on' }, 'default_transaction_read_only'],
    ])('%j', (flaw, words) => {
      const sound = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', encoding: 'UTF8' }
      const found = { version: 14, standby: false, read_only: 'off', ...sound }
      expect(flawsOf(found)).toEqual([])
      expect(flawsOf({ ...found, ...flaw })).toEqual([expect.stringContaining(words)])
    })

    test('a setting that is weakened later does not weaken a lane that is running', async () => {
      const { ledger } = await fresh()
      await note(ledger)
      const name = new URL(url).pathname.slice(1)
      await tell(url, `ALTER DATABASE ${name} SET synchronous_commit = off`)
      try {
        expect(await note(ledger)).toMatchObject({ kind: 'appended' })
        await ask(
          server.url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'interrupt-lane writer'`,
        )
        // The new connection would be weaker: it is not used, and the lane is not ready without one.
        await expect(note(ledger)).rejects.toThrow('synchronous_commit is off')
        await expect(ledger.probe()).rejects.toThrow('synchronous_commit is off')
      } finally {
        await tell(url, `ALTER DATABASE ${name} RESET synchronous_commit`)
      }
      expect(await note(ledger)).toMatchObject({ kind: 'appended' })
    })
  })

  test('a database that was read-only for a while is written again, by connections made since', async () => {
    const { ledger } = await fresh()
    const name = new URL(url).pathname.slice(1)
    const isOurs = `datname = '${name}' AND application_name LIKE 'interrupt-lane %'`
    await tell(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await ask(server.url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isOurs}`)
    // What was read meanwhile was read over connections that stay read-only for as long as they live.
    await Promise.all(Array.from({ length: 6 }, () => ledger.head()))
    await expect(note(ledger)).rejects.toThrow('default_transaction_read_only is on')
    await expect(ledger.probe()).rejects.toThrow(LedgerUnavailable)
    await tell(
      server.url,
      `BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`,
    )
    await until('it is written again', () => note(ledger).catch(() => undefined))
    await until('it is ready again', () =>
      ledger.probe().then(
        () => true,
        () => undefined,
      ),
    )
  })

  test('where the server does not say what became of a COMMIT, nobody is told that nothing was recorded', {
    skip: !ALL,
    timeout: 120_000,
  }, async () => {
    const { ledger } = await fresh()
    await note(ledger)
    await tell(server.url, `ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
    await tell(server.url, 'SELECT pg_reload_conf()')
    try {
      // The server's processes read their settings again in their own time; what is written until then is written.
      const noted = (): Promise<unknown> =>
        note(ledger).then(
          () => undefined,
          error => error,
        )
      expect(await until('a COMMIT of which nothing is said', noted)).toBeInstanceOf(OutcomeUnknown)
    } finally {
      await tell(server.url, 'ALTER SYSTEM RESET synchronous_standby_names')
      await tell(server.url, 'SELECT pg_reload_conf()')
    }
    await until('it is written again', () => note(ledger).catch(() => undefined))
    const { size } = await ledger.head()
    expect(size).toBeGreaterThanOrEqual(3)
  })

  test('a server that is not there is named as such, without the password', async () => {
    const nowhere = 'postgres://lane:geheim@127.0.0.1:1/lane'
    const failure = await openPostgres(nowhere).then(
      () => null,
      (error: Error) => error,
    )
    expect(failure?.message).toContain('ECONNREFUSED')
    expect(failure?.message).not.toContain('geheim')
  })

  test('a connection that the driver gives up is ended, and does not stay with the server', async () => {
    const say = (kind: number, text: string): Buffer => {
      const frame = Buffer.alloc(9)
      frame.write('R')
      frame.writeInt32BE(8 + Buffer.byteLength(text), 1)
      frame.writeInt32BE(kind, 5)
      return Buffer.concat([frame, Buffer.from(text)])
    }
    const ended: Promise<void>[] = []
    // Asks for a password as PostgreSQL does; there is none.
    const asking = createServer(socket => {
      ended.push(new Promise(resolve => socket.once('close', () => resolve())))
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(say(10, 'SCRAM-SHA-256\0\0'))
        socket.once('data', () => socket.write(say(11, 'r=x,s=eA==,i=4096')))
      })
    })
    await new Promise<void>(resolve => asking.listen(0, '127.0.0.1', resolve))
    const { port } = asking.address() as AddressInfo
    await expect(openPostgres(`postgres://lane@127.0.0.1:${port}/lane`)).rejects.toThrow('password')
    expect(ended).toHaveLength(1)
    await Promise.all(ended)
    await new Promise(resolve => asking.close(resolve))
  })

  test('keeps words, references, cursors and claims that hold U+0000', async () => {
    const { ledger, shelf } = await fresh()
    const odd = 'a\u0000b\u0007 \ud83d\udd4a'
    const hash = `sha256:${'a'.repeat(64)}` as const
    const grant = {
      handle_hash: hash,
      use: null,
      code_hash: hash,
      token: 't',
      request_id: 'q-1',
      delivery_id: 'd-1',
      channel: 'slack',
      user_id: 'ada',
    } as const
    await ledger.append({
      guards: [
        { kind: 'unclaimed', space: 'message', value: odd },
        { kind: 'attempts', delivery_id: 'd-1', under: odd, at_most: 1, fails: true },
      ],
      decide: () => ({
        kind: 'append',
        events: [STARTED],
        shelve: [
          { put: 'grant', grant },
          { put: 'ref', delivery_id: 'd-1', handle_hash: hash, channel: 'slack', ref: odd },
          { put: 'cursor', channel: 'email', cursor: odd },
          { put: 'link', link: { user_id: 'ada', channel: 'telegram', address: odd } },
        ],
      }),
    })
    expect(await shelf.grantByRef('slack', odd)).toEqual(grant)
    expect(await shelf.refs('d-1')).toEqual([odd])
    expect(await shelf.cursor('email')).toBe(odd)
    expect(await shelf.links()).toEqual([{ user_id: 'ada', channel: 'telegram', address: odd }])
    const again = [
      await guarded(ledger, { kind: 'unclaimed', space: 'message', value: odd }),
      await guarded(ledger, { kind: 'attempts', delivery_id: 'd-1', under: odd, at_most: 1, fails: true }),
    ]
    expect(again.map(({ kind }) => kind)).toEqual(['guarded', 'guarded'])
  })
})
