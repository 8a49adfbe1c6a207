// The cost of showing what is asked about: a request that brings twenty contents, beside the same request without them.
import { createHash } from 'node:crypto'
import type { Figure } from './figure.js'
import { processorMs } from './machine.js'
import { CLIENTS, idsOf, openAll, perSecond, REPEATS, submission, withStage } from './stage.js'

const CONTENTS = 20
const CHARS = 2_000
const WHAT = `${CONTENTS} contents of 2 000 characters`
const WARM_UP = 1_000
const REQUESTS = 500

type Sides = Record<'pace' | 'processor', number[]>

export async function measureContents(): Promise<Figure[]> {
  return withStage(async stage => {
    const time = async (prefix: string, count: number, isWith: boolean, sides: Sides): Promise<void> => {
      const bodies = idsOf(prefix, count).map(id => withContents(id, isWith))
      const before = processorMs(stage.lane.pid)
      sides.pace.push(perSecond(count, await openAll(stage, bodies)))
      sides.processor.push((processorMs(stage.lane.pid) - before) / count)
    }
    const [measured, baseline, warm] = [sides(), sides(), sides()] as const
    await time('warm-with', WARM_UP, true, warm)
    await time('warm', WARM_UP, false, warm)
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      await time(`without-${repeat}`, REQUESTS, false, baseline)
      await time(`with-${repeat}`, REQUESTS, true, measured)
    }
    return [
      {
        what: `processor time of a request with ${WHAT}, created and delivered, ${CLIENTS} clients`,
        unit: 'ms',
        measured: measured.processor,
        baseline: { what: 'the same without the contents', measured: baseline.processor },
        goal: { judged: 'ratio', better: 'less', must: 2, aim: null },
      },
      {
        what: `requests with ${WHAT}, the same`,
        unit: 'per s',
        measured: measured.pace,
        baseline: { what: 'the same without the contents', measured: baseline.pace },
        goal: null,
      },
    ]
  })
}

const sides = (): Sides => ({ pace: [], processor: [] })

/** Each has contents of its own: what is there already would cost less. */
function withContents(id: string, isWith: boolean): string {
  const texts = Array.from({ length: CONTENTS }, (_, at) => textOf(`${id} ${at}`))
  const contents = Object.fromEntries(
    texts.map(text => [`sha256:${createHash('sha256').update(text).digest('hex')}`, text]),
  )
  const body = JSON.parse(submission(id)) as { request: object }
  const request = { ...body.request, context_handles: Object.keys(contents) }
  return JSON.stringify({ ...body, request, ...(isWith && { contents }) })
}

const LINE = 'one line of what is shown, as long as lines of a program or of a letter are\n'
const textOf = (first: string): string =>
  `${first}\n${LINE.repeat(Math.ceil(CHARS / LINE.length))}`.slice(0, CHARS)
