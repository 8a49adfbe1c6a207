// A request of a pipeline, from its opening to what it comes to. Whatever is not a YES, or a value that was asked for, is a
// reason not to go on.
import { call, type Endpoint, jsonOf, type Trouble } from '../../client/call.js'
import { isOpen, readCase, type ShownCase } from '../../client/case.js'
import { told } from '../../client/outcome.js'
import { GRACE_MS, type Pace } from '../../client/pace.js'
import { put, type Submission } from '../../client/put.js'
import { waitForOutcome } from '../../client/wait.js'
import { idOf } from '../../request/request.js'
import { EXIT, exitFor } from '../exit-code.js'
import { pathOf } from '../requests.js'

type Asking = { readonly endpoint: Endpoint; readonly pace: Pace; readonly signal: AbortSignal }
export type GateVerdict =
  | { readonly kind: 'yes'; readonly subject: ShownCase }
  | { readonly kind: Refusal; readonly detail: string }
type Refusal = 'no' | 'defaulted' | 'undelivered' | 'withdrawn' | 'refused' | 'unknown'

type Patience = {
  /** How long a lane that is away may take to open it. */
  readonly openMs: number
  /** The end of all waiting, by the monotonic clock. */
  readonly until?: number
}

export async function verdictOn(
  { endpoint, pace, signal }: Asking,
  submission: Submission,
  { openMs, until = Number.POSITIVE_INFINITY }: Patience,
): Promise<GateVerdict> {
  const now = pace.clock.monotonic()
  // Later nobody would be asked in time.
  const deadline = now + submission.request.deadline_seconds * 1000
  const latest = Math.min(now + openMs, deadline, until)
  const opened = await put(pace, endpoint, submission, { until: latest, signal })
  if (opened.kind !== 'answer') return troubled(opened)
  const subject = readCase(jsonOf(opened))
  if (subject === null) return { kind: 'unknown', detail: 'the answer is no case' }
  if (!isOpen(subject)) return judged(subject)
  const giveUpAt = deadline + GRACE_MS
  const id = idOf(submission.request)
  const ended = await waitForOutcome(pace, endpoint, id, Math.min(giveUpAt, until), { until, signal })
  if (ended.kind === 'outcome') return judged(ended.subject)
  return ended.kind === 'open' ? { kind: 'unknown', detail: 'nobody has answered in time' } : troubled(ended)
}

function troubled(trouble: Trouble): GateVerdict {
  const { code, detail, errors } = told(trouble)
  const fields = errors.map(({ field, accepted }) => `; ${field}: ${accepted}`).join('')
  const isRefused = trouble.kind === 'problem' && trouble.status < 500
  return { kind: isRefused ? 'refused' : 'unknown', detail: `${code}: ${detail}${fields}` }
}

function judged(subject: ShownCase): GateVerdict {
  const { request_id: id, answer } = subject
  switch (exitFor(subject)) {
    case EXIT.ok:
      return { kind: 'yes', subject }
    case EXIT.no:
      return { kind: 'no', detail: `${answer?.answered_by} said no (request ${id})` }
    case EXIT.defaulted:
      return { kind: 'defaulted', detail: `nobody answered in time (request ${id})` }
    case EXIT.undelivered:
      return { kind: 'undelivered', detail: `nobody could be reached (request ${id})` }
    case EXIT.withdrawn:
      return { kind: 'withdrawn', detail: `it was taken back (request ${id})` }
    default:
      return { kind: 'refused', detail: `the answer gives no right to go on (request ${id})` }
  }
}

/** A run that has ended waits for nobody, and nobody should answer for nothing. */
const WITHDRAW_MS = 2000

/** Whether the lane has it as taken back now; one that has another outcome, or never came to be, needs no taking back. */
export async function takeBack(endpoint: Endpoint, id: string, reason: string): Promise<boolean> {
  const taken = await call(endpoint, {
    method: 'POST',
    path: `${pathOf(id)}/withdraw`,
    body: { reason },
    patienceMs: WITHDRAW_MS,
  })
  return taken.kind === 'answer' || (taken.kind === 'problem' && [404, 409].includes(taken.status))
}
