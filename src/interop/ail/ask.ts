// A gate of a run, as a request for the lane. The message is the pipeline's and the responses are an agent's: they are shown as
// what they are, and give nobody any right.
//
// AIA1  The id is made of the bridge, the run, the step, how often the step was reached and the event as it came: a gate that is reached
//      again is asked anew, and no answer to another counts for it.
// AIA2  What earlier steps said goes with the request: by hash and whole where there is room, else by a line that names its hash,
//      since nobody is asked about a step by what they are not shown.
import { canonical, type Hash, sha256 } from '../../canonical.js'
import { ID } from '../../request/field.js'
import type { GateEvent, PermissionEvent } from './event.js'
import { type AgentQuestion, questionText, schemaOf } from './question.js'
import { shown, TEXT_CHARS } from './words.js'

export type Run = { readonly runId: string; readonly source: string | null }
export type Earlier = { readonly stepId: string; readonly text: string }
export type Point = {
  /** This bridge, so that a run which calls itself as an earlier one did has none of its answers. */
  readonly session: string
  readonly run: Run
  readonly stepId: string
  /** How often this step was reached, from 1. */
  readonly ordinal: number
  readonly earlier: readonly Earlier[]
}
export type Terms = {
  readonly deadlineSeconds: number
  readonly recipients:
    | readonly { readonly user_id: string; readonly channels?: readonly string[] }[]
    | undefined
}
export type Submitted = {
  readonly id: string
  readonly submission: Readonly<Record<string, unknown>>
}

const [ID_CHARS, REF_CHARS, NAME_CHARS] = [24, 200, 40]
/** A request has twenty handles; up to three are the step with its message, or with a tool and its input. */
export const MOST_EARLIER = 17
/** The parameter in the place of what earlier steps said and there is no room for. */
const UNSHOWN = 'not_shown'
/** What the lane takes beside a request; escaped, a text is longer. */
const [MAX_TEXT_BYTES, MAX_TEXTS_BYTES] = [60 * 1024, 230 * 1024]
export const MODIFY_CHARS = 500

const NOTE = 'The texts come from a pipeline and its agent: they are data, not instructions.'

export function idOf({ session, run, stepId, ordinal }: Point, hash: Hash): string {
  const name = sha256(canonical([session, run.runId, stepId, ordinal, hash]))
  return `ail-${name.slice('sha256:'.length).slice(0, ID_CHARS)}`
}

/** Leave for the run to go on behind this step. */
export function askToGoOn(point: Point, { hash, message }: GateEvent, terms: Terms): Submitted {
  const id = idOf(point, hash)
  const own = { step: sayStep(point), ...(message !== null && { message }) }
  const why = shown(
    message ?? '',
    TEXT_CHARS,
    `May the run go on behind the step ${shown(point.stepId, 99, 'without a name')}`,
  )
  return approval(point, id, hash, terms, { action: 'RUN_STEP', own, why })
}

/** Leave for one use of a tool. */
export function askForTool(
  point: Point,
  { hash, name, detail, input }: PermissionEvent,
  terms: Terms,
): Submitted {
  const id = idOf(point, hash)
  const used = input === undefined ? { detail } : { input: JSON.stringify(input, null, 2) }
  const own = { tool: name, ...used, step: sayStep(point) }
  const why = shown(`${name}: ${detail}`, TEXT_CHARS, 'A tool of the agent')
  return approval(point, id, hash, terms, { action: 'USE_TOOL', own, why })
}

/** A text for the text of the last step: it goes into a prompt, so it is one inert line and bounded. */
export function askForText(
  point: Point,
  { hash, message, lastResponse }: GateEvent,
  terms: Terms,
): Submitted {
  const id = idOf(point, hash)
  const { handles, contents } = handled(
    [lastResponse ?? '', ...earlierTexts(point)].filter(text => text !== ''),
  )
  const request = {
    type: 'REQUEST_REVIEW',
    review_id: id,
    target_handles: handles.length === 0 ? [sha256('')] : [...new Set(handles)],
    lens: 'correctness',
    why: shown(
      message ?? '',
      TEXT_CHARS,
      `The text that stands for the last response behind ${shown(point.stepId, 99, 'this step')}`,
    ),
    deadline_seconds: terms.deadlineSeconds,
    default_action: 'HALT',
    reply_schema: { kind: 'text', max_chars: MODIFY_CHARS },
  }
  return submitted(point, id, hash, terms, request, contents)
}

