// The cost of the cluster: the same program on PostgreSQL and Redis, against plain `pg` and raw BullMQ on the same
// servers in the same run. Both servers are private, sync to the disk of this checkout, and are gone after the run.

import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBullmq } from '../src/deadline/bullmq/start.js'
import { TOGETHER } from '../src/deadline/overdue.js'
import type { Entry } from '../src/event.js'
import type { Store } from '../src/ledger/contract.js'
import { parseEntry } from '../src/ledger/entry.js'
import { openPostgres } from '../src/ledger/postgres/open.js'
import { verify } from '../src/ledger/verify.js'
import { type Server, startPostgres } from '../test/cluster/postgres.js'
import { type RedisServer, startRedis } from '../test/cluster/redis.js'
import { launch } from './child.js'
import type { RawAsk } from './cluster-process.js'
import { type Figure, quantile } from './figure.js'
import type { LoadAnswer, LoadAsk } from './load.js'
import { WrongOutcome } from './outcome.js'
import { PLACES, type Place, withPlace } from './place.js'
import { openOne } from './population.js'
import { CLIENTS, idsOf, perSecond, post, startLane, submission } from './stage.js'
import { SECRET, unlocked } from './unlocking.js'

const REPEATS = 3
const MONTH_S = 2_592_000
/** Near enough to have its job in Redis, and further away than it takes to set all of them. */
const NEAR_S = 110
const PENDING = 100_000
const PER_SECOND = 100
const DUE = 1_500
const BURST = 10_000
const REQUESTS = 3_000
/** Warm-up of each side: the figure is for a process that has been up for a while. */
const WARM_UP = 10_000
/** Connections of plain pg are opened anew for each repeat. */
const RAW_WARM_UP = 2_000
const PAIRS = 5
/** Appends handed over at once. */
const BATCH = 1_024

type Bench = {
  readonly postgres: Server
  readonly redis: RedisServer
  raw(ask: RawAsk): Promise<number | number[]>
}

export const measureClusterCreation = () => withServers(creation)
export const measureClusterLateness = () => withServers(lateness)
export const measureClusterBurst = () => withServers(burst)
export const measureClusterMemory = () => withServers(memory)

async function withServers(measure: (bench: Bench) => Promise<Figure>): Promise<Figure[]> {
  mkdirSync(PLACES, { recursive: true })
  process.env.TMPDIR = PLACES
  const [postgres, redis] = await Promise.all([startPostgres({ max_connections: '200' }), startRedis()])
  const child = await launch<RawAsk, number | number[]>('server', 'cluster-process.js', {
    env: { REDIS_URL: redis.url },
  })
  try {
    return [await measure({ postgres, redis, raw: child.ask })]
  } finally {
    await child.stop()
    await Promise.all([postgres.end(), redis.end()])
  }
}

/** A lane's own corner of both servers. */
async function withCorner<T>(
  { postgres, redis }: Bench,
  use: (place: Place, url: string) => Promise<T>,
): Promise<T> {
  await redis.client.flushall()
  const url = await postgres.corner()
  return withPlace(place => {
    const cluster = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      LANE_SECRET: SECRET,
      // As docker-compose.yml starts it.
      NODE_OPTIONS: '--max-semi-space-size=64',
    }
    return use({ ...place, env: { ...place.env, ...cluster } }, url)
  })
}

/** Three lanes in turn, each against plain pg several times over; both sides are warm before the first pair. */
async function creation(bench: Bench): Promise<Figure> {
  const [measured, baseline]: [number[], number[]] = [[], []]
  const url = await bench.postgres.corner()
  const insert = (rows: number): Promise<number> =>
    bench.raw({ kind: 'insert', url, clients: CLIENTS, warmUp: RAW_WARM_UP, rows }) as Promise<number>
  await insert(WARM_UP)
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    await withCorner(bench, (place, own) =>
      creating(place, own, async create => {
        for (let pair = 0; pair < PAIRS; pair++) {
          baseline.push(await insert(2 * REQUESTS))
          measured.push(await create(idsOf(`create-${pair}`, REQUESTS)))
        }
      }),
    )
  }
  return {
    what: `requests created over HTTP on PostgreSQL, ${CLIENTS} clients`,
    unit: 'per s',
    measured,
    baseline: { what: 'single-row insert transactions of plain pg, the same clients', measured: baseline },
    goal: { judged: 'ratio', better: 'more', must: 0.35, aim: null },
  }
}

