// What grows: each cost with little behind it and with much, as the ratio of the two. Two lanes run side by side, repeat by
// repeat: one that knows few people and one that knows many, or one whose one person was asked seldom and one whose was asked very
// often. Processor time, because it is the lane's own; the time of a look, because a look is little else.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Child, launch } from './child.js'
import type { CycleAnswer, CycleAsk } from './cycle-process.js'
import { type Figure, median } from './figure.js'
import { writeHistory } from './history.js'
import { processorMs } from './machine.js'
import { residentBytes } from './memory.js'
import { PLACES, type Place, withPlace } from './place.js'
import { STARTED_WITH } from './started-with.js'

/** At once: fewer than the codes one person may have open. */
const CLIENTS = 16
const WARM_UP = 4_000
const CYCLES = 1_000
const LOOKS = 300
const REPEATS = 5
const FEW_PEOPLE = 10
/** As much one person has at once on either side, so that nothing but the past differs. */
const NEWCOMER = `${WARM_UP} requests behind one person`
const MIB = 2 ** 20
const MANY_PEOPLE = 100_000
/** Requests behind the one person; GROWTH asks for more. Each is written straight through the store and takes 8 kB of disk. */
const HISTORY = Number(process.env.GROWTH ?? 20_000)

/** The reads that a caller repeats; the one case is an old one, which no memory holds. */
const LOOKED_AT = {
  'one case': '/v1/requests/cycle-0',
  'a page of cases': '/v1/requests',
  'what is pending': '/v1/requests?state=pending',
  'the cases of a run': '/v1/requests?run_id=run-0',
} as const
type Look = keyof typeof LOOKED_AT
const LOOK_NAMES = Object.keys(LOOKED_AT) as Look[]

type Side = {
  readonly child: Child<CycleAsk, CycleAnswer>
  readonly pid: number
  /** Milliseconds of processor time for a cycle, one number a repeat. */
  readonly cycle: number[]
  /** Milliseconds of the median look, one number a repeat. */
  readonly looks: Readonly<Record<Look, number[]>>
}

export async function measureGrowth(): Promise<Figure[]> {
  mkdirSync(PLACES, { recursive: true })
  return [...(await byHistory()), ...(await byPeople())]
}

async function byHistory(): Promise<Figure[]> {
  const name = `${HISTORY.toLocaleString('en-US').replaceAll(',', ' ')} requests behind one person`
  return withPlace(async past => {
    await writeHistory(past, HISTORY)
    const memory = await idleFigure(past)
    const [small, large] = await sideBySide(1, 1, past.ledger)
    return [
      cycleFigure(name, small, large, NEWCOMER),
      ...LOOK_NAMES.map(look => lookFigure(name, look, small, large)),
      memory,
    ]
  })
}

/** A lane on all of it against one on nothing, both idle. The first start makes keys and is not counted. */
const idleFigure = (past: Place): Promise<Figure> =>
  withPlace(async empty => {
    const [full, bare]: [number[], number[]] = [[], []]
    for (const place of [past, empty]) await residentBytes(place)
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      bare.push((await residentBytes(empty)) / MIB)
      full.push((await residentBytes(past)) / MIB)
    }
    return {
      what: `memory of an idle lane, ${HISTORY.toLocaleString('en-US').replaceAll(',', ' ')} requests in its ledger`,
      unit: 'MB',
      measured: full,
      baseline: { what: 'a lane with an empty ledger', measured: bare },
      goal: { judged: 'difference', better: 'less', must: 30, aim: 5 },
    }
  })

async function byPeople(): Promise<Figure[]> {
  const [small, large] = await sideBySide(FEW_PEOPLE, MANY_PEOPLE)
  return [cycleFigure('100 000 people', small, large, `${FEW_PEOPLE} people`)]
}

async function sideBySide(fewPeople: number, people: number, ledger?: string): Promise<[Side, Side]> {
  const sides: [Side, Side] = [await start(fewPeople), await start(people, ledger)]
  try {
    for (const { child } of sides) await child.ask({ clients: CLIENTS, count: WARM_UP })
    for (let repeat = 0; repeat < REPEATS; repeat++) for (const side of sides) await measureOnce(side)
    return sides
  } finally {
    await Promise.all(sides.map(({ child }) => child.stop()))
  }
}

async function start(people: number, ledger?: string): Promise<Side> {
  const child = await launch<CycleAsk, CycleAnswer>('anywhere', 'cycle-process.js', {
    env: {
      LANE_CLI: fileURLToPath(new URL('../src/cli/lane.js', import.meta.url)),
      LANE_NODE_ARGS: STARTED_WITH.join(' '),
      LANE_PEOPLE: String(people),
      ...(ledger !== undefined && { LANE_LEDGER: ledger }),
      CONTESTANT: new URL('cycle-lane.js', import.meta.url).href,
    },
  })
  const { lane: pid } = child.first as { readonly lane: number }
  const looks = Object.fromEntries(LOOK_NAMES.map(look => [look, []])) as unknown as Side['looks']
  return { child, pid, cycle: [], looks }
}

async function measureOnce({ child, pid, cycle, looks }: Side): Promise<void> {
  const before = processorMs(pid)
  await child.ask({ clients: CLIENTS, count: CYCLES })
  cycle.push((processorMs(pid) - before) / CYCLES)
  for (const look of LOOK_NAMES) {
    const { times } = await child.ask({ clients: 1, count: LOOKS, look: LOOKED_AT[look] })
    looks[look].push(median(times))
  }
}

const GOAL = { judged: 'ratio', better: 'less', must: 1.1, aim: 1 } as const

const cycleFigure = (name: string, small: Side, large: Side, against: string): Figure => ({
  what: `processor time of a cycle, ${name}`,
  unit: 'ms',
  measured: large.cycle,
  baseline: { what: against, measured: small.cycle },
  goal: GOAL,
})

/** Without a goal: a look alone is so short that the machine's own noise exceeds a tenth. */
const lookFigure = (name: string, look: Look, small: Side, large: Side): Figure => ({
  what: `${look}, ${name}`,
  unit: 'ms',
  measured: large.looks[look],
  baseline: { what: NEWCOMER, measured: small.looks[look] },
  goal: null,
})