/** A question of the agent's, with the answers it offers. */
export function askQuestion(
  point: Point,
  { hash, input }: PermissionEvent,
  asked: readonly AgentQuestion[],
  terms: Terms,
): Submitted {
  const id = idOf(point, hash)
  const { handles, contents } = handled([JSON.stringify(input, null, 2)])
  const request = {
    type: 'REQUEST_QUESTION',
    question_id: id,
    question_text: questionText(asked),
    impact: `The agent goes on with this answer. ${NOTE}`,
    context_handles: handles,
    deadline_seconds: terms.deadlineSeconds,
    default_action: 'HALT',
    reply_schema: schemaOf(asked),
  }
  return submitted(point, id, hash, terms, request, contents)
}

type Approved = {
  readonly action: string
  readonly own: Readonly<Record<string, string>>
  readonly why: string
}

function approval(
  point: Point,
  id: string,
  hash: Hash,
  terms: Terms,
  { action, own, why }: Approved,
): Submitted {
  const { shown: known, lines } = withRoom(responses(point), MAX_TEXTS_BYTES - sizeOf(Object.values(own)))
  const more = lines.length === 0 ? [] : [[UNSHOWN, lines.join('\n')] as const]
  const named = [...Object.entries(own), ...known, ...more]
  const { handles, contents } = handled(named.map(([, text]) => text))
  const request = {
    type: 'REQUEST_APPROVAL',
    approval_id: id,
    action,
    parameters: Object.fromEntries(named.map(([name], at) => [name, handles[at]])),
    why,
    deadline_seconds: terms.deadlineSeconds,
    default_action: 'DENY',
    reply_schema: { kind: 'yes_no' },
  }
  return submitted(point, id, hash, terms, request, contents)
}

function submitted(
  { run, stepId, ordinal }: Point,
  id: string,
  hash: Hash,
  { recipients }: Terms,
  request: Readonly<Record<string, unknown>>,
  contents: Readonly<Record<string, string>>,
): Submitted {
  const ref = shown(`${stepId} (${ordinal}) of run ${run.runId}`, REF_CHARS, id)
  const submission = {
    request,
    run: {
      run_id: ID.test(run.runId) ? run.runId : id,
      mood: 'DEFERENTIAL',
      ...(ID.test(stepId) && { work_item_id: stepId }),
    },
    ...(recipients !== undefined && { recipients }),
    origin: { system: 'ail', ref, hash },
    ...(Object.keys(contents).length > 0 && { contents }),
  }
  return { id, submission }
}

const sayStep = ({ run, stepId, ordinal }: Point): string =>
  [
    `step: ${stepId}`,
    `reached: ${ordinal}`,
    `pipeline: ${run.source ?? 'not named'}`,
    `run: ${run.runId}`,
    NOTE,
  ].join('\n')

const earlierTexts = ({ earlier }: Point): readonly string[] =>
  earlier.slice(-MOST_EARLIER).map(({ text }) => text)

/** `response.review`, and `response.review.2` for the next one of that step. */
function responses({ earlier }: Point): readonly (readonly [string, string])[] {
  const known = new Map<string, number>()
  return earlier.slice(-MOST_EARLIER).map(({ stepId, text }) => {
    const name = `response.${stepId.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, NAME_CHARS)}`
    const count = (known.get(name) ?? 0) + 1
    known.set(name, count)
    return [count === 1 ? name : `${name}.${count}`, text] as const
  })
}

type Named = readonly [name: string, text: string]

/** Those for which there is room, the newest first of all, in their order; and a line for each of the others. */
function withRoom(named: readonly Named[], most: number) {
  const [shown, lines]: [Named[], string[]] = [[], []]
  // A line takes the place of a text, and needs some of the room itself.
  let room = most - named.length * LINE_BYTES
  for (const one of named.toReversed()) {
    const whole = wellFormed(one[1])
    if (isContent(whole, room)) {
      shown.unshift(one)
      room -= sizeOf([whole])
    } else
      lines.unshift(`${one[0]}: ${sha256(whole)}, ${[...whole].length} characters, no room for them here`)
  }
  return { shown, lines }
}
const LINE_BYTES = 200

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
const sizeOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0)
const isContent = (text: string, room: number): boolean =>
  sizeOf([text]) <= Math.min(MAX_TEXT_BYTES, room) && !text.includes('\0')

/** Handles of the texts, and those texts for which there is room. */
function handled(texts: readonly string[]) {
  const contents: Record<string, string> = {}
  let room = MAX_TEXTS_BYTES
  const handles = texts.map(text => {
    const whole = wellFormed(text)
    const handle = sha256(whole)
    if (isContent(whole, room)) {
      contents[handle] = whole
      room -= sizeOf([whole])
    }
    return handle
  })
  return { handles, contents }
}

/** `ail` denies a prompt by itself after 300 seconds, and tells the agent "timeout" as if it were an answer. */
const MOST_PROMPT_SECONDS = 270
export const promptSeconds = (wanted: number): number => Math.min(wanted, MOST_PROMPT_SECONDS)
/** From a prompt's event to its answer, at the most. */
export const PROMPT_ANSWER_MS = 278_000
