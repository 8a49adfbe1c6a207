// The operator's and the auditor's side of a cluster's ledger: the same commands, with DATABASE_URL.

import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/canonical.js'
import { checkDatabase } from '../../../src/cli/check/database.js'
import { ledger as command } from '../../../src/cli/ledger.js'
import { machineClock } from '../../../src/clock.js'
import { settings } from '../../../src/config/settings.js'
import { openSecret } from '../../../src/keys/secret.js'
import { unlock } from '../../../src/keys/unlocking.js'
import type { Store } from '../../../src/ledger/contract.js'
import { SCHEMA_VERSION } from '../../../src/ledger/postgres/migrate.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { openSqlite } from '../../../src/ledger/sqlite/open.js'
import { rewrapped } from '../../../src/token/key-row.js'
import { terminal } from '../../cli/terminal.js'
import { present, type Server, startPostgres, tell } from '../../cluster/postgres.js'
import { fromSlack, handleOf, question, SECRET, StageAdapter } from '../../lane/stage.js'
import { admittedTo, KEY_1 } from '../../terms.js'
import { started } from '../craft.js'
import { laneOn, RUN, TO_OWNER } from './lane.js'

const TEXT = 'what the request is about'
const NO_SECRET = 'not checked: the secret is not at hand, neither as LANE_SECRET nor as a file'

