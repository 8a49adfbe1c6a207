// From a tool's arguments to a request before a person, and back within a client's patience.
import type { DecisionShown } from '../client/answer.js'
import { type Endpoint, jsonOf, type Trouble } from '../client/call.js'
import { isOpen, readCase, type ShownCase } from '../client/case.js'
import { keep } from '../client/content.js'
import { type Drafted, handleOf } from '../client/draft.js'
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
export type SaidAnswer = string | number | readonly string[] | readonly DecisionShown[]

/** The instant, by the monotonic clock, by which this call must have answered. */
export const until = ({ pace }: Connection, seconds: number): number =>
  pace.clock.monotonic() + seconds * 1000

type Hurry = { readonly until: number; readonly signal?: AbortSignal | undefined }

/** Opens the request, or finds it open or resolved, and waits for its outcome as long as there is time. A lane that
 *  cannot be reached is tried again until `openBy`. */
export async function ask(
  connection: Connection,
  drafted: Drafted,
  hurry: Hurry,
  openBy: number = hurry.until,
): Promise<CurrentOutcome> {
  const opened = await open(connection, drafted, { ...hurry, until: openBy })
  if (opened.kind !== 'opened') return opened
  const { case: subject } = opened
  return isOpen(subject)
    ? await wait(connection, drafted.id, hurry, subject)
    : outcomeOf(subject.request.reply_schema, subject)
}

type Begun = { readonly kind: 'opened'; readonly case: ShownCase } | Refused | Unknown

/** The case of the request, which is open now or was resolved before. */
export async function open(
  { endpoint, pace }: Connection,
  { id, submission }: Drafted,
  hurry: Hurry,
): Promise<Begun> {
  const opened = await put(pace, endpoint, submission, hurry)
  if (opened.kind !== 'answer') return notOpened(id, opened)
  const subject = readCase(jsonOf(opened))
  return subject === null ? strange(id, 'the answer is no case') : { kind: 'opened', case: subject }
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

type Handles =
  | {
      readonly kind: 'kept'
      readonly handles: readonly string[]
      /** Those that go with the request, by their handles. */
      readonly contents: Readonly<Record<string, string>>
    }
  | Refused
  | Unknown

/** The lane takes so much beside a request; escaped, a text is longer. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_TEXTS_BYTES = 256 * 1024

/** The draft with these contents beside it. */
export const laid = ({ id, submission }: Drafted, contents: Readonly<Record<string, string>>): Drafted => ({
  id,
  submission: { ...submission, ...(Object.keys(contents).length > 0 && { contents }) },
})

/** Texts become handles: a person looks at content fixed by its hash. What is too long to go with the request is put
 *  before it. */
export async function keepAll(
  { endpoint, pace }: Connection,
  texts: readonly string[],
  id: string,
  hurry: Hurry,
): Promise<Handles> {
  const handles: string[] = []
  const contents: Record<string, string> = {}
  let room = MAX_TEXTS_BYTES
  for (const text of texts) {
    const size = Buffer.byteLength(JSON.stringify(text))
    if (size <= Math.min(MAX_TEXT_BYTES, room) && !text.includes('\0')) {
      const handle = handleOf(text)
      contents[handle] = text
      handles.push(handle)
      room -= size
      continue
    }
    const kept = await keep(pace, endpoint, Buffer.from(text), hurry)
    if (kept.kind === 'not_kept') {
      const { code, detail } = kept
      return code === 'unreachable'
        ? { kind: 'unknown', id, code, detail }
        : { kind: 'refused', id, code, detail, errors: [] }
    }
    handles.push(kept.handle)
  }
  return { kind: 'kept', handles, contents }
}