/** A warm lane and its creations a second; at the end its ledger must hold, and have all of them. */
async function creating(
  place: Place,
  url: string,
  use: (create: (ids: readonly string[]) => Promise<number>) => Promise<void>,
): Promise<void> {
  const lane = await startLane(place)
  const load = await launch<LoadAsk, LoadAnswer>('load', 'load.js')
  let created = 0
  const create = async (ids: readonly string[]): Promise<number> => {
    const calls = ids.map(id => post('/v1/requests', submission(id)))
    const { port } = lane
    const { ms } = await load.ask({
      kind: 'volley',
      port,
      clients: CLIENTS,
      calls,
      status: 201,
      until: null,
    })
    created += ids.length
    return perSecond(ids.length, ms)
  }
  const measure = async (): Promise<void> => {
    await create(idsOf('warm', WARM_UP))
    await use(create)
  }
  await measure().finally(() => Promise.all([lane.stop(), load.stop()]))
  const opened = (await entriesOf(url)).filter(({ type }) => type === 'REQUEST_OPENED').length
  if (opened !== created) throw new WrongOutcome(`${opened} of ${created} were opened`)
}

async function lateness(bench: Bench): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const everyMs = 1000 / PER_SECOND
    const ask = { kind: 'lateness', pending: PENDING, due: DUE, everyMs, concurrency: TOGETHER } as const
    theirs.push(...((await bench.raw(ask)) as number[]))
    ours.push(...(await withCorner(bench, (place, url) => late(bench, place, url))))
  }
  return {
    what: `deadline lateness, BullMQ on Redis, ${PENDING / 1000} 000 pending, ${PER_SECOND} due per s, p99`,
    unit: 'ms',
    measured: [quantile(ours, 0.99)],
    baseline: { what: 'raw BullMQ', measured: [quantile(theirs, 0.99)] },
    goal: { judged: 'difference', better: 'less', must: 20, aim: null },
    note: `p50 ${quantile(ours, 0.5)} ms against ${quantile(theirs, 0.5)} ms, greatest ${Math.max(...ours)} against ${Math.max(...theirs)}; ours with the commit's clock`,
  }
}

/** Due later than it takes to set all of them. */
const SOON_S = 45

async function late(bench: Bench, place: Place, url: string): Promise<number[]> {
  await populate(bench, url, async (store, armed) => {
    await crowd(store, armed, 'pending', PENDING, MONTH_S)
    const first = performance.now()
    for (let n = 0; n < DUE; n++) {
      await sleep(Math.max(0, first + (n * 1000) / PER_SECOND - performance.now()))
      void open(store, armed, `due-${n}`, SOON_S)
    }
    await sleep(1_000)
  })
  const lane = await startLane(place)
  const receipts = await resolved(url, DUE).finally(() => lane.stop())
  const lates = receipts.map(({ late }) => late)
  if (lates.some(ms => ms < 0)) throw new WrongOutcome('a deadline was early')
  return lates
}

async function burst(bench: Bench): Promise<Figure> {
  const [measured, baseline]: [number[], number[]] = [[], []]
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    baseline.push((await bench.raw({ kind: 'burst', count: BURST, concurrency: TOGETHER })) as number)
    measured.push(await withCorner(bench, (place, url) => burstOnce(bench, place, url)))
  }
  return {
    what: `${BURST / 1000} 000 due at once on the cluster, until the last is resolved`,
    unit: 'ms',
    measured,
    baseline: { what: `raw BullMQ running ${BURST / 1000} 000 empty jobs`, measured: baseline },
    goal: { judged: 'ratio', better: 'less', must: 3, aim: null },
  }
}

async function burstOnce(bench: Bench, place: Place, url: string): Promise<number> {
  const at = Date.now()
  // All are opened in one millisecond, by the opener's own clock.
  await populate(
    bench,
    url,
    (store, armed) => crowd(store, armed, 'burst', BURST, SOON_S),
    () => at,
  )
  const lane = await startLane(place)
  if (Date.now() >= at + SOON_S * 1000) throw new WrongOutcome('the lane was not ready in time')
  const receipts = await resolved(url, BURST).finally(() => lane.stop())
  return Math.max(...receipts.map(({ late }) => late))
}

