// The whole cycle, as a caller sees it: ask, notice to a person through a provider, reply, resume. Everything durable, and
// nothing pinned to a core, because the peers are several processes each.
//
// Beside it, where they are named: an earlier build (LANE_BEFORE, a checkout that was built), for the processor time, and the
// peers (PEERS_DIR, an installed copy of their harness). Contestants run in turn, repeat by repeat, on the same machine.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startPostgres } from '../test/cluster/postgres.js'
import { startRedis } from '../test/cluster/redis.js'
import { type Child, launch } from './child.js'
import type { CycleAnswer, CycleAsk } from './cycle-process.js'
import { type Figure, median } from './figure.js'
import { processorMs, serversOf } from './machine.js'
import { PLACES } from './place.js'
import { perSecond } from './stage.js'
import { STARTED_WITH, startedWith } from './started-with.js'

/** Callers at once, and the cycles of one repeat. */
const STEPS = [
  { clients: 1, count: 200 },
  { clients: 16, count: 1_000 },
  { clients: 64, count: 2_000 },
] as const
type Clients = (typeof STEPS)[number]['clients']
/** The code of a lane is compiled in their course. */
const WARM_UP = 4_000
const REPEATS = 5
const LANE = new URL('cycle-lane.js', import.meta.url).href

/** The repeats of one contestant. */
type Run = {
  readonly perSecond: number
  /** Milliseconds of the median cycle. */
  readonly p50: number
  /** Milliseconds of processor time for one cycle, by process. */
  readonly processor: Readonly<Record<string, number>>
}
type Runs = Readonly<Record<Clients, Run[]>>
type Contestant = {
  readonly child: Child<CycleAsk, CycleAnswer>
  readonly pids: () => Readonly<Record<string, readonly number[]>>
  readonly runs: Runs
}

export const measureCycle = (): Promise<Figure[]> =>
  compared('embedded', {}, process.env.LANE_BEFORE, 'restate-tuned')

export async function measureClusterCycle(): Promise<Figure[]> {
  mkdirSync(PLACES, { recursive: true })
  process.env.TMPDIR = PLACES
  const [postgres, redis] = await Promise.all([startPostgres({ max_connections: '200' }), startRedis()])
  try {
    const servers = { DATABASE_URL: await postgres.corner(), REDIS_URL: redis.url }
    return await compared('cluster', servers, undefined, 'dbos')
  } finally {
    await Promise.all([postgres.end(), redis.end()])
  }
}

type Profile = 'embedded' | 'cluster'

async function compared(
  profile: Profile,
  servers: Readonly<Record<string, string>>,
  before: string | undefined,
  peer: string,
): Promise<Figure[]> {
  mkdirSync(PLACES, { recursive: true })
  const { PEERS_DIR } = process.env
  const own = fileURLToPath(new URL('../src/cli/lane.js', import.meta.url))
  const all: Record<string, Contestant> = {}
  try {
    all.lane = await startLane(own, STARTED_WITH, servers)
    if (before !== undefined)
      all.before = await startLane(join(before, 'dist/src/cli/lane.js'), startedWith(before), servers)
    if (PEERS_DIR !== undefined) all.peer = await startPeer(join(PEERS_DIR, `${peer}.mjs`))
    for (const one of Object.values(all)) await one.child.ask({ clients: 64, count: WARM_UP })
    for (let repeat = 0; repeat < REPEATS; repeat++)
      for (const step of STEPS) for (const one of Object.values(all)) await repeated(one, step)
  } finally {
    await Promise.all(Object.values(all).map(({ child }) => child.stop()))
  }
  if (before === undefined && profile === 'embedded')
    console.log('left out: processor time against an earlier build (LANE_BEFORE names none)')
  if (PEERS_DIR === undefined) console.log(`left out: ${peer} (PEERS_DIR names no installed copy)`)
  return figuresOf(profile, all.lane.runs, all.before?.runs, all.peer && { name: peer, runs: all.peer.runs })
}

