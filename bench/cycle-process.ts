// The callers of one contestant, in a process of their own: so many at once, each asks, waits, and asks again. CONTESTANT
// names the module that starts it and does one cycle; a peer's does the same with other words.
import { answerParent } from './child.js'

export type CycleAsk = {
  readonly clients: number
  readonly count: number
  /** An address to be read so often, in place of cycles. */
  readonly look?: string
}
export type CycleAnswer = { readonly ms: number; readonly times: readonly number[] }

type Contestant = {
  /** The pids of the processes it has started, by name, where it tells them. */
  start(): Promise<Readonly<Record<string, number>> | undefined>
  cycle(n: number): Promise<void>
  /** Only a lane can be looked at. */
  look?(path: string): Promise<void>
  stop(): Promise<void>
}

const contestant = (await import(process.env.CONTESTANT ?? '')) as Contestant
/** The number of the next cycle. */
let next = 0

async function run({ clients, count, look }: CycleAsk): Promise<CycleAnswer> {
  const times: number[] = []
  let left = count
  const deed = look === undefined ? () => contestant.cycle(next++) : () => contestant.look?.(look)
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const from = performance.now()
      await deed()
      times.push(performance.now() - from)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: clients }, work))
  return { ms: performance.now() - start, times }
}

const pids = await contestant.start()
answerParent<CycleAsk>({ ...pids, callers: process.pid }, run, () => contestant.stop())