describe.skipIf(!present)('the audit of a database (needs a PostgreSQL: npm run test:setup)', () => {
  let server: Server
  let url = ''
  let store: Store
  const directory = mkdtempSync(join(tmpdir(), 'lane-audit-test-'))
  beforeAll(async () => {
    server = await startPostgres()
    url = await server.corner()
    store = await openPostgres(url)
    await unlock(store, SECRET, started)
    const slack = new StageAdapter('slack')
    const lane = await laneOn(store, slack, error => {
      throw error
    })
    await lane.open(admittedTo(TO_OWNER, { request: question('audited'), run: RUN, recipients: null }), KEY_1)
    await lane.drain()
    await lane.answer(fromSlack(handleOf(slack, 'owner'), 'maybe\u0000'))
    await lane.answer(fromSlack(handleOf(slack, 'owner'), ' Yes. '))
    await lane.drain()
  })
  afterAll(async () => {
    await store.ledger.close()
    await server.end()
    rmSync(directory, { recursive: true, force: true })
  })

  /** Whoever tests may have started a lane in this checkout: its `data` is not looked at. */
  async function run(args: readonly string[], env: Record<string, string> = { DATABASE_URL: url }) {
    const shell = terminal({ LANE_DATA_DIR: directory, ...env })
    const code = await command.run(args, shell)
    return { code, out: shell.out(), err: shell.err() }
  }

  test('verify, replay and export read the database, and agree with what the lane itself says', async () => {
    const { size, hash } = await store.ledger.head()
    expect(await run(['verify'])).toEqual({
      code: 0,
      out: `the database holds: ${size} entries, head ${hash}, seals ${NO_SECRET}\n`,
      err: '',
    })
    expect(await run(['replay'])).toEqual({
      code: 0,
      out: 'the database holds: 1 cases rebuilt, 2 replies read again, 0 erased, 0 without their words\n',
      err: '',
    })
    const lines: string[] = []
    for await (const line of store.ledger.lines(0)) lines.push(`${line}\n`)
    expect(await run(['export'])).toEqual({ code: 0, out: lines.join(''), err: '' })
  })

  test('a backup is one file that verifies and replays the same, and that a lane can be started from', async () => {
    const handle = sha256(TEXT)
    await store.shelf.putBlob(handle, Buffer.from(TEXT), 'key-1', TEXT.length)
    const file = join(directory, 'ledger.db')
    const chunks: Uint8Array[] = []
    for await (const chunk of store.backup()) chunks.push(chunk)
    await writeFile(file, Buffer.concat(chunks))
    const { size, hash } = await store.ledger.head()
    expect((await run(['verify', file])).out).toBe(
      `${file} holds: ${size} entries, head ${hash}, seals ${NO_SECRET}\n`,
    )
    expect((await run(['replay', file])).out).toContain('2 replies read again, 0 erased')
    const copy = openSqlite(directory, machineClock)
    const { ledger, shelf } = copy
    await unlock(copy, SECRET, started)
    expect(await ledger.story('audited')).toEqual(await store.ledger.story('audited'))
    expect(await shelf.keyring()).toEqual(await store.shelf.keyring())
    expect(await shelf.ownBlobs('key-1', [handle])).toEqual(new Map([[handle, Buffer.from(TEXT)]]))
    await ledger.close()
  })

  test('a database that cannot be read is told, without its password', async () => {
    const { code, err } = await run(['verify'], { DATABASE_URL: 'postgres://lane:geheim@127.0.0.1:1/x' })
    expect(code).toBe(1)
    expect(err).toContain('the database cannot be read: connect ECONNREFUSED 127.0.0.1:1')
    expect(err).not.toContain('geheim')
  })

  describe('the doctor', () => {
    const LANE_SECRET = 'the secret of the replicas that made the ledger'
    beforeAll(async () => {
      const secret = openSecret('', LANE_SECRET)
      const rows = await store.shelf.keyring()
      await store.shelf.putKeys(rows.map(row => rewrapped(row, SECRET, secret)))
    })
    const settingsFor = (databaseUrl: string, secret: string) => {
      const read = settings({
        DATABASE_URL: databaseUrl,
        REDIS_URL: 'redis://127.0.0.1:1',
        LANE_SECRET: secret,
      })
      if (!read.ok) throw new Error(JSON.stringify(read.problems))
      return read.settings
    }
    const look = async (databaseUrl: string, now = machineClock.wall, secret = LANE_SECRET) =>
      (await checkDatabase(settingsFor(databaseUrl, secret), now)).map(
        ({ check, status }) => `${check} ${status}`,
      )

    test('and verify has checked the seals where the secret is at hand, another one is told', async () => {
      expect((await run(['verify'], { DATABASE_URL: url, LANE_SECRET })).out).toMatch(
        / holds: .*, seals checked\n$/,
      )
      const other = await run(['verify'], {
        DATABASE_URL: url,
        LANE_SECRET: 'another secret of at least that length',
      })
      expect([other.code, other.out]).toEqual([0, expect.stringContaining('is not the one of this ledger')])
    })

    test('finds nothing wrong with a database that is right', async () => {
      expect(await look(url)).toEqual([
        'database ok',
        'connections ok',
        'database clock ok',
        'schema ok',
        'secret ok',
        'seals ok',
        'last entry ok',
      ])
    })

    test('a secret that is not the other replicas’ is told before it stops a start', async () => {
      expect(await look(url, machineClock.wall, 'x'.repeat(32))).toContain('secret fail')
    })

    test('a database in which no table may be made is told before it stops a start', async () => {
      const nowhere = new URL(url)
      nowhere.searchParams.set('options', '-c search_path=nowhere')
      expect((await look(nowhere.href)).at(-1)).toBe('ledger fail')
    })

    test('of an empty database it says what will make the ledger', async () => {
      expect((await look(await server.corner())).at(-1)).toBe('ledger warn')
    })

    test('a weak setting, a clock that differs, a newer schema and no server at all are told', async () => {
      const weak = new URL(url)
      weak.searchParams.set('options', `${weak.searchParams.get('options')} -c synchronous_commit=off`)
      expect((await look(weak.href))[0]).toBe('database fail')
      expect(await look(url, () => machineClock.wall() + 60_000)).toContain('database clock warn')
      const other = await server.corner()
      await (await openPostgres(other)).ledger.close()
      await tell(other, `INSERT INTO migrations (version, name) VALUES (${SCHEMA_VERSION + 1}, 'newer')`)
      expect(await look(other)).toContain('schema fail')
      expect(await look('postgres://lane@127.0.0.1:1/x')).toEqual(['database fail'])
    })
  })
})
