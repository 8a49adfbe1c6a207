// The memory of a pending request while nobody touches it: a lane on a full ledger against one on an empty ledger,
// both started afresh and collected.
import { launch } from './child.js'
import { type Figure, median } from './figure.js'
import { requireCounts, requireHolds, requirePending, sizeOf } from './outcome.js'
import { type Place, withPlace } from './place.js'
import { fillWithMany, MANY } from './population.js'
import { REPEATS } from './stage.js'
import { STARTED_WITH } from './started-with.js'

export async function measureMemory(): Promise<Figure[]> {
  return withPlace(empty =>
    withPlace(async full => {
      await fillWithMany(full)
      const from = sizeOf(full.ledger)
      const each: number[] = []
      const bare: number[] = []
      // The first start makes keys and warms the file cache: it is not counted.
      await residentBytes(full)
      await residentBytes(empty)
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        const base = await residentBytes(empty)
        bare.push(base)
        each.push(((await residentBytes(full)) - base) / MANY)
      }
      const started = REPEATS + 1
      requireCounts(full.ledger, from, { LANE_STARTED: started, KEY_ROTATED: 2, OPERATOR_ACTED: 1 })
      requirePending(full.ledger, MANY)
      await requireHolds(full.ledger)
      return [
        {
          what: `memory per pending request, ${MANY / 1000} 000 pending`,
          unit: 'B',
          measured: each,
          baseline: null,
          goal: { judged: 'value', better: 'less', must: 1_000, aim: 120 },
          note: `resident set after gc; an empty lane holds ${(median(bare) / 2 ** 20).toFixed(0)} MiB`,
        },
      ]
    }),
  )
}

export async function residentBytes({ env }: Place): Promise<number> {
  const lane = await launch<'resident', number>('server', 'lane-process.js', {
    env,
    nodeArgs: [...STARTED_WITH, '--expose-gc'],
  })
  return await lane.ask('resident').finally(() => lane.stop())
}
