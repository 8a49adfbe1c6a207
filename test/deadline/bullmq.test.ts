// BullMQ's alarm clock on a Redis that is broken in every way Redis breaks: nothing is early, nothing is lost, what is
// late is late by the sweep's two seconds, and afterwards Redis rings again by itself. Every day it is killed once; the rest
// takes seconds each and is left to CI=true.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue } from 'bullmq'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { machineClock } from '../../src/clock.js'
import type { Alarms } from '../../src/deadline/alarms.js'
import { Arming } from '../../src/deadline/bullmq/arming.js'
import { jobId } from '../../src/deadline/bullmq/job.js'
import { connectForCommands, flawsIn } from '../../src/deadline/bullmq/redis.js'
import { startBullmq } from '../../src/deadline/bullmq/start.js'
import { LedgerUnavailable, type Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { noRedis, type RedisServer, startRedis } from '../cluster/redis.js'
import { lastOf, open as openRequest } from '../contract/ledger/stage.js'
import { ALL, sleep } from '../faults/rig.js'
import { freePort } from '../port.js'
import { unlocked } from '../unlocked.js'
import { until } from '../until.js'

/** The sweep's promise, and what a busy machine adds to it. */
const LATE_AT_MOST_MS = 2_000 + 1_000
/** By itself Redis rings in milliseconds; the sweep never before a second has passed. */
const BY_REDIS_MS = 900
const MINUTE = 60_000
const DAY = 86_400_000

describe.skipIf(noRedis !== null && !ALL)(
  `the alarm clock on Redis${noRedis ? ` (skipped: ${noRedis})` : ''}`,
  () => {
    let redis: RedisServer
    let dir: string
    let store: Store
    let alarms: Alarms
    let said: string[]
    /** How long after its moment each was rung and settled. */
    let late: Map<string, number>
    let early: string[]
    const moments = new Map<string, number>()

    beforeEach(async () => {
      redis = await startRedis()
      dir = mkdtempSync(join(tmpdir(), 'bullmq-'))
      store = unlocked(openSqlite(dir, machineClock))
      late = new Map()
      early = []
      said = []
      alarms = await begin()
    })
    afterEach(async () => {
      redis.thaw()
      await alarms.stop()
      await store.ledger.close()
      await redis.end()
      rmSync(dir, { recursive: true, force: true })
    })

    const now = (): number => store.ledger.now()
    const begin = (url = redis.url): Promise<Alarms> =>
      startBullmq({ store, url, ring, say: (level, words) => void said.push(`${level} ${words}`) })
    async function ring(id: string): Promise<void> {
      if (id.startsWith('slow')) await sleep(400)
      const at = now() - (moments.get(id) ?? Number.NaN)
      const moved = await store.ledger.append({
        story: { request_id: id, expected: 1, last: await lastOf(store.ledger, id) },
        decide: moment =>
          moment.ms < (moments.get(id) ?? 0)
            ? { kind: 'refuse', why: 'early' }
            : { kind: 'append', events: [], alarm: null },
      })
      if (moved.kind === 'refused') early.push(id)
      else if (!late.has(id)) late.set(id, at)
    }
    async function open(id: string, inMs: number, tell = true): Promise<void> {
      const at = now() + inMs
      moments.set(id, at)
      await openRequest(store.ledger, id, { alarm: at })
      if (tell) alarms.set({ request_id: id, deadline_ms: at, resolved_seq: null }, at)
    }
    const queueName = async (): Promise<string> => {
      const find = async () => (await redis.client.keys('lane:alarms*:meta'))[0]
      return (await until('the queue', find)).split(':')[1] ?? ''
    }
    const jobs = async (): Promise<string[]> => {
      const keys = await redis.client.keys('lane:*:d-*')
      return keys.map(key => key.split(':')[2] ?? '').filter(key => !key.startsWith('d-beat'))
    }
    const expectAllRung = async (ids: readonly string[], withinMs: number): Promise<void> => {
      await until(`${ids.join(', ')} to be rung`, () => ids.every(id => late.has(id)))
      const tooLate = ids.filter(id => (late.get(id) ?? 0) > withinMs)
      expect(tooLate.map(id => `${id}: ${late.get(id)} ms`)).toEqual([])
      expect(early).toEqual([])
    }
    /** After all: Redis rings by itself, well before the sweep would. */
    const expectRecovered = async (): Promise<void> => {
      for (let round = 0; ; round++) {
        const id = `recovered-${round}`
        await open(id, 300)
        await until(`${id} to be rung`, () => late.has(id))
        if ((late.get(id) ?? 0) < BY_REDIS_MS) return
        if (round === 15) throw new Error('Redis is back and does not ring')
      }
    }

    test('killed and started again: what was set before, during and after it is kept', async () => {
      await open('before', 1_500)
      await sleep(200)
      await redis.kill()
      await open('during', 1_000)
      await open('through', 4_000)
      await sleep(2_500)
      await redis.start()
      await expectAllRung(['before', 'during', 'through'], LATE_AT_MOST_MS)
      await expectRecovered()
      expect(
        said.filter(words => /Redis cannot be reached|does not answer/.test(words)).length,
      ).toBeGreaterThan(0)
    })

    test('FLUSHALL: the alarms ahead are set again and ring by Redis', { skip: !ALL }, async () => {
      // The sweep has been here: what it looked for once it would not look for again by itself.
      await until('its mark', async () => (await redis.client.keys('lane:*-armed')).length, 1)
      await sleep(200)
      await open('soon', 1_000)
      await open('ahead', 5_000)
      await open('far', MINUTE + 40_000)
      await until('three jobs', async () => (await jobs()).length, 3)
      await redis.client.flushall()
      await until('jobs', async () => (await jobs()).length)
      await expectAllRung(['soon'], LATE_AT_MOST_MS)
      await expectAllRung(['ahead'], BY_REDIS_MS)
      await expectRecovered()
    })

    test.runIf(ALL)('restarted empty: the alarms ahead are set again', async () => {
      await open('ahead', 6_000)
      await until('one job', async () => (await jobs()).length, 1)
      await redis.kill()
      redis.wipe()
      await redis.start()
      await until('one job', async () => (await jobs()).length, 1)
      await expectAllRung(['ahead'], BY_REDIS_MS)
    })

    test('stopped for seconds with its sockets open: nobody waits for it, and the sweep rings', {
      skip: !ALL,
    }, async () => {
      await open('before', 1_000)
      await sleep(200)
      redis.freeze()
      await open('during', 1_500)
      expect(now()).toBeLessThan(moments.get('during') ?? 0)
      await expectAllRung(['before', 'during'], LATE_AT_MOST_MS)
      await until('trouble', () => alarms.troubles().length)
      redis.thaw()
      await until('no trouble', () => alarms.troubles().length, 0)
      await expectRecovered()
    })

    test('connections reset again and again: each alarm rings, and the worker is not left waiting for ever', {
      skip: !ALL,
    }, async () => {
      const ids = Array.from({ length: 20 }, (_, n) => `q${n}`)
      for (const [n, id] of ids.entries()) await open(id, 500 + n * 100)
      for (let time = 0; time < 8; time++) {
        await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
        await sleep(250)
      }
      await expectAllRung(ids, LATE_AT_MOST_MS)
      await expectRecovered()
    })

    test('a job that was lost alone (evicted) is rung by the sweep; one that was never set is set in time', {
      skip: !ALL,
    }, async () => {
      await open('evicted', 1_500)
      await open('untold', 6_000, false)
      await until('two jobs', async () => (await jobs()).length, 2)
      await redis.client.del(
        `lane:${await queueName()}:${jobId({ request_id: 'evicted', at: moments.get('evicted') ?? 0 })}`,
      )
      await expectAllRung(['evicted'], LATE_AT_MOST_MS)
      await expectAllRung(['untold'], BY_REDIS_MS)
    })

    test('a job that rings too early settles nothing, and one that rings for a settled request does nothing', {
      skip: !ALL,
    }, async () => {
      await open('once', 3_000)
      const at = moments.get('once') ?? 0
      const armed = { request_id: 'once', deadline_ms: at, resolved_seq: null } as const
      await until('one job', async () => (await jobs()).length, 1)
      for (const other of [at - 2_000, at + 300]) {
        alarms.set(armed, other)
        await sleep(100)
      }
      await until('it to be rung', () => late.has('once'))
      await sleep(500)
      expect(early).toEqual(['once'])
      expect(late.get('once')).toBeLessThan(BY_REDIS_MS)
      expect((await store.ledger.story('once')).length).toBe(1)
      expect(await store.ledger.nextAlarm()).toBeNull()
      expect(await jobs()).toEqual([])
    })

    test('a job that a replica with a faster clock hands out before its moment is rung at its moment', async () => {
      await open('ahead', 2_500)
      const queue = new Queue(await queueName(), { connection: redis.client, prefix: 'lane' })
      const job = await until('its job', async () => await queue.getJob((await jobs())[0] ?? ''))
      await job.promote()
      await until('the job to be taken', async () => (await jobs()).length, 0)
      expect(late.size).toBe(0)
      await expectAllRung(['ahead'], BY_REDIS_MS)
    })

    test('a deadline that is far away costs Redis nothing; its job is set when its last minute begins', {
      skip: !ALL,
    }, async () => {
      await open('far', 10 * DAY)
      await open('near', MINUTE + 40_000)
      // As one that was far away when it was made: nobody tells Redis of it but the sweep.
      await open('nearing', MINUTE + 3_000, false)
      const idOf = (request_id: string) => jobId({ request_id, at: moments.get(request_id) ?? 0 })
      await until('the job of what is near', jobs, ids => ids.includes(idOf('near')))
      expect(await jobs()).toEqual([idOf('near')])
      await until('the job of what comes near', jobs, ids => ids.includes(idOf('nearing')))
      expect((await jobs()).sort()).toEqual([idOf('near'), idOf('nearing')].sort())
    })

    test('a backlog of overdue requests keeps no other alarm from being set in Redis', {
      skip: !ALL,
    }, async () => {
      await until('its mark', async () => (await redis.client.keys('lane:*-armed')).length, 1)
      const slow = Array.from({ length: 5_120 }, (_, n) => `slow-${n}`)
      await Promise.all(slow.map(id => open(id, -10_000, false)))
      // Comes within the minute while the backlog is being rung.
      await open('nearing', MINUTE + 1_500, false)
      const id = jobId({ request_id: 'nearing', at: moments.get('nearing') ?? 0 })
      await until('its job', jobs, ids => ids.includes(id))
      expect([...late.keys()].length).toBeLessThan(slow.length)
    })

    test('a replica that cannot reach Redis lets another one set the alarms', { skip: !ALL }, async () => {
      await alarms.stop()
      // As among replicas: whoever has a name keeps it until it lets go.
      const held = new Set<string>()
      const hold: Store['hold'] = async name => {
        if (held.has(name)) return null
        held.add(name)
        return { release: async () => void held.delete(name) }
      }
      store = { ...store, hold }
      const cut = await begin(`redis://127.0.0.1:${await freePort()}`)
      await until('its trouble', () => cut.troubles().length)
      await until('its sweep', () => held.has('sweep'))
      alarms = await begin()
      await open('ahead', 4_000, false)
      await expectAllRung(['ahead'], BY_REDIS_MS)
      await cut.stop()
    })

    test('a Redis that does not answer is not taken for one that has the alarm', async () => {
      const client = connectForCommands(redis.url)
      const queue = new Queue('asked', { connection: client, prefix: 'lane' })
      const arming = new Arming(queue, client, store.ledger, () => undefined)
      const alarm = { request_id: 'q', at: now() + 30_000 }
      await queue.waitUntilReady()
      redis.freeze()
      await expect(arming.restore([alarm])).rejects.toThrow(/timed out/i)
      redis.thaw()
      await until(
        'the job',
        () => arming.restore([alarm]).then(jobs, () => []),
        ids => ids.length === 1,
      )
      await queue.close()
      client.disconnect()
    })

    test('one that comes and goes while others are handed over does not keep the next from being handed over', {
      skip: !ALL,
    }, async () => {
      const set = (request_id: string, inMs: number): void => {
        // The clock is read once: a job has its name by its moment.
        const at = now() + inMs
        moments.set(request_id, at)
        alarms.set({ request_id, deadline_ms: at + DAY, resolved_seq: null }, at)
      }
      await until('its mark', async () => (await redis.client.keys('lane:*-armed')).length, 1)
      redis.freeze()
      // Handed over at once, and held up; what comes meanwhile is a lease, and the far deadline in its place.
      set('first', 200)
      await sleep(20)
      set('sent', 30_000)
      set('sent', 10 * MINUTE)
      redis.thaw()
      await sleep(1_500)
      set('next', 20_000)
      const id = jobId({ request_id: 'next', at: moments.get('next') ?? 0 })
      await until('the job of the next', jobs, ids => ids.some(one => one === id))
    })

    test('a replica that sweeps no more is not in trouble once another does', async () => {
      let away = true
      // Where the database was away, and another was quicker to hold every name.
      const hold = async (): Promise<null> => {
        if (away) throw new LedgerUnavailable('away')
        return null
      }
      const late = { ...store, hold }
      const other = await startBullmq({ store: late, url: redis.url, ring, say: () => undefined })
      await until('its trouble', () => other.troubles().length)
      away = false
      await until('no trouble', () => other.troubles().length, 0)
      await other.stop()
    })

    test('the far deadline that takes the place of a lease is not handed over, nor is the lease', async () => {
      const armed = { request_id: 'sent', deadline_ms: now() + DAY, resolved_seq: null } as const
      alarms.set(armed, now() + 30_000)
      alarms.set(armed, armed.deadline_ms)
      await open('after', 20_000)
      await until('the job of what came after', async () => (await jobs()).length, 1)
      expect(await jobs()).toEqual([jobId({ request_id: 'after', at: moments.get('after') ?? 0 })])
    })

    test('an answered request leaves no job behind', async () => {
      await open('answered', MINUTE + 40_000)
      await until('one job', async () => (await jobs()).length, 1)
      alarms.set({ request_id: 'answered', deadline_ms: moments.get('answered') ?? 0, resolved_seq: 9 }, null)
      await until('no job', async () => (await jobs()).length, 0)
    })

    test('nor does one whose callback is tried again much later', async () => {
      await open('called', MINUTE + 40_000)
      await until('one job', async () => (await jobs()).length, 1)
      const deadline_ms = moments.get('called') ?? 0
      alarms.set({ request_id: 'called', deadline_ms, resolved_seq: 9 }, now() + 5 * MINUTE)
      await until('no job', async () => (await jobs()).length, 0)
    })

    test('a wrong maxmemory-policy is said at the start and while it lasts', { skip: !ALL }, async () => {
      await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      const second = await begin()
      await until('trouble', () => second.troubles().length)
      expect(second.troubles()[0]).toMatch(/maxmemory-policy is allkeys-lru, not noeviction/)
      expect(said.some(words => /^warn .*maxmemory-policy/.test(words))).toBe(true)
      await redis.client.config('SET', 'maxmemory-policy', 'noeviction')
      await until('no trouble', () => second.troubles().length, 0)
      await second.stop()
    })

    test.runIf(ALL)(
      'when nobody takes jobs it says so, keeps the deadlines, and tries another worker',
      async () => {
        const queue = new Queue(await queueName(), { connection: redis.client, prefix: 'lane' })
        const workers = async () => (await queue.getWorkers()).map(({ id }) => id).join()
        const first = await until('a worker', workers)
        await queue.pause()
        const silent = () => alarms.troubles().some(words => /nobody has taken a job/.test(words))
        await until('the word that nobody takes jobs', silent)
        await open('kept', 500)
        await expectAllRung(['kept'], LATE_AT_MOST_MS)
        await until('another worker', workers, now => now !== '' && now !== first)
        await queue.resume()
        await until('no trouble', () => alarms.troubles().length, 0)
        await expectRecovered()
      },
      40_000,
    )

    test.runIf(ALL)('it starts, and keeps deadlines, with no Redis there at all', async () => {
      await redis.kill()
      const alone = await begin()
      await open('kept', 500)
      await expectAllRung(['kept'], LATE_AT_MOST_MS)
      await alone.stop()
      await redis.start()
    })
  },
)

test.each([
  ['6.0.16', 'noeviction', [/6\.0\.16 is older than 6\.2/]],
  ['6.2.0', 'noeviction', []],
  ['8.2.1', 'noeviction', []],
  ['7.0.15', 'volatile-lru', [/maxmemory-policy is volatile-lru/]],
  ['5.0.3', 'allkeys-lru', [/older than 6\.2/, /allkeys-lru/]],
])('Redis %s with %s', (version, policy, expected) => {
  const flaws = flawsIn(version, policy)
  expect(flaws).toHaveLength(expected.length)
  for (const [index, words] of expected.entries()) expect(flaws[index]).toMatch(words)
})
