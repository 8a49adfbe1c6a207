// A Redis that was never there, or is away for long: it is told once, nothing piles up for it, and nothing waits for it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { machineClock } from '../../src/clock.js'
import type { Alarms } from '../../src/deadline/alarms.js'
import { jobId } from '../../src/deadline/bullmq/job.js'
import { startBullmq } from '../../src/deadline/bullmq/start.js'
import type { Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { noRedis, startRedis } from '../cluster/redis.js'
import { open } from '../contract/ledger/stage.js'
import { ALL, sleep } from '../faults/rig.js'
import { freePort } from '../port.js'
import { unlocked } from '../unlocked.js'
import { until } from '../until.js'

/** Beyond the sweep's minute, and near enough to be told to Redis at once. */
const AHEAD_MS = 100_000

let dir: string
let store: Store
let said: string[]
/** Whatever becomes of the test. */
let leave: () => Promise<unknown>
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bullmq-away-'))
  store = unlocked(openSqlite(dir, machineClock))
  said = []
  leave = async () => undefined
})
afterEach(async () => {
  await leave()
  await store.ledger.close()
  rmSync(dir, { recursive: true, force: true })
})

const begin = (url: string): Promise<Alarms> =>
  startBullmq({
    store,
    url,
    ring: async () => undefined,
    say: (level, words) => void said.push(`${level} ${words}`),
  })
const setAhead = (alarms: Alarms, request_id: string): void => {
  const at = store.ledger.now() + AHEAD_MS
  alarms.set({ request_id, deadline_ms: at, resolved_seq: null }, at)
}

test('a Redis that was never there does not hold up the stop of a lane', async () => {
  const alarms = await begin(`redis://127.0.0.1:${await freePort()}`)
  setAhead(alarms, 'q')
  await until('its trouble', () => alarms.troubles().length)
  await alarms.stop()
})

test.runIf(ALL)('a Redis that is away for many pulses is told of once', async () => {
  const alarms = await begin(`redis://127.0.0.1:${await freePort()}`)
  await sleep(12_000)
  await alarms.stop()
  expect(said.filter(words => words.startsWith('warn'))).toHaveLength(1)
})

describe.skipIf(noRedis !== null && !ALL)(
  `a Redis that goes${noRedis ? ` (skipped: ${noRedis})` : ''}`,
  () => {
    test('what is set while it is away does not pile up for it: what is soon is set again, and what is set afterwards is kept there', {
      skip: !ALL,
    }, async () => {
      const redis = await startRedis()
      leave = () => redis.end()
      const alarms = await begin(redis.url)
      const kept = async () => (await redis.client.keys('lane:*:d-*')).filter(key => !key.includes('d-beat'))
      setAhead(alarms, 'before')
      const before = await until('one job', kept, keys => keys.length === 1)
      await redis.kill()
      await until('its trouble', () => alarms.troubles().length)
      for (let n = 0; n < 50; n++) setAhead(alarms, `away-${n}`)
      const soon = store.ledger.now() + 20_000
      await open(store.ledger, 'soon', { alarm: soon })
      alarms.set({ request_id: 'soon', deadline_ms: soon, resolved_seq: null }, soon)
      // Longer than an alarm waits to be handed over.
      await sleep(1_500)
      await redis.start()
      await until('no trouble', () => alarms.troubles().length, 0)
      const id = jobId({ request_id: 'soon', at: soon })
      await until('what is soon to be set again', async () => (await kept()).some(key => key.endsWith(id)))
      setAhead(alarms, 'after')
      await until('three jobs', async () => (await kept()).length, 3)
      expect(await kept()).toEqual(expect.arrayContaining([...before]))
      await alarms.stop()
    })
  },
)
