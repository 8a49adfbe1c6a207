// Puts a request to the lane. The id is the caller's and the same every time, so trying again cannot ask twice.
import type { Recipient, Request, Run } from '../request/request.js'
import { type Answer, call, type Door, type Trouble } from './call.js'
import { FIRST_PAUSE_MS, isPassing, longer, type Pace, pauseAfter } from './pace.js'

export type Submission = {
  readonly request: Request
  readonly run: Run
  readonly recipients?: readonly Recipient[]
}

/** `isFinal` is asked of each failure that could pass: is this the last attempt? */
export type Persistence = {
  isFinal(trouble: Trouble, attempt: number): boolean
  readonly patienceMs?: () => number
  readonly signal?: AbortSignal | undefined
}

export async function put(
  pace: Pace,
  door: Door,
  submission: Submission,
  { isFinal, patienceMs, signal }: Persistence,
): Promise<Answer | Trouble> {
  for (let attempt = 1, pause = FIRST_PAUSE_MS; ; attempt++, pause = longer(pause)) {
    const answer = await call(door, {
      method: 'POST',
      path: '/v1/requests',
      body: submission,
      ...(patienceMs && { patienceMs: patienceMs() }),
      signal,
    })
    if (answer.kind === 'answer' || isRefusal(answer) || isFinal(answer, attempt)) return answer
    await pace.sleep(pauseAfter(answer, pause), signal)
  }
}

/** A limit does not pass by asking faster: whoever asks too much is told so. */
const isRefusal = (trouble: Trouble): boolean =>
  trouble.kind === 'problem' && (trouble.status === 429 || !isPassing(trouble))