async function memory(bench: Bench): Promise<Figure> {
  const [measured, baseline]: [number[], number[]] = [[], []]
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    baseline.push((await bench.raw({ kind: 'memory', count: PENDING })) as number)
    measured.push(await withCorner(bench, (_place, url) => bytesEach(bench, url)))
  }
  return {
    what: `Redis memory per pending request, ${PENDING / 1000} 000 pending, all in their last two minutes`,
    unit: 'B',
    measured,
    baseline: { what: 'raw BullMQ delayed job with 200 bytes of data', measured: baseline },
    goal: { judged: 'ratio', better: 'less', must: 1.2, aim: null },
    note: 'whose deadline is further away has no job in Redis yet, and costs it nothing',
  }
}

async function bytesEach(bench: Bench, url: string): Promise<number> {
  const used = async (): Promise<number> =>
    Number(/^used_memory:(\d+)/m.exec(await bench.redis.client.info('memory'))?.[1])
  const before = await used()
  await populate(bench, url, (store, armed) => crowd(store, armed, 'pending', PENDING, NEAR_S))
  const jobs = await bench.redis.client.dbsize()
  if (jobs < PENDING) throw new WrongOutcome(`Redis has ${jobs} keys for ${PENDING} requests`)
  return ((await used()) - before) / PENDING
}

type Arm = (requestId: string, due: number) => void

/** Requests straight through the ledger, each with its alarm set as a lane sets it. */
async function populate(
  { redis }: Bench,
  url: string,
  fill: (store: Store, arm: Arm) => Promise<void>,
  wallOf?: (ms: number) => number,
): Promise<void> {
  // The queue is named after the first entry, which says that a lane has started.
  const store = await unlocked(await openPostgres(url, wallOf === undefined ? {} : { wallOf }), 'cluster')
  const alarms = await startBullmq({
    store,
    url: redis.url,
    ring: async () => undefined,
    say: () => undefined,
  })
  await fill(store, (request_id, due) =>
    alarms.set({ request_id, deadline_ms: due, resolved_seq: null }, due),
  )
  await alarms.stop()
  await store.ledger.close()
}

const open = async (store: Store, arm: Arm, id: string, deadlineS: number): Promise<void> =>
  arm(id, await openOne(store, id, deadlineS))

async function crowd(
  store: Store,
  arm: Arm,
  prefix: string,
  count: number,
  deadlineS: number,
): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const ids = idsOf(`${prefix}-${first}`, Math.min(BATCH, count - first))
    await Promise.all(ids.map(id => open(store, arm, id, deadlineS)))
    // Alarms that a lane would set over hours are set here in seconds: no more may wait than Redis takes.
    await sleep(20)
  }
}

async function entriesOf(url: string): Promise<Entry[]> {
  const { ledger } = await openPostgres(url)
  const lines: string[] = []
  for await (const line of ledger.lines(0)) lines.push(line)
  await ledger.close()
  const { ok, problems } = await verify(lines)
  if (!ok) throw new WrongOutcome(`the ledger does not hold: ${problems[0]?.message}`)
  return lines.map(parseEntry)
}

/** Every deadline that was kept, with its lateness, once there are so many. */
async function resolved(url: string, count: number): Promise<{ readonly late: number }[]> {
  const { ledger } = await openPostgres(url)
  const from = (await ledger.head()).size
  let seen = 0
  ledger.onCommit(entries => {
    seen += entries.filter(({ type }) => type === 'REQUEST_RESOLVED').length
  })
  for (const end = performance.now() + 180_000; seen < count && performance.now() < end; ) await sleep(20)
  await ledger.close()
  const receipts = (await entriesOf(url)).filter(({ type, seq }) => type === 'TIMEOUT_RECEIPT' && seq >= from)
  if (receipts.length !== count) throw new WrongOutcome(`${receipts.length} of ${count} deadlines were kept`)
  return receipts.map(entry =>
    entry.type === 'TIMEOUT_RECEIPT'
      ? { late: Date.parse(entry.at) - Date.parse(entry.body.deadline_at) }
      : { late: Number.NaN },
  )
}
