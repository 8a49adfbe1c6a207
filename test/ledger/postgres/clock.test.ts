// A real database whose clock is set while the lane runs. Only the database's clock is moved; this process's stays.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIRM_MS } from '../../../src/ledger/clock.js'
import type { AppendDecision, Ledger, Moment, Store } from '../../../src/ledger/contract.js'
import { DatabaseClock } from '../../../src/ledger/postgres/clock.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { verify } from '../../../src/ledger/verify.js'
import { ask, killable, type Server, startPostgres } from '../../cluster/postgres.js'
import { entriesOf, STARTED } from '../../contract/ledger/stage.js'
import { ALL, has } from '../../faults/rig.js'
import { unlocked } from '../../unlocked.js'
import { until } from '../../until.js'

const HOUR = 3_600_000

/** What `faketime` itself would preload. */
function faketimeLibrary(): string | null {
  if (!has('faketime')) return null
  const { stdout } = spawnSync('faketime', ['-f', '+0', 'env'], { encoding: 'utf8' })
  return /^LD_PRELOAD=(.+)$/m.exec(stdout)?.[1]?.trim() ?? null
}
const library = faketimeLibrary()

describe.skipIf(!killable || library === null)(
  'the clock of a database is set (needs a PostgreSQL of its own and faketime: npm run test:setup)',
  () => {
    let server: Server
    const stores: Store[] = []
    const directory = mkdtempSync(join(tmpdir(), 'lane-clock-'))
    const setting = join(directory, 'offset')
    const set = (offset: string): void => writeFileSync(setting, offset, { mode: 0o644 })

    beforeAll(async () => {
      set('+0')
      spawnSync('chmod', ['755', directory])
      server = await startPostgres(
        {},
        {
          LD_PRELOAD: library ?? '',
          FAKETIME_TIMESTAMP_FILE: setting,
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      )
    })
    afterAll(async () => {
      for (const { ledger } of stores) await ledger.close()
      set('+0')
      await server.end()
      rmSync(directory, { recursive: true, force: true })
    })

    async function look(ledger: Ledger): Promise<Moment> {
      const seen: Moment[] = []
      await ledger.append({
        decide: (moment): AppendDecision<never> => {
          seen.push(moment)
          return { kind: 'append', events: [STARTED] }
        },
      })
      return seen.at(-1) as Moment
    }
    const suspicions = async (ledger: Ledger) =>
      (await entriesOf(ledger)).flatMap(entry => (entry.type === 'CLOCK_SUSPECT' ? [entry.body.state] : []))
    async function pair(): Promise<[Ledger, Ledger]> {
      const url = await server.corner()
      const opened = [unlocked(await openPostgres(url)), unlocked(await openPostgres(url))] as const
      stores.push(...opened)
      return [opened[0].ledger, opened[1].ledger]
    }

    test('an hour ahead and back again: suspected on every replica, not believed, and cleared', async () => {
      const [one, other] = await pair()
      const before = await look(one)
      expect(before.suspect).toBe(false)
      set('+1h')
      await until('both to suspect', () => one.suspect() && other.suspect())
      const during = [await look(one), await look(other)]
      expect(during.map(({ suspect }) => suspect)).toEqual([true, true])
      for (const { ms } of during) expect(ms - before.ms).toBeLessThan(HOUR / 2)
      set('+0')
      await until(
        'neither to suspect',
        async () => !(await look(one)).suspect && !(await look(other)).suspect,
      )
      expect(await suspicions(one)).toEqual(['suspected', 'cleared'])
      expect((await verify(one.lines(0))).problems).toEqual([])
    })

    test('the ledger says what time it is to the database, not to this machine', async () => {
      set('+20s')
      const [one] = await pair()
      const { ms } = await look(one)
      const [row] = await ask<{ wall: number }>(
        server.url,
        'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS wall',
      )
      expect(Math.abs((row?.wall ?? 0) - ms)).toBeLessThan(5_000)
      expect(ms - Date.now()).toBeGreaterThan(10_000)
      set('+0')
    })

    test.runIf(ALL)(
      'an hour ahead to stay: confirmed once, by one replica for all, and then taken over',
      async () => {
        const [one, other] = await pair()
        const before = await look(one)
        set('+1h')
        await until('both to suspect', () => one.suspect() && other.suspect())
        await until(
          'neither to suspect',
          async () => !(await look(one)).suspect && !(await look(other)).suspect,
          true,
          2 * CONFIRM_MS,
        )
        expect((await look(other)).ms - before.ms).toBeGreaterThan(HOUR)
        expect(await suspicions(one)).toEqual(['suspected', 'confirmed'])
        expect((await verify(one.lines(0))).problems).toEqual([])
        set('+0')
      },
      90_000,
    )
  },
)

describe('the database’s clock, as a replica knows it', () => {
  const START = 1_700_000_000_000
  let monotonic = 0
  const machine = { monotonic: () => monotonic }
  const opened = (): DatabaseClock => {
    monotonic = 1_000
    return new DatabaseClock(machine, { wall: START, asked: 999, answered: 1_000 }, 0)
  }

  test('an answer that took two minutes is no jump', () => {
    const clock = opened()
    monotonic = 200_000
    const { suspect, ms } = clock.see({ wall: START + 80_000, asked: 70_000, answered: 200_000 })
    expect([suspect, ms]).toEqual([false, START + 80_000])
  })

  test('now() is never ahead of the database, however slow its answers are', () => {
    const clock = opened()
    for (let second = 1; second <= 60; second++) {
      const delay = (second * 37) % 400
      monotonic = 1_000 + second * 1_000 + delay
      clock.see({ wall: START + second * 1_000, asked: monotonic - delay, answered: monotonic })
      expect(clock.now()).toBeLessThanOrEqual(START + second * 1_000 + delay)
    }
    expect(clock.now()).toBeGreaterThan(START + 60_000 - 1)
  })

  test('a database whose clock runs slower than ours by 100 parts in a million is followed, and never suspected', () => {
    const clock = opened()
    const days = 30
    for (let minute = 1; minute <= days * 24 * 60; minute++) {
      monotonic = 1_000 + minute * 60_000
      const wall = START + minute * 60_000 * (1 - 1e-4)
      expect(clock.see({ wall, asked: monotonic - 1, answered: monotonic }).suspect).toBe(false)
    }
    const wall = START + days * 24 * HOUR * (1 - 1e-4)
    expect(Math.abs(clock.now() - wall)).toBeLessThan(1_000)
  })
})
