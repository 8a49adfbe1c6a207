// The channel-neutral document a request is shown as. Built from the typed request alone: no API accepts prose for
// people to read. It holds no reply handle, code or time zone, so its hash stands for exactly
// what a person was shown.
import { type Hash, hashOf } from '../canonical.js'
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { Submission } from './parse.js'
import {
  completeRequest,
  type DefaultAction,
  idOf,
  type Lens,
  type Request,
  type RequestType,
  type Run,
} from './request.js'

/** Placeholders as long as the ids that the lane makes, and as its hashes. */
const SOME_ID = `lane-${'0'.repeat(24)}`
const SOME_HASH: Hash = `sha256:${'0'.repeat(64)}`

/** A content pointer as a person sees it. `fixed` is false for name-only handles: their content may change. */
export type ShownHandle = { readonly name: string | null; readonly handle: string; readonly fixed: boolean }

export type Display = {
  readonly v: 1
  readonly type: RequestType
  readonly request_id: string
  readonly request_hash: Hash
  /** The name of the API key that asks, as the operator gave it. */
  readonly asked_by: string
  readonly run_id: string
  readonly work_item_id: string | null
  /** One line: the question itself, "Review for security", "Approve PUBLISH". */
  readonly headline: string
  /** The effect of the answer; questions only. */
  readonly impact: string | null
  readonly lens: Lens | null
  readonly action: string | null
  readonly handles: readonly ShownHandle[]
  readonly reply_schema: ReplySchema
  readonly deadline_at: string
  readonly default_action: DefaultAction
}

const FIXED = /^sha256:/
const shown = (handle: string, name: string | null = null): ShownHandle => ({
  name,
  handle,
  fixed: FIXED.test(handle),
})

function headlineOf(request: Request): string {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return request.question_text
    case 'REQUEST_REVIEW':
      return `Review for ${request.lens}`
    case 'REQUEST_APPROVAL':
      return `Approve ${request.action}`
  }
}

function handlesOf(request: Request): ShownHandle[] {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return request.context_handles.map(handle => shown(handle))
    case 'REQUEST_REVIEW':
      return request.target_handles.map(handle => shown(handle))
    case 'REQUEST_APPROVAL':
      return Object.entries(request.parameters).map(([name, handle]) => shown(handle, name))
  }
}

/** The facts of a request's story that are shown. */
type Facts = {
  readonly request: Request
  readonly request_hash: Hash
  readonly run: Run
  readonly deadline_at: string
}

export function display({ request, request_hash, run, deadline_at }: Facts, asked_by: string): Display {
  return {
    v: 1,
    type: request.type,
    request_id: idOf(request),
    request_hash,
    asked_by,
    run_id: run.run_id,
    work_item_id: run.work_item_id ?? null,
    headline: headlineOf(request),
    impact: request.type === 'REQUEST_QUESTION' ? request.impact : null,
    lens: request.type === 'REQUEST_REVIEW' ? request.lens : null,
    action: request.type === 'REQUEST_APPROVAL' ? request.action : null,
    handles: handlesOf(request),
    reply_schema: request.reply_schema,
    deadline_at,
    default_action: request.default_action,
  }
}

/** The display of a request that is not opened yet, at its full length: placeholders stand for its id and hash. */
export function likeness({ request, run }: Submission, askedBy: string, deadline_at: string): Display {
  const completed = completeRequest(request, () => SOME_ID)
  return display({ request: completed, request_hash: SOME_HASH, run, deadline_at }, askedBy)
}
/** Actions whose parameters say nothing by their digests: the step to run, the command a tool is called with. */
const TOLD_BY_CONTENT: readonly (string | null)[] = ['RUN_STEP', 'USE_TOOL']

/** Whether the subject of the decision stands in the stored contents alone. A display does not hold them, so only a
 *  page that opens them beside the answer shows such a request; every other copy announces it. */
export const isToldByContent = ({ action }: Pick<Display, 'action'>): boolean =>
  TOLD_BY_CONTENT.includes(action)

export const hashDisplay = (shown: Display): Hash => hashOf('lane/display/v1', shown)
