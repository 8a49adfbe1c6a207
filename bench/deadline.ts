// The lateness of a deadline, with a hundred thousand others pending. Read from the ledger itself: fired_at of each
// TIMEOUT_RECEIPT against its deadline_at. None may be early by a millisecond. fired_at is read just before the
// commit, so a second figure tells when each could be read.
import { type Figure, quantile } from './figure.js'
import {
  ENTRIES_PER_TIMEOUT,
  entriesOf,
  requireCounts,
  requireHolds,
  requirePending,
  sizeOf,
  timedOut,
  WrongOutcome,
  watchHead,
} from './outcome.js'
import { type Place, withPlace } from './place.js'
import { type Crowd, fillWithMany, MANY, populate } from './population.js'
import { startLane } from './stage.js'

const PER_SECOND = 100
const SECONDS = 15
const DUE = PER_SECOND * SECONDS
/** All lates are judged together, not the median of the runs: a stall that comes in one run of three must show. */
const RUNS = 3
/** The lane must be ready within this time after the first deadline is chosen. */
const LEAD_MS = 6_000
const OPEN_FOR_S = 600

type Lateness = { readonly fired: readonly number[]; readonly seen: readonly number[] }

export async function measureLateness(): Promise<Figure[]> {
  const runs: Lateness[] = []
  for (let run = 0; run < RUNS; run++) runs.push(await withPlace(lateness))
  const fired = runs.flatMap(run => run.fired)
  const seen = runs.flatMap(run => run.seen)
  const each = runs.map(run => quantile(run.fired, 0.99)).join(', ')
  return [
    {
      what: `deadline lateness, ${MANY / 1000} 000 pending, ${PER_SECOND} due per s, p99`,
      unit: 'ms',
      measured: [quantile(fired, 0.99)],
      baseline: null,
      goal: { judged: 'value', better: 'less', must: 50, aim: 10 },
      note: `${RUNS} runs of ${DUE} taken together, ${spreadOf(fired)}, none early; p99 of each ${each} ms`,
    },
    {
      what: 'the same until another process can read it',
      unit: 'ms',
      measured: [quantile(seen, 0.99)],
      baseline: null,
      goal: null,
      note: `${spreadOf(seen)}; with the commit, and the millisecond or two between two looks`,
    },
  ]
}

async function lateness(place: Place): Promise<Lateness> {
  await fillWithMany(place)
  const seenAt = await runThrough(place)
  const receipts = entriesOf(place.ledger, 'TIMEOUT_RECEIPT')
  const deadlines = receipts.map(({ body }) => Date.parse(body.deadline_at))
  const after = (at: number, index: number): number => at - (deadlines[index] ?? Number.NaN)
  const fired = receipts.map(({ body }, index) => after(Date.parse(body.fired_at), index))
  const early = fired.filter(ms => ms < 0).length
  if (fired.length !== DUE || early > 0)
    throw new WrongOutcome(`${fired.length} fired, ${early} of them early`)
  return { fired, seen: seenAt.map(after) }
}

const spreadOf = (ms: readonly number[]): string =>
  `p50 ${quantile(ms, 0.5)} ms, greatest ${Math.max(...ms)} ms`

/** The instants at which each was first seen committed from outside, in the order of the ledger. */
async function runThrough(place: Place): Promise<readonly number[]> {
  const first = Date.now() + LEAD_MS
  const crowd: Crowd = {
    prefix: 'due',
    count: DUE,
    from: first - OPEN_FOR_S * 1000,
    every: 1000 / PER_SECOND,
    deadline_seconds: OPEN_FOR_S,
  }
  await populate(place, crowd)
  requirePending(place.ledger, MANY + DUE)
  const lane = await startLane(place)
  const seenAt: number[] = []
  try {
    const from = sizeOf(place.ledger)
    if (Date.now() >= first)
      throw new WrongOutcome(`the lane was not ready ${LEAD_MS} ms after the crowd was begun`)
    await watchHead(place.ledger, from + ENTRIES_PER_TIMEOUT * DUE, size => {
      while (seenAt.length < Math.floor((size - from) / ENTRIES_PER_TIMEOUT)) seenAt.push(Date.now())
    })
    requireCounts(place.ledger, from, timedOut(DUE))
  } finally {
    await lane.stop()
  }
  requirePending(place.ledger, MANY)
  await requireHolds(place.ledger)
  return seenAt
}
