// The page that people keep open: the inbox of somebody for whom ten thousand requests wait, and of the same person with one page.
import { asPerson } from '../test/session/signed-in.js'
import { type Figure, median } from './figure.js'
import { WrongOutcome } from './outcome.js'
import { idsOf, open, REPEATS, type Stage, withStage } from './stage.js'

const MANY = 10_000
const FEW = 100
const LOOKS = 50
const WARM_UP = 100

export async function measureConsole(): Promise<Figure[]> {
  return withStage(async stage => {
    const { cookie } = await asPerson({ dataDir: stage.place.dir }, 'operator', stage.place.env.LANE_SECRET)
    await open(stage, idsOf('few', FEW))
    await look(stage, cookie, WARM_UP)
    const few = await looks(stage, cookie)
    await open(stage, idsOf('many', MANY - FEW))
    await look(stage, cookie, WARM_UP)
    const many = await looks(stage, cookie)
    return [
      {
        what: 'the inbox of a person for whom 10 000 requests wait, its first page, p50',
        unit: 'ms',
        measured: many,
        baseline: { what: `the same with ${FEW} waiting`, measured: few },
        goal: { judged: 'value', better: 'less', must: 50, aim: null },
      },
    ]
  })
}

async function looks(stage: Stage, cookie: string): Promise<number[]> {
  const medians: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) medians.push(median(await look(stage, cookie, LOOKS)))
  return medians
}

/** One after the other, each from its first byte to the last of the page. */
async function look({ lane }: Stage, cookie: string, times: number): Promise<number[]> {
  const taken: number[] = []
  for (let at = 0; at < times; at++) {
    const start = performance.now()
    const page = await fetch(`http://127.0.0.1:${lane.port}/console/inbox`, { headers: { cookie } })
    const text = await page.text()
    taken.push(performance.now() - start)
    if (page.status !== 200 || !text.includes('class="item'))
      throw new WrongOutcome('the inbox was not drawn')
  }
  return taken
}
