// One call, tried again while its trouble can pass. Only for repeatable calls: reads, and writes under an id.
import { type Call, call, type Endpoint, type HttpAnswer, PATIENCE_MS, type Trouble } from './call.js'
import { FIRST_PAUSE_MS, isPassing, longer, type Pace, pauseAfter } from './pace.js'

export type Persistence = {
  /** The end by the monotonic clock: no attempt begins later, and none is waited for much longer. */
  readonly until?: number
  /** Whether trouble that could pass is taken as the answer all the same. */
  isFinal?(trouble: Trouble, attempt: number): boolean
  readonly signal?: AbortSignal | undefined
}

/** A call that is under way when the time is up may still arrive. */
const LAST_WORD_MS = 1000

export async function persist(
  { clock, sleep }: Pace,
  endpoint: Endpoint,
  what: Call,
  { until = Number.POSITIVE_INFINITY, isFinal = () => false, signal }: Persistence = {},
): Promise<HttpAnswer | Trouble> {
  const left = (): number => Math.max(until - clock.monotonic(), 0)
  for (let attempt = 1, pause = FIRST_PAUSE_MS; ; attempt++, pause = longer(pause)) {
    const patienceMs = Math.min(what.patienceMs ?? PATIENCE_MS, left() + LAST_WORD_MS)
    const answer = await call(endpoint, { ...what, patienceMs, signal })
    if (answer.kind === 'answer' || !isPassing(answer) || isFinal(answer, attempt)) return answer
    if (left() === 0) return answer
    await sleep(Math.min(pauseAfter(answer, pause), left()), signal)
  }
}
