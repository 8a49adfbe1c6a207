// The database is broken under load, in the ways databases break. Each ends with the ledger verified and compared with
// what was acknowledged.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LedgerUnavailable, type Store } from '../../../src/ledger/contract.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { ask, killable, present, type Server, startPostgres } from '../../cluster/postgres.js'
import { note } from '../../contract/ledger/stage.js'
import { ALL } from '../../faults/rig.js'
import { unlocked } from '../../unlocked.js'
import { until } from '../../until.js'
import { type Cut, wireTo } from './proxy.js'
import { Work } from './work.js'

const WORKERS = 32

describe.skipIf(!present)('a PostgreSQL that breaks (needs a server: npm run test:setup)', () => {
  let server: Server
  const leave: (() => Promise<void>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const one of leave.splice(0).reverse()) await one()
  })
  afterAll(() => server.end())

  async function opened(url: string): Promise<Store> {
    const store = unlocked(await openPostgres(url))
    leave.push(() => store.ledger.close())
    return store
  }

  /** Two replicas, worked on by many while something else goes on; then what was acknowledged is compared. */
  async function during(deed: (work: Work) => Promise<void>): Promise<Work> {
    const url = await server.corner()
    const { ledger: one } = await opened(url)
    const { ledger: other } = await opened(url)
    const work = new Work()
    let going = true
    const workers = Array.from({ length: WORKERS }, async (_, index) => {
      while (going) {
        await work.note(index % 2 === 0 ? one : other)
        await work.life(index % 4 < 2 ? [one, other] : [other, one])
      }
    })
    await deed(work).finally(() => {
      going = false
    })
    await Promise.all(workers)
    await work.expectKept((await opened(url)).ledger)
    return work
  }

  test('connections ended by the server under load: nothing acknowledged is lost, nothing is written twice', {
    skip: !ALL,
  }, async () => {
    let ended = 0
    const work = await during(async () => {
      for (let round = 0; round < 100; round++) {
        await sleep(40)
        const rows = await ask(
          server.url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name LIKE 'interrupt-lane%' AND (random() < 0.3 OR application_name LIKE '%writer')`,
        )
        ended += rows.length
      }
    })
    expect(ended).toBeGreaterThan(20)
    expect(work.journal.endings.size).toBeGreaterThan(WORKERS)
  })

  test.skipIf(!killable)(
    'stopped at once and started again under load (needs a server of its own, without DATABASE_URL)',
    async () => {
      const work = await during(async () => {
        for (let round = 0; round < (ALL ? 8 : 2); round++) {
          await sleep(500)
          await server.kill()
          await sleep(200)
          await server.start()
        }
        await sleep(500)
      })
      expect(work.journal.endings.size).toBeGreaterThan(WORKERS)
    },
    120_000,
  )

  test.runIf(ALL && killable)(
    'while it is away appends and questions fail by name, and work again when it is back (needs a server of its own)',
    async () => {
      const { ledger, shelf } = await opened(await server.corner())
      await note(ledger)
      await server.kill()
      const failed = await Promise.allSettled([
        note(ledger),
        ledger.story('q-1'),
        shelf.apiKeys(),
        ledger.probe(),
      ])
      await server.start()
      for (const one of failed) {
        expect(one.status).toBe('rejected')
        expect((one as PromiseRejectedResult).reason).toBeInstanceOf(LedgerUnavailable)
      }
      expect(await note(ledger)).toMatchObject({ kind: 'appended', entries: [{ seq: 1 }] })
      await expect(ledger.probe()).resolves.toBeUndefined()
    },
    60_000,
  )

  test('a replica that falls silent while it holds the head holds up the others for seconds, not for ever', {
    skip: !ALL,
  }, async () => {
    const url = await server.corner()
    const wire = await wireTo(url)
    leave.push(() => wire.close())
    const { ledger: silent } = await opened(wire.url)
    const { ledger: other } = await opened(url)
    await note(silent)
    wire.cuts.push('silence')
    const unheard = note(silent)
    await until('its silence', () => wire.done.length)
    expect(await note(other)).toMatchObject({ kind: 'appended', entries: [{ seq: 1 }] })
    // The silent one finds its connection ended by the server, and its batch not committed: it begins again.
    expect(await unheard).toMatchObject({ kind: 'appended', entries: [{ seq: 2 }] })
  })

  describe('an unknown outcome: the connection is cut after COMMIT was sent', () => {
    for (const [cut, what] of [
      ['answer', 'the server has committed: it is acknowledged, and not appended again'],
      ['question', 'the server never saw it: it is appended again, once'],
    ] as const) {
      test(what, async () => {
        const url = await server.corner()
        const wire = await wireTo(url)
        leave.push(() => wire.close())
        const { ledger } = await opened(wire.url)
        await note(ledger)
        wire.cuts.push(cut)
        let decided = 0
        const result = await ledger.append({
          decide: () => {
            decided += 1
            const body = { version: 'once', grammar: '1', profile: 'cluster', rules: '2' } as const
            return { kind: 'append', events: [{ type: 'LANE_STARTED', body }] }
          },
        })
        expect(wire.done).toEqual([cut])
        expect(result).toMatchObject({ kind: 'appended', entries: [{ seq: 1 }] })
        expect(decided).toBe(cut === 'answer' ? 1 : 2)
        const entries: unknown[] = []
        for await (const line of ledger.lines(0)) entries.push(JSON.parse(line))
        expect(entries).toHaveLength(2)
        expect(entries[1]).toEqual(result.kind === 'appended' ? result.entries[0] : null)
      })
    }

    test('again and again under load, with another replica going on between', async () => {
      const url = await server.corner()
      const wire = await wireTo(url)
      leave.push(() => wire.close())
      const { ledger } = await opened(wire.url)
      const { ledger: other } = await opened(url)
      const work = new Work()
      const every: readonly Cut[] = ['answer', 'question', 'both']
      let going = true
      const cutting = (async () => {
        for (let round = 0; round < (ALL ? 120 : 9); round++) {
          wire.cuts.push(every[round % every.length] ?? 'answer')
          await until('the cut', () => wire.cuts.length, 0)
        }
        going = false
      })()
      const workers = Array.from({ length: WORKERS }, async (_, index) => {
        while (going) {
          await work.note(index % 8 === 0 ? other : ledger)
          await work.life(index % 2 === 0 ? [ledger, other] : [other, ledger])
        }
      })
      await Promise.all([cutting, ...workers])
      const entries = await work.expectKept(other)
      expect(wire.done.length).toBeGreaterThanOrEqual(9)
      // A cut is not an outage: everything was acknowledged in the end, so nothing is there that was not.
      expect(work.refusals).toBe(0)
      expect(entries).toHaveLength(work.noted.length + 4 * work.journal.endings.size)
    })
  })
})
