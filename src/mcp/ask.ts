// From a tool's arguments to a request before a person, and back within a client's patience.
import { type Endpoint, jsonOf, type Trouble } from '../client/call.js'
import { isOpen, readCase, type ShownCase } from '../client/case.js'
import { keep } from '../client/content.js'
import type { Drafted } from '../client/draft.js'
import {
  notOpened,
  type Outcome,
  outcomeOf,
  type Pending,
  type Refused,
  strange,
  type Unknown,
  unknown,
} from '../client/outcome.js'
import { isPassing, type Pace } from '../client/pace.js'
import { put } from '../client/put.js'
import { waitForOutcome } from '../client/wait.js'

export type Connection = { readonly endpoint: Endpoint; readonly pace: Pace }
/** The state of a request when a call about it ends. */
export type CurrentOutcome = Outcome<SaidAnswer> | Pending
/** An answer of any kind. */
export type SaidAnswer = string | number | readonly string[]

/** The instant, by the monotonic clock, by which this call must have answered. */
export const until = ({ pace }: Connection, seconds: number): number =>
  pace.clock.monotonic() + seconds * 1000

type Hurry = { readonly until: number; readonly signal?: AbortSignal | undefined }

/** Opens the request, or finds it open or resolved, and waits for its outcome as long as there is time. */
export async function ask(
  { endpoint, pace }: Connection,
  { id, submission }: Drafted,
  hurry: Hurry,
): Promise<CurrentOutcome> {
  const opened = await put(pace, endpoint, submission, hurry)
  if (opened.kind !== 'answer') return notOpened(id, opened)
  const subject = readCase(jsonOf(opened))
  if (subject === null) return strange(id, 'the answer is no case')
  return isOpen(subject)
    ? await wait({ endpoint, pace }, id, hurry, subject)
    : outcomeOf(subject.request.reply_schema, subject)
}

/** `known` is the case as last seen: with it, a lane that is away for a moment is not the end of the story. */
export async function wait(
  { endpoint, pace }: Connection,
  id: string,
  hurry: Hurry,
  known: ShownCase | null = null,
): Promise<CurrentOutcome> {
  const ended = await waitForOutcome(pace, endpoint, id, hurry.until, hurry)
  if (ended.kind === 'outcome') return outcomeOf(ended.subject.request.reply_schema, ended.subject)
  if (ended.kind === 'open') return { kind: 'pending', id, case: ended.subject }
  if (known === null) return notTold(id, ended)
  return ended.kind === 'unreachable' ? { kind: 'pending', id, case: known } : unknown(id, ended)
}

/** An outcome that the lane itself will not tell is `refused`; `unknown` is one that another call may learn. */
const notTold = (id: string, trouble: Trouble): Refused | Unknown =>
  isPassing(trouble) ? unknown(id, trouble) : notOpened(id, trouble)

type Handles = { readonly kind: 'kept'; readonly handles: readonly string[] } | Refused | Unknown

/** Texts become handles: a person looks at content fixed by its hash, never at a blob in a message. */
export async function keepAll(
  { endpoint, pace }: Connection,
  texts: readonly string[],
  id: string,
  hurry: Hurry,
): Promise<Handles> {
  const handles: string[] = []
  for (const text of texts) {
    const kept = await keep(pace, endpoint, Buffer.from(text), hurry)
    if (kept.kind === 'not_kept') {
      const { code, detail } = kept
      return code === 'unreachable'
        ? { kind: 'unknown', id, code, detail }
        : { kind: 'refused', id, code, detail, errors: [] }
    }
    handles.push(kept.handle)
  }
  return { kind: 'kept', handles }
}
