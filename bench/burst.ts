// Ten thousand deadlines in one millisecond: the time until the last of them is committed, against handing the same
// entries straight to the ledger.
import { setTimeout as sleep } from 'node:timers/promises'
import { launch } from './child.js'
import type { Figure } from './figure.js'
import {
  type Counts,
  ENTRIES_PER_TIMEOUT,
  entriesOf,
  requireCounts,
  requireHolds,
  sizeOf,
  timedOut,
  WrongOutcome,
  watchHead,
} from './outcome.js'
import { type Place, withPlace } from './place.js'
import { type Crowd, populate } from './population.js'
import { startLane } from './stage.js'

const DUE = 10_000
const OPEN_FOR_S = 600
/** The lane must be ready within this time after the millisecond is chosen. */
const LEAD_MS = 6_000
/** Fewer repeats than elsewhere: each builds two ledgers and waits for its millisecond. */
const BURSTS = 3

export async function measureBurst(): Promise<Figure[]> {
  const measured: number[] = []
  const baseline: number[] = []
  for (let repeat = 0; repeat < BURSTS; repeat++) {
    baseline.push(await withPlace(appendStraight))
    measured.push(await withPlace(burst))
  }
  return [
    {
      what: '10 000 due in one millisecond, until the last is resolved',
      unit: 'ms',
      measured,
      baseline: { what: '20 000 entries straight into the ledger', measured: baseline },
      goal: { judged: 'ratio', better: 'less', must: 3, aim: 1.5 },
    },
  ]
}

const crowdDue = (at: number): Crowd => ({
  prefix: 'burst',
  count: DUE,
  from: at - OPEN_FOR_S * 1000,
  every: 0,
  deadline_seconds: OPEN_FOR_S,
})

async function appendStraight(place: Place): Promise<number> {
  await populate(place, crowdDue(Date.now() - 1_000))
  const from = sizeOf(place.ledger)
  const child = await launch<'resolve', { ms: number; resolved: number }>('server', 'ledger-process.js', {
    env: { LANE_DATA_DIR: place.dir },
  })
  const { ms, resolved } = await child.ask('resolve').finally(() => child.stop())
  if (resolved !== DUE) throw new WrongOutcome(`${resolved} of ${DUE} were resolved`)
  const written = { LANE_STARTED: 1, TIMEOUT_RECEIPT: DUE, REQUEST_RESOLVED: DUE }
  // No director decides here, and nothing else is missing.
  await requireResolved(place, from, written, ['I29'])
  return ms
}

async function burst(place: Place): Promise<number> {
  const at = Date.now() + LEAD_MS
  await populate(place, crowdDue(at))
  const lane = await startLane(place)
  const from = sizeOf(place.ledger)
  let ms: number
  try {
    if (Date.now() >= at)
      throw new WrongOutcome(`the lane was not ready ${LEAD_MS} ms after the crowd was begun`)
    await sleep(at - Date.now())
    await watchHead(place.ledger, from + ENTRIES_PER_TIMEOUT * DUE)
    ms = Date.now() - at
  } finally {
    await lane.stop()
  }
  await requireResolved(place, from, timedOut(DUE))
  return ms
}

async function requireResolved(place: Place, from: number, counts: Counts, but?: string[]): Promise<void> {
  requireCounts(place.ledger, from, counts)
  const deadlines = new Set(entriesOf(place.ledger, 'TIMEOUT_RECEIPT').map(({ body }) => body.deadline_at))
  if (deadlines.size !== 1) throw new WrongOutcome(`${deadlines.size} deadlines where all share one`)
  await requireHolds(place.ledger, but)
}
