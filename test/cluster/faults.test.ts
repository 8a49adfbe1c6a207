// A cluster that is broken while it works: Redis in every way it breaks, replicas that are killed, frozen or ahead of
// their time, and five of them on the same requests. Each ends in the auditor's program: every request ended exactly
// once, as its people were told; no deadline lost, none early, none later than the sweep allows.
import { describe, expect, test } from 'vitest'
import type { Entry, EntryOf } from '../../src/event.js'
import type { Client, Link } from '../faults/client.js'
import { endingsOf } from '../faults/journal.js'
import { ALL, sleep } from '../faults/rig.js'
import { until } from '../until.js'
import { noCluster, type Replica } from './cluster.js'
import { LATE_AT_MOST_MS, sceneForEach } from './scene.js'

/** A replica that hangs keeps the sweep's hold for so long. */
const HOLD_MS = 15_000
/** An outage, the deadlines after it and the settling take this long; a test's own time is longer. */
const LONG_MS = 110_000

const timeouts = (entries: readonly Entry[]) =>
  entries.filter((entry): entry is EntryOf<'TIMEOUT_RECEIPT'> => entry.type === 'TIMEOUT_RECEIPT')
/** By its Date header, which has whole seconds. */
const clockOf = async ({ url }: Replica): Promise<number> =>
  Date.parse((await fetch(`${url}/healthz`)).headers.get('date') ?? '')
const latenessOf = ({ at, body }: EntryOf<'TIMEOUT_RECEIPT'>): number =>
  Date.parse(at) - Date.parse(body.deadline_at)

