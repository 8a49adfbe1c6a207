// The delay until the caller knows: from the first byte of the reply to the last byte of the long poll that waited
// for it, one at a time on an idle lane. One commit lies between, so one fsync is the least it can be.
import { type Figure, median, quantile } from './figure.js'
import { timeFsync } from './machine.js'
import { answered, requireCounts, sizeOf, WrongOutcome } from './outcome.js'
import { drawReplies, idsOf, open, REPEATS, type Stage, waitCall, withStage } from './stage.js'

const WAKES = 80

export async function measureWaking(): Promise<Figure[]> {
  return withStage(async stage => {
    const before = timeFsync(stage.place.dir)
    await wake(stage, idsOf('warm', WAKES))
    const rounds: (readonly number[])[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++)
      rounds.push(await wake(stage, idsOf(`wake-${repeat}`, WAKES)))
    const after = timeFsync(stage.place.dir)
    return [
      {
        what: 'reply sent → waiter has its answer, one at a time, p50',
        unit: 'ms',
        measured: rounds.map(median),
        baseline: { what: 'one fsync, before and after', measured: [median(before), median(after)] },
        goal: { judged: 'difference', better: 'less', must: 5, aim: 1 },
        note: `p99 of all ${rounds.flat().length} wakes ${quantile(rounds.flat(), 0.99).toFixed(2)} ms`,
      },
    ]
  })
}

async function wake(stage: Stage, ids: readonly string[]): Promise<readonly number[]> {
  const { place, lane } = stage
  await open(stage, ids)
  const replies = await drawReplies(stage, ids)
  const from = sizeOf(place.ledger)
  const wakes = [...replies].map(([id, reply]) => ({ wait: waitCall(id), reply }))
  const { times } = await stage.load({ kind: 'wakes', port: lane.port, wakes })
  const n = ids.length
  if (times.length !== n) throw new WrongOutcome(`${times.length} waiters were woken where ${n} waited`)
  requireCounts(place.ledger, from, answered(n))
  return times
}
