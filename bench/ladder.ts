// The lateness of a ladder's steps, with a hundred thousand requests pending: `at` of each REQUEST_ESCALATED against its
// moment, which is the opening and the step's seconds. A step is bound as a deadline is, and none may be early by a
// millisecond. With each step a copy is owed, signed and sent.
import { type Figure, quantile } from './figure.js'
import {
  type Counts,
  entriesOf,
  requireCounts,
  requireHolds,
  requirePending,
  sizeOf,
  WrongOutcome,
  watchHead,
} from './outcome.js'
import { type Place, withPlace } from './place.js'
import { fillWithMany, MANY, populate } from './population.js'
import { startLane } from './stage.js'

const PER_SECOND = 100
const SECONDS = 15
const DUE = PER_SECOND * SECONDS
/** All lates are judged together, as those of deadlines are. */
const RUNS = 3
/** The lane must be ready within this time after the first moment is chosen. */
const LEAD_MS = 6_000
const STEP_S = 600
/** None of them is due while it is measured. */
const OPEN_FOR_S = 7_200
const PREFIX = 'step'

const CLIMBED: Counts = { REQUEST_ESCALATED: DUE, DELIVERY_STARTED: DUE, OUTBOUND_REQUEST_SENT: DUE }
const ENTRIES_PER_STEP = Object.keys(CLIMBED).length

export async function measureSteps(): Promise<Figure[]> {
  const runs: number[][] = []
  for (let run = 0; run < RUNS; run++) runs.push(await withPlace(lateness))
  const late = runs.flat()
  const each = runs.map(run => quantile(run, 0.99)).join(', ')
  return [
    {
      what: `lateness of a ladder's steps, ${MANY / 1000} 000 pending, ${PER_SECOND} due per s, p99`,
      unit: 'ms',
      measured: [quantile(late, 0.99)],
      baseline: null,
      goal: { judged: 'value', better: 'less', must: 50, aim: 10 },
      note: `${RUNS} runs of ${DUE} taken together, each step with a copy; p50 ${quantile(late, 0.5)} ms, greatest ${Math.max(...late)} ms, none early; p99 of each ${each} ms`,
    },
  ]
}

async function lateness(place: Place): Promise<number[]> {
  await fillWithMany(place)
  await runThrough(place)
  const moments = new Map(
    entriesOf(place.ledger, 'REQUEST_OPENED')
      .filter(({ request_id = '' }) => request_id.startsWith(PREFIX))
      .map(({ request_id, at }) => [request_id, Date.parse(at) + STEP_S * 1000]),
  )
  const late = entriesOf(place.ledger, 'REQUEST_ESCALATED').map(
    ({ request_id, at }) => Date.parse(at) - (moments.get(request_id) ?? Number.NaN),
  )
  const early = late.filter(ms => !(ms >= 0)).length
  if (late.length !== DUE || early > 0) throw new WrongOutcome(`${late.length} steps, ${early} of them early`)
  return late
}

async function runThrough(place: Place): Promise<void> {
  const first = Date.now() + LEAD_MS
  await populate(place, {
    prefix: PREFIX,
    count: DUE,
    from: first - STEP_S * 1000,
    every: 1000 / PER_SECOND,
    deadline_seconds: OPEN_FOR_S,
    step_seconds: STEP_S,
  })
  requirePending(place.ledger, MANY + DUE)
  const lane = await startLane(place)
  const from = sizeOf(place.ledger)
  try {
    if (Date.now() >= first)
      throw new WrongOutcome(`the lane was not ready ${LEAD_MS} ms after the crowd was begun`)
    await watchHead(place.ledger, from + ENTRIES_PER_STEP * DUE)
  } finally {
    await lane.stop()
  }
  requireCounts(place.ledger, from, CLIMBED)
  requirePending(place.ledger, MANY + DUE)
  await requireHolds(place.ledger)
}
