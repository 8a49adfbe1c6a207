// The pages that people keep open: the inbox of somebody for whom ten thousand requests wait, and inbox and history of somebody
// who has settled ten thousand; each against the same person with a page or two.
import { asPerson } from '../test/session/signed-in.js'
import { type Figure, median } from './figure.js'
import { WrongOutcome } from './outcome.js'
import { CLIENTS, drawReplies, idsOf, open, REPEATS, type Stage, withStage } from './stage.js'

const MANY = 10_000
const FEW = 100
const LOOKS = 50
const WARM_UP = 100

/** Each page, and the words without which it was not drawn. */
const INBOX = { path: '/console/inbox', has: 'class="item' } as const
const HISTORY = { path: '/console/inbox?view=past', has: 'You answered' } as const
type Page = typeof INBOX | typeof HISTORY

export async function measureConsole(): Promise<Figure[]> {
  return withStage(async stage => {
    const { cookie } = await asPerson({ dataDir: stage.place.dir }, 'operator', stage.place.env.LANE_SECRET)
    const looks = async (page: Page): Promise<number[]> => {
      await look(stage, page, cookie, WARM_UP)
      const medians: number[] = []
      for (let repeat = 0; repeat < REPEATS; repeat++)
        medians.push(median(await look(stage, page, cookie, LOOKS)))
      return medians
    }
    await settle(stage, idsOf('settled', FEW))
    await open(stage, idsOf('few', FEW))
    const few = { inbox: await looks(INBOX), history: await looks(HISTORY) }
    await settle(stage, idsOf('behind', MANY - FEW))
    const behind = { inbox: await looks(INBOX), history: await looks(HISTORY) }
    await open(stage, idsOf('many', MANY - FEW))
    const many = await looks(INBOX)
    const must = { judged: 'value', better: 'less', must: 50, aim: null } as const
    return [
      {
        what: 'the inbox of a person for whom 10 000 requests wait, its first page, p50',
        unit: 'ms',
        measured: many,
        baseline: { what: `the same with ${FEW} waiting`, measured: behind.inbox },
        goal: must,
      },
      ...(['inbox', 'history'] as const).map(page => ({
        what: `the ${page} of a person with 10 000 settled requests behind them, p50`,
        unit: 'ms' as const,
        measured: behind[page],
        baseline: { what: `the same with ${FEW} settled`, measured: few[page] },
        // The two are measured half a minute apart, and the machine's own noise is a fifth.
        goal: { judged: 'ratio', better: 'less', must: 1.25, aim: 1 } as const,
      })),
    ]
  })
}

async function settle(stage: Stage, ids: readonly string[]): Promise<void> {
  await open(stage, ids)
  const calls = [...(await drawReplies(stage, ids)).values()]
  const { port } = stage.lane
  await stage.load({ kind: 'volley', port, clients: CLIENTS, calls, status: 200, until: null })
}

/** One after the other, each from its first byte to the last of the page. */
async function look({ lane }: Stage, { path, has }: Page, cookie: string, times: number): Promise<number[]> {
  const taken: number[] = []
  for (let at = 0; at < times; at++) {
    const start = performance.now()
    const page = await fetch(`http://127.0.0.1:${lane.port}${path}`, { headers: { cookie } })
    const text = await page.text()
    taken.push(performance.now() - start)
    if (page.status !== 200 || !text.includes(has)) throw new WrongOutcome(`${path} was not drawn`)
  }
  return taken
}
