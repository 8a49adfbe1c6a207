// The cost of a request: submitted over HTTP, committed, claimed, signed, written to the outbox and concluded.
import type { Figure } from './figure.js'
import {
  CLIENTS,
  idsOf,
  linksOf,
  open,
  perSecond,
  post,
  REPEATS,
  type Stage,
  submission,
  withStage,
} from './stage.js'

/** A lane is compiled in the course of its first ten thousand requests; the figure is for one that has been up. */
const WARM_UP = 10_000
const REQUESTS = 3_000

/** A process keeps the engine's early choices for its life, for better or worse: so three of each side. */
const LANES = 3

export async function measureCreation(): Promise<Figure[]> {
  const measured: number[] = []
  const baseline: number[] = []
  for (let lane = 0; lane < LANES; lane++) {
    await withStage(async stage => {
      await sign(stage, WARM_UP)
      await open(stage, idsOf('warm', WARM_UP))
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        baseline.push(perSecond(REQUESTS, await sign(stage, REQUESTS)))
        const ids = idsOf(`create-${repeat}`, REQUESTS)
        measured.push(perSecond(REQUESTS, await open(stage, ids)))
        linksOf(stage, ids)
      }
    })
  }
  return [
    {
      what: `requests created and delivered, ${CLIENTS} clients`,
      unit: 'per s',
      measured,
      baseline: { what: 'Fastify route that signs one token', measured: baseline },
      goal: { judged: 'ratio', better: 'more', must: 0.3, aim: 0.6 },
    },
  ]
}

async function sign({ tokens, load }: Stage, count: number): Promise<number> {
  const calls = idsOf('sign', count).map(id => post('/sign', submission(id)))
  const { ms } = await load({
    kind: 'volley',
    port: tokens.port,
    clients: CLIENTS,
    calls,
    status: 200,
    until: null,
  })
  return ms
}