function startLane(
  cli: string,
  nodeArgs: readonly string[],
  servers: Readonly<Record<string, string>>,
): Promise<Contestant> {
  const { LANE_PEOPLE = '200' } = process.env
  const env = { LANE_CLI: cli, LANE_NODE_ARGS: nodeArgs.join(' '), LANE_PEOPLE, ...servers }
  return started(LANE, env, Object.keys(servers).length > 0)
}

const startPeer = (file: string): Promise<Contestant> =>
  started(pathToFileURL(file).href, { ...(process.env as Record<string, string>), PEERS_DIR: PLACES }, false)

async function started(
  module: string,
  env: Record<string, string>,
  withServers: boolean,
): Promise<Contestant> {
  const child = await launch<CycleAsk, CycleAnswer>('anywhere', 'cycle-process.js', {
    env: { ...env, CONTESTANT: module },
  })
  const told = Object.entries(child.first as Record<string, number>).map(([name, pid]) => [name, [pid]])
  const own: Record<string, readonly number[]> = Object.fromEntries(told)
  return {
    child,
    pids: () => (withServers ? { ...own, ...serversOf(process.pid) } : own),
    runs: { 1: [], 16: [], 64: [] },
  }
}

async function repeated({ child, pids, runs }: Contestant, step: (typeof STEPS)[number]): Promise<void> {
  const before = spentBy(pids())
  const { ms, times } = await child.ask(step)
  const after = spentBy(pids())
  const each = Object.entries(after).map(([name, spent]) => [
    name,
    (spent - (before[name] ?? 0)) / step.count,
  ])
  runs[step.clients].push({
    perSecond: perSecond(step.count, ms),
    p50: median(times),
    processor: Object.fromEntries(each),
  })
}

const spentBy = (pids: Readonly<Record<string, readonly number[]>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(pids).map(([name, each]) => [name, each.reduce((sum, pid) => sum + processorMs(pid), 0)]),
  )

type Goals = { readonly many: [number, number]; readonly one: [number, number] }
/** Against the peer: cycles a second of 64 callers, and the time of one alone. */
const GOALS: Readonly<Record<Profile, Goals>> = {
  embedded: { many: [0.75, 1.5], one: [0.6, 0.3] },
  cluster: { many: [2, 4], one: [1, 0.6] },
}

function figuresOf(
  profile: Profile,
  lane: Runs,
  before: Runs | undefined,
  peer: { readonly name: string; readonly runs: Runs } | undefined,
): Figure[] {
  const { many, one } = GOALS[profile]
  const rates = STEPS.map(({ clients }): Figure => {
    const against = clients === 64 ? peer : undefined
    return {
      what: `whole cycles, ${profile}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
      unit: 'per s',
      measured: lane[clients].map(run => run.perSecond),
      baseline: peer
        ? { what: peer.name, measured: peer.runs[clients].map(run => run.perSecond) }
        : before
          ? { what: 'the earlier build', measured: before[clients].map(run => run.perSecond) }
          : null,
      goal: against ? { judged: 'ratio', better: 'more', must: many[0], aim: many[1] } : null,
      note: `processor time a cycle: ${shares(lane[clients])}`,
    }
  })
  const processor = (runs: Runs): number[] => runs[64].map(run => run.processor.lane ?? Number.NaN)
  return [
    ...rates,
    {
      what: `one cycle alone, ${profile}, p50`,
      unit: 'ms',
      measured: lane[1].map(run => run.p50),
      baseline: peer ? { what: peer.name, measured: peer.runs[1].map(run => run.p50) } : null,
      goal: peer ? { judged: 'ratio', better: 'less', must: one[0], aim: one[1] } : null,
    },
    {
      what: `processor time of the lane for a cycle, ${profile}, 64 clients`,
      unit: 'ms',
      measured: processor(lane),
      baseline: before ? { what: 'the earlier build', measured: processor(before) } : null,
      goal: before ? { judged: 'ratio', better: 'less', must: 0.55, aim: 0.3 } : null,
    },
  ]
}

function shares(runs: readonly Run[]): string {
  const names = Object.keys(runs[0]?.processor ?? {})
  return names
    .map(name => `${name} ${median(runs.map(run => run.processor[name] ?? 0)).toFixed(2)} ms`)
    .join(', ')
}
