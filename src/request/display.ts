// The channel-neutral document a request is shown as. Built from the typed request alone: no API accepts prose for
// people to read. It holds no reply handle, code or time zone, so its hash stands for exactly
// what a person was shown.
import { type Hash, hashOf } from '../canonical.js'
import type { ReplySchema } from '../compiler/reply-schema.js'
import { type Content, type Exhibits, exhibitsOf, type ShownContent } from './content/exhibit.js'
import type { Imprint } from './content/imprint.js'
import { Unopened } from './content/unopened.js'
import { isFixedHandle } from './handle.js'
import type { Submission } from './parse.js'
import {
  completeRequest,
  type DefaultAction,
  idOf,
  type Lens,
  type Request,
  type RequestDraft,
  type RequestType,
  type Run,
} from './request.js'
import type { ContentRule, Ladder, Origin, Terms, Urgency } from './terms.js'

/** Placeholders as long as the ids that the lane makes, and as its hashes. */
const SOME_ID = `lane-${'0'.repeat(24)}`
const SOME_HASH: Hash = `sha256:${'0'.repeat(64)}`

/** A content pointer as a person sees it. `fixed` is false for name-only handles: their content may change. */
export type ShownHandle = { readonly name: string | null; readonly handle: string; readonly fixed: boolean }

export type Display = {
  /** 1 for a request opened under rules 1: its display says nothing of contents. */
  readonly v: 1 | 2
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
  /** The caller's reason; reviews and approvals only. */
  readonly why: string | null
  readonly lens: Lens | null
  readonly action: string | null
  readonly handles: readonly ShownHandle[]
  /** What is shown of the contents that were recorded with the request. */
  readonly contents: readonly ShownContent[]
  /** The same, drawn: not hashed itself, because the hashes in `contents` cover it. */
  readonly exhibits: Exhibits
  readonly reply_schema: ReplySchema
  readonly deadline_at: string
  readonly default_action: DefaultAction
  readonly urgency: Urgency
  /** The steps that follow if nobody answers. */
  readonly ladder: Ladder | null
  /** What the caller says the request was made from. */
  readonly origin: Origin | null
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

function handlesOf(request: RequestDraft): ShownHandle[] {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return request.context_handles.map(handle => shown(handle))
    case 'REQUEST_REVIEW':
      return request.target_handles.map(handle => shown(handle))
    case 'REQUEST_APPROVAL':
      // In the order of the ledger's own spelling, which does not keep the caller's.
      return Object.keys(request.parameters)
        .sort()
        .map(name => shown(request.parameters[name] ?? '', name))
  }
}

/** The handles that fix their contents, each once. */
export function fixedHandlesOf(request: RequestDraft): readonly Hash[] {
  const fixed: Hash[] = []
  for (const { handle } of handlesOf(request))
    if (isFixedHandle(handle) && !fixed.includes(handle)) fixed.push(handle)
  return fixed
}

/** The contents of a request's handles, in their order, as far as they are held. `imprints` are of those that came with it. */
export function contentsOf(
  request: RequestDraft,
  held: ReadonlyMap<Hash, Uint8Array>,
  imprints: ReadonlyMap<string, Imprint> = new Map(),
): readonly Content[] {
  const contents: Content[] = []
  if (held.size === 0) return contents
  for (const { handle, name } of handlesOf(request)) {
    const fixed = handle as Hash
    const bytes = held.get(fixed)
    if (bytes !== undefined) contents.push(new Unopened(fixed, name, bytes, imprints.get(fixed)))
  }
  return contents
}

/** The facts of a request's story that are shown. */
export type DisplayFacts = {
  readonly request: Request
  readonly request_hash: Hash
  readonly run: Run
  readonly deadline_at: string
  /** Null for a request opened under rules 1. */
  readonly terms: Pick<Terms, 'urgency' | 'ladder'> | null
  readonly asked_by: string | null
  readonly origin: Origin | null
}

/** `keyName` is the name of the asking key as it is now, for a request whose opening did not record it. */
export function display(facts: DisplayFacts, keyName: string): Display {
  const { request, request_hash, run, deadline_at, terms, asked_by, origin } = facts
  return {
    v: terms === null ? 1 : 2,
    type: request.type,
    request_id: idOf(request),
    request_hash,
    asked_by: asked_by ?? keyName,
    run_id: run.run_id,
    work_item_id: run.work_item_id ?? null,
    headline: headlineOf(request),
    impact: request.type === 'REQUEST_QUESTION' ? request.impact : null,
    why: request.type === 'REQUEST_QUESTION' ? null : (request.why ?? null),
    lens: request.type === 'REQUEST_REVIEW' ? request.lens : null,
    action: request.type === 'REQUEST_APPROVAL' ? request.action : null,
    handles: handlesOf(request),
    contents: [],
    exhibits: NO_EXHIBITS,
    reply_schema: request.reply_schema,
    deadline_at,
    default_action: request.default_action,
    urgency: terms?.urgency ?? 'normal',
    ladder: terms?.ladder ?? null,
    origin,
  }
}

const NO_EXHIBITS: Exhibits = new Map()

/** The display with these rows of the contents, and what is drawn of them. `plainly`: for want of room, JSON stands as
 *  it was written. */
export function withContents(
  frame: Display,
  contents: readonly Content[],
  rows: readonly ShownContent[],
  plainly = false,
): Display {
  if (rows.length === 0) return frame
  return { ...frame, contents: rows, exhibits: exhibitsOf(contents, rows, plainly) }
}

/** The display of a request that is not opened yet, at its full length: placeholders stand for its id and hash. */
export function likeness(
  { request, run, origin }: Submission,
  terms: Terms,
  asked_by: string,
  deadline_at: string,
): Display {
  const facts = { run, deadline_at, terms, asked_by, request_hash: SOME_HASH, origin: origin ?? null }
  return display({ request: completeRequest(request, () => SOME_ID), ...facts }, asked_by)
}

/** Actions whose parameters say nothing by their digests: the step to run, the command a tool is called with. */
const TOLD_BY_CONTENT: readonly (string | null)[] = ['RUN_STEP', 'USE_TOOL']

/** Whether the subject of the decision stands in the contents alone. */
export const isToldByContent = ({ action }: Pick<Display, 'action'>): boolean =>
  TOLD_BY_CONTENT.includes(action)

/** Whether people can decide on what is shown of the contents. If these alone tell what is decided, or policy says so,
 *  all of them are shown whole. */
export const tellsEnough = (shown: Display, rule?: ContentRule): boolean =>
  (rule !== 'whole' && !isToldByContent(shown)) ||
  (shown.handles.length > 0 &&
    shown.handles.every(({ handle }) => shown.contents.some(one => one.handle === handle && one.whole)))

/** Whether the lane holds no content for a handle that fixes one. */
export const isMissing = ({ v, contents }: Display, { handle, fixed }: ShownHandle): boolean =>
  v === 2 && fixed && !contents.some(one => one.handle === handle)

export const hashDisplay = (shown: Display): Hash => hashOf(`lane/display/v${shown.v}`, documentOf(shown))

/** The document that is hashed: what is drawn of contents stands in it by its hash. */
export function documentOf(shown: Display): object {
  const { exhibits: _exhibits, ...document } = shown
  if (shown.v === 2) return document
  const {
    why: _why,
    contents: _contents,
    urgency: _urgency,
    ladder: _ladder,
    origin: _origin,
    ...first
  } = document
  return first
}
