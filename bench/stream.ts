// The delay until a follower knows, while people answer at a steady pace; and the memory of a silent follower.
import { launch } from './child.js'
import { type Figure, median, quantile } from './figure.js'
import type { Stream } from './listening.js'
import type { LoadAnswer, LoadAsk } from './load.js'
import { timeFsync } from './machine.js'
import { answered, requireCounts, requireHolds, sizeOf, WrongOutcome } from './outcome.js'
import { KEY, type Place, withPlace } from './place.js'
import { CLIENTS, drawReplies, idsOf, open, perSecond, REPEATS, type Stage, withStage } from './stage.js'
import { STARTED_WITH } from './started-with.js'

/** The wanted pace, and the share of it that a run must reach to count. */
const PER_SECOND = 200
const SLACK = 0.98
/** Five seconds at that pace. */
const REPLIES = 1_000
/** The time allowed between the commit and the event, beside one fsync. */
const ALLOWED_MS = 5
const FOLLOWERS = 5_000

const streamOf = (port: number): Stream => ({
  port,
  path: '/v1/events?type=REQUEST_RESOLVED',
  headers: { authorization: `Bearer ${KEY}` },
})

export async function measureStream(): Promise<Figure[]> {
  return [...(await measureLatency()), await measureFollowers()]
}

async function measureLatency(): Promise<Figure[]> {
  return withStage(async stage => {
    const fsyncs = [median(timeFsync(stage.place.dir))]
    await follow(stage, idsOf('warm', REPLIES))
    const rounds: (readonly number[])[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++)
      rounds.push(await follow(stage, idsOf(`stream-${repeat}`, REPLIES)))
    fsyncs.push(median(timeFsync(stage.place.dir)))
    const bound = median(fsyncs) + ALLOWED_MS
    const what = `reply sent → event at who follows, ${PER_SECOND} replies/s`
    return [
      {
        what: `${what}, p50`,
        unit: 'ms',
        measured: rounds.map(median),
        baseline: { what: 'one fsync, before and after', measured: fsyncs },
        goal: { judged: 'difference', better: 'less', must: ALLOWED_MS, aim: 1 },
      },
      {
        what: `${what}, p99`,
        unit: 'ms',
        measured: rounds.map(times => quantile(times, 0.99)),
        baseline: { what: `one fsync + ${ALLOWED_MS} ms`, measured: [bound] },
        goal: { judged: 'ratio', better: 'less', must: 4, aim: 1 },
        note: `greatest of all ${rounds.flat().length} ${quantile(rounds.flat(), 1).toFixed(1)} ms`,
      },
    ]
  })
}

async function follow(stage: Stage, ids: readonly string[]): Promise<readonly number[]> {
  const { place, lane } = stage
  await open(stage, ids)
  const drawn = await drawReplies(stage, ids)
  const from = sizeOf(place.ledger)
  const { ms, times } = await stage.load({
    kind: 'pace',
    port: lane.port,
    clients: CLIENTS,
    everyMs: 1000 / PER_SECOND,
    stream: streamOf(lane.port),
    replies: [...drawn].map(([request_id, reply]) => ({ request_id, reply })),
  })
  const n = ids.length
  if (times.length !== n) throw new WrongOutcome(`${times.length} events came where ${n} were awaited`)
  const pace = perSecond(n - 1, ms)
  if (pace < SLACK * PER_SECOND) throw new WrongOutcome(`${pace.toFixed(0)} replies/s is another pace`)
  requireCounts(place.ledger, from, answered(n))
  return times
}

async function measureFollowers(): Promise<Figure> {
  return withPlace(async place => {
    const measured: number[] = []
    // The first start makes keys and warms the file cache: it is not counted.
    await bytesEach(place)
    for (let repeat = 0; repeat < REPEATS; repeat++) measured.push(await bytesEach(place))
    await requireHolds(place.ledger)
    return {
      what: `memory per idle follower, ${FOLLOWERS / 1000} 000 following`,
      unit: 'B',
      measured,
      baseline: null,
      goal: { judged: 'value', better: 'less', must: 30_000, aim: 12_000 },
      note: 'resident set after gc, sockets of the server included, buffers of the system not',
    }
  })
}

async function bytesEach({ env }: Place): Promise<number> {
  const nodeArgs = [...STARTED_WITH, '--expose-gc']
  const lane = await launch<'resident', number>('server', 'lane-process.js', { env, nodeArgs })
  const load = await launch<LoadAsk, LoadAnswer>('load', 'load.js')
  const stream = streamOf(Number(new URL(String(lane.first)).port))
  try {
    // Code that the first follower makes the lane load and compile is not counted.
    await load.ask({ kind: 'crowd', stream, count: 1 })
    const before = await lane.ask('resident')
    await load.ask({ kind: 'crowd', stream, count: FOLLOWERS })
    return ((await lane.ask('resident')) - before) / FOLLOWERS
  } finally {
    await Promise.all([load.stop(), lane.stop()])
  }
}
