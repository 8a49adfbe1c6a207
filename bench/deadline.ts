// How late a deadline is kept, with a hundred thousand others pending. Read from the ledger itself: fired_at of each
// TIMEOUT_RECEIPT against its deadline_at. None may be early by a millisecond.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, quantile } from './figure.js'
import { entriesOf, requireCounts, requireHolds, sizeOf, WrongOutcome, watchHead } from './outcome.js'
import { type Place, withPlace } from './place.js'
import { type Crowd, fillWithMany, MANY, populate } from './population.js'
import { startLane } from './stage.js'

const PER_SECOND = 100
const SECONDS = 20
const DUE = PER_SECOND * SECONDS
/** From choosing the first deadline to the lane being ready must take less than this. */
const LEAD_MS = 6_000
const OPEN_FOR_S = 600

export async function measureLateness(): Promise<Figure[]> {
  return withPlace(async place => {
    await fillWithMany(place)
    await runThrough(place)
    const receipts = entriesOf(place.ledger, 'TIMEOUT_RECEIPT')
    const late = receipts.map(({ body }) => Date.parse(body.fired_at) - Date.parse(body.deadline_at))
    const early = late.filter(ms => ms < 0).length
    if (late.length !== DUE || early > 0)
      throw new WrongOutcome(`${late.length} fired, ${early} of them early`)
    return [
      {
        what: `deadline lateness, ${MANY / 1000} 000 pending, ${PER_SECOND} due per s, p99`,
        unit: 'ms',
        measured: [quantile(late, 0.99)],
        baseline: null,
        goal: { judged: 'value', better: 'less', must: 50, aim: 10 },
        note: `one run of ${DUE}: p50 ${quantile(late, 0.5)} ms, greatest ${Math.max(...late)} ms, none early`,
      },
    ]
  })
}

async function runThrough(place: Place): Promise<void> {
  const first = Date.now() + LEAD_MS
  const crowd: Crowd = {
    prefix: 'due',
    count: DUE,
    from: first - OPEN_FOR_S * 1000,
    every: 1000 / PER_SECOND,
    deadline_seconds: OPEN_FOR_S,
  }
  await populate(place, crowd)
  const lane = await startLane(place)
  try {
    const from = sizeOf(place.ledger)
    if (Date.now() >= first)
      throw new WrongOutcome(`the lane was not ready ${LEAD_MS} ms after the crowd was begun`)
    await sleep(first + SECONDS * 1000 - Date.now())
    await watchHead(place.ledger, from + 2 * DUE)
    requireCounts(place.ledger, from, { TIMEOUT_RECEIPT: DUE, REQUEST_RESOLVED: DUE })
  } finally {
    await lane.stop()
  }
  await requireHolds(place.ledger)
}