// Outages and deadlines of seconds, one after the other. Every day replicas.test.ts and test/deadline/bullmq.test.ts have
// what one of them comes to.
describe.runIf(ALL)(`a cluster under fire${noCluster ? ` (skipped: ${noCluster})` : ''}`, () => {
  const scene = sceneForEach()
  const { meet, kept } = scene

  /** One more request each tick, with deadlines from one to `longest` seconds, asked of the replicas in turn. */
  async function askFor(ms: number, longest: number, everyMs = 100): Promise<string[]> {
    const ids: string[] = []
    for (let n = 0; n * everyMs < ms; n++) {
      const id = `q${n}`
      const answer = await (scene.clients[n % scene.clients.length] as Client).open(id, {
        deadline_seconds: 1 + (n % longest),
      })
      expect(answer.status).toBe(201)
      ids.push(id)
      await sleep(everyMs)
    }
    return ids
  }
  /** All have ended, by nobody but time: in the ledger, without being asked for. */
  async function expectTimedOut(ids: readonly string[], lateAtMost = LATE_AT_MOST_MS): Promise<void> {
    const ended = async () => {
      const lines = await scene.cluster.lines()
      return lines.filter(line => line.includes('"type":"REQUEST_RESOLVED"')).length
    }
    await until('all to end', ended, count => count >= ids.length, LONG_MS)
    const entries = await kept()
    const receipts = timeouts(entries)
    expect(receipts.map(({ request_id }) => request_id).sort()).toEqual([...ids].sort())
    expect(receipts.filter(entry => latenessOf(entry) < 0)).toEqual([])
    const late = receipts.filter(entry => latenessOf(entry) > lateAtMost)
    expect(late.map(entry => `${entry.request_id}: ${latenessOf(entry)} ms`)).toEqual([])
  }

  type Fault = readonly [name: string, forMs: number, act: (forMs: number) => Promise<void>]
  const redis = () => scene.cluster.redis
  const faults: readonly Fault[] = [
    ['killed for 2 s', 2_000, ms => outage(ms, false)],
    ['flushed', 1_000, async () => void (await redis().client.flushall())],
    ['killed for 5 s', 5_000, ms => outage(ms, false)],
    ['killed for 20 s', 20_000, ms => outage(ms, false)],
    ['restarted empty', 2_000, ms => outage(ms, true)],
    ['stopped for 30 s', 30_000, ms => freeze(ms)],
    ['reset again and again', 5_000, ms => resets(ms)],
  ]
  async function outage(ms: number, empty: boolean): Promise<void> {
    await redis().kill()
    if (empty) redis().wipe()
    await sleep(ms)
    await redis().start()
  }
  async function freeze(ms: number): Promise<void> {
    redis().freeze()
    await sleep(ms)
    redis().thaw()
  }
  async function resets(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 200) {
      await redis().client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await sleep(200)
    }
  }

  test.each(faults)(
    '[LANE-067] [LANE-071] Redis is %s: every deadline is kept, once, and Redis rings again afterwards',
    async (_name, forMs, act) => {
      for (const lane of await scene.cluster.replicas(2)) meet(lane)
      const asking = askFor(forMs + 2_000, 4)
      await sleep(700)
      await act(forMs)
      await expectTimedOut(await asking)
      const ready = () => Promise.all(scene.clients.map(client => client.call('GET', '/readyz')))
      await until('all to be ready', ready, all => all.every(({ json }) => json.status === 'ready'), LONG_MS)
    },
    120_000,
  )

  test('[LANE-079] a replica is killed while it asks people: the other finishes what it began, and nothing acknowledged is lost', async () => {
    const [victim, other] = await scene.cluster.replicas(2)
    if (victim === undefined || other === undefined) throw new Error('two were started')
    const [doomed, left] = [meet(victim), meet(other)]
    const asking = Array.from({ length: 200 }, (_, n) =>
      (n % 4 === 0 ? left : doomed).open(`q${n}`, { deadline_seconds: 6 }).catch(() => null),
    )
    await until(
      'twenty to be opened',
      () => scene.journal.opened.size,
      count => count > 20,
    )
    await victim.kill()
    await Promise.all(asking)
    const ids = [...scene.journal.opened.keys()]
    for (const id of ids) expect(await left.outcome(id)).toMatch(/^(defaulted|undelivered)$/)
    const entries = await kept()
    const receipts = timeouts(entries)
    expect(receipts.filter(entry => latenessOf(entry) < 0)).toEqual([])
    // Those that were opened and never acknowledged end as well.
    const opened = entries.filter(({ type }) => type === 'REQUEST_OPENED')
    await until(
      'all that were opened to end',
      async () => endingsOf((await scene.cluster.lines()).map(line => JSON.parse(line))).size,
      opened.length,
      LONG_MS,
    )
  }, 60_000)

  test('[LANE-069] five replicas race reply, withdrawal and timeout on the same requests: one ending each, and whoever was told is right', async () => {
    const [count, requests, deadline] = [5, 1_000, 20]
    const clients = (await scene.cluster.replicas(count)).map(meet)
    const at = (n: number): Client => clients[n % clients.length] as Client
    const ids = Array.from({ length: requests }, (_, n) => `q${n}`)
    await Promise.all(ids.map((id, n) => at(n).open(id, { deadline_seconds: deadline })))
    const links = await Promise.all(ids.map((id, n) => at(n).link(id)))
    const stamps = await Promise.all(links.map((link, n) => at(n + 1).stamp(link)))
    const deadlines = await Promise.all(
      ids.map(async (id, n) =>
        Date.parse(String((await at(n).call('GET', `/v1/requests/${id}`)).json.deadline_at)),
      ),
    )
    const race = async (id: string, n: number): Promise<void> => {
      const aim = (deadlines[n] ?? 0) - Date.now()
      // A third long before, a third around, a third right at the deadline.
      await sleep(Math.max(0, aim - ([800, 60, 5][n % 3] ?? 0)))
      await Promise.allSettled([
        at(n).reply(links[n] as Link, stamps[n] ?? '', 'yes'),
        at(n + 1).reply(links[n] as Link, stamps[n] ?? '', 'no'),
        ...(n % 2 === 0 ? [at(n + 2).withdraw(id)] : []),
        at(n + 3).call('GET', `/v1/requests/${id}`),
      ])
    }
    await Promise.all(ids.map(race))
    for (const [n, id] of ids.entries()) await at(n).outcome(id)
    const entries = await kept()
    const endings = endingsOf(entries)
    expect(endings.size).toBe(requests)
    const kinds = [...endings.values()].map(([only]) => only)
    const counted = Object.fromEntries(
      [...new Set(kinds)].map(kind => [kind, kinds.filter(one => one === kind).length]),
    )
    console.log(`${count} replicas on ${requests} requests: ${JSON.stringify(counted)}`)
    expect(Object.keys(counted).sort()).toEqual(['NO', 'YES', 'defaulted', 'withdrawn'])
  }, 180_000)

  test('clocks of replicas two seconds apart: no deadline is early, none is late by more than the sweep allows', async () => {
    const ahead = await scene.cluster.replica({ under: ['faketime', '-f', '+2s'] })
    const behind = await scene.cluster.replica()
    for (const lane of [ahead, behind]) meet(lane)
    const [theirs, ours] = await Promise.all([ahead, behind].map(clockOf))
    expect((theirs ?? 0) - (ours ?? 0)).toBeGreaterThanOrEqual(1_000)
    await expectTimedOut(await askFor(20_000, 4))
  }, 120_000)

  test('[LANE-069] a replica is stopped for longer than its locks hold amid a burst and then goes on: nothing ends twice', async () => {
    const stoppedMs = 45_000
    const lanes = await scene.cluster.replicas(2)
    const clients = lanes.map(meet)
    const ids = Array.from({ length: 300 }, (_, n) => `q${n}`)
    const opened = await Promise.all(
      ids.map((id, n) => (clients[n % 2] as Client).open(id, { deadline_seconds: 4 })),
    )
    const first = Math.min(...opened.map(({ json }) => Date.parse(String(json.deadline_at))))
    await sleep(first - Date.now() + 20)
    const stopped = lanes[0] as Replica
    process.kill(stopped.pid, 'SIGSTOP')
    const wake = sleep(stoppedMs).then(() => process.kill(stopped.pid, 'SIGCONT'))
    await expectTimedOut(ids, HOLD_MS + LATE_AT_MOST_MS)
    await wake
    await until(
      'the stopped one to be ready',
      async () => (await clients[0]?.call('GET', '/readyz'))?.status,
      200,
    )
    await sleep(35_000)
    await expectTimedOut(ids, HOLD_MS + LATE_AT_MOST_MS)
  }, 180_000)
})
