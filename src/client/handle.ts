// One request in the caller's hand. It was sent when it was made; a dropped one can be taken up again by its id.
//
// CH1  Nothing here rejects because of a lane, a person or a network; only the caller's own abort rejects.
// CH2  An outcome, once there, is the lane's: waiting again, or after a restart, gives the same one.
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { AnswerOf } from './answer.js'
import { type Endpoint, jsonOf, type Trouble } from './call.js'
import { readCase, type ShownCase } from './case.js'
import {
  type Outcome,
  outcomeOf,
  type Pending,
  type Refused,
  strange,
  type Unknown,
  unknown,
} from './outcome.js'
import { GRACE_MS, type Pace } from './pace.js'
import { persist } from './persist.js'
import { waitForOutcome } from './wait.js'

export type Handle<A> = {
  readonly id: string
  /** The case as the lane has opened it, or the reason why it has not. */
  opened(): Promise<Opened | Refused | Unknown>
  /** The outcome, however long it takes. The signal ends the waiting, not the request. */
  wait(options?: { readonly signal?: AbortSignal }): Promise<Outcome<A>>
  /** The same, or `pending` after so many seconds. */
  wait(options: { readonly seconds: number; readonly signal?: AbortSignal }): Promise<Outcome<A> | Pending>
  /** Takes it back. Gives the outcome that stands: `withdrawn`, or the one that was there before. */
  withdraw(reason: string): Promise<Outcome<A>>
}
export type Opened = { readonly kind: 'opened'; readonly id: string; readonly case: ShownCase }

type Grip<S extends ReplySchema> = {
  readonly endpoint: Endpoint
  readonly pace: Pace
  readonly id: string
  readonly schema: S
  /** The instant, by the monotonic clock, from which trouble is final. */
  readonly giveUpAt: number
  readonly opening: Promise<Opened | Refused | Unknown>
}

export function hold<S extends ReplySchema>(grip: Grip<S>): Handle<AnswerOf<S>> {
  const wait = (options: WaitOptions = {}) => waitOn(grip, options)
  return {
    id: grip.id,
    opened: () => grip.opening,
    wait: wait as Handle<AnswerOf<S>>['wait'],
    withdraw: reason => takeBack(grip, reason),
  }
}

type WaitOptions = { readonly seconds?: number; readonly signal?: AbortSignal }

async function waitOn<S extends ReplySchema>(
  { endpoint, pace, id, schema, giveUpAt, opening }: Grip<S>,
  { seconds = Number.POSITIVE_INFINITY, signal }: WaitOptions,
): Promise<Outcome<AnswerOf<S>> | Pending> {
  const until = pace.clock.monotonic() + seconds * 1000
  const opened = await first(opening, pace, until, signal)
  if (opened === null) return { kind: 'pending', id, case: null }
  if (opened.kind !== 'opened') return opened
  const ended = await waitForOutcome(pace, endpoint, id, giveUpAt, { until, signal })
  if (ended.kind === 'outcome') return outcomeOf(schema, ended.subject)
  if (ended.kind === 'open') return { kind: 'pending', id, case: ended.subject }
  return pace.clock.monotonic() >= until && ended.kind === 'unreachable'
    ? { kind: 'pending', id, case: opened.case }
    : unknown(id, ended)
}

/** The first of two: the promise's value, or null at the end of the caller's patience. */
async function first<T>(
  promise: Promise<T>,
  pace: Pace,
  until: number,
  signal: AbortSignal | undefined,
): Promise<T | null> {
  const over = new AbortController()
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const patience = Number.isFinite(until)
    ? pace.sleep(Math.min(until - pace.clock.monotonic(), LONGEST_TIMER_MS), either).then(() => null)
    : aborted(either)
  patience.catch(() => undefined)
  try {
    return await Promise.race([promise, patience])
  } finally {
    over.abort()
  }
}
/** A timer counts no further; a caller who waits longer is told `pending`, and waits again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

async function takeBack<S extends ReplySchema>(
  { endpoint, pace, id, schema, opening }: Grip<S>,
  reason: string,
): Promise<Outcome<AnswerOf<S>>> {
  const opened = await opening
  if (opened.kind !== 'opened') return opened
  const path = `/v1/requests/${encodeURIComponent(id)}/withdraw`
  const until = pace.clock.monotonic() + GRACE_MS
  const answer = await persist(pace, endpoint, { method: 'POST', path, body: { reason } }, { until })
  if (answer.kind === 'answer') {
    const subject = readCase(jsonOf(answer))
    return subject === null ? strange(id, 'the answer is no case') : outcomeOf(schema, subject)
  }
  return isTooLate(answer) ? await standing(endpoint, pace, id, schema) : unknown(id, answer)
}

const isTooLate = (trouble: Trouble): boolean => trouble.kind === 'problem' && trouble.status === 409

async function standing<S extends ReplySchema>(
  endpoint: Endpoint,
  pace: Pace,
  id: string,
  schema: S,
): Promise<Outcome<AnswerOf<S>>> {
  const ended = await waitForOutcome(pace, endpoint, id, pace.clock.monotonic() + GRACE_MS)
  if (ended.kind === 'outcome') return outcomeOf(schema, ended.subject)
  return ended.kind === 'open' ? strange(id, 'resolved, and open') : unknown(id, ended)
}

/** A case that is open or resolved under this id, with the schema the caller expects. */
export function openedAs(id: string, schema: ReplySchema, subject: ShownCase | null): Opened | Unknown {
  if (subject === null || subject.request_id !== id) return strange(id, 'the answer is no case of this id')
  const { reply_schema: asked } = subject.request
  if (!fits(asked, schema))
    return {
      kind: 'unknown',
      id,
      code: 'schema_mismatch',
      detail: `it was asked with ${JSON.stringify(asked)}`,
    }
  return { kind: 'opened', id, case: subject }
}

const fits = (asked: ReplySchema, expected: ReplySchema): boolean =>
  asked.kind === expected.kind && valuesOf(asked).join() === valuesOf(expected).join()
const valuesOf = (schema: ReplySchema): readonly string[] =>
  'options' in schema ? schema.options.map(({ value }) => value) : []
