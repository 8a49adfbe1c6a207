// A coding agent's permission prompt, answered by a person elsewhere. The agent's program calls this tool before it
// runs another and expects `allow` or `deny` as JSON text. It is an approval: of the action USE_TOOL, on this tool
// and this input, by a person who may approve it and with a sufficient proof.
//
// MP1  Only YES, in time, allows; and it allows this use with this input.
// MP2  A yes is given once: without an id of the use, a second identical use is a second question.
// MP3  Tool and input go with the request, whole: a copy that cannot show all of both takes no answer.
import { randomBytes } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { jsonOf } from '../client/call.js'
import { isOpen, type ShownCase } from '../client/case.js'
import { approvalOf, type Drafted } from '../client/draft.js'
import { outcomeOf, type Refused, type Unknown } from '../client/outcome.js'
import { persist } from '../client/persist.js'
import { ask, type Connection, type CurrentOutcome, keepAll, laid, open, until } from './ask.js'
import { hashedId, type Origin } from './key.js'
import { sentences } from './output.js'

type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: unknown }
  | { readonly behavior: 'deny'; readonly message: string }

export type PermissionOptions = {
  /** How long a person has while the client waits. */
  readonly seconds: number
  /** The same where it holds a task instead; as above if absent. */
  readonly taskSeconds?: number
  readonly recipients?: readonly string[] | undefined
}

/** One use of a tool, under the id of its request. */
type ToolUse = {
  readonly id: string
  readonly runId: string
  readonly tool: string
  readonly input: object
  /** Further texts that belong to the decision, by their names. */
  readonly beside?: Readonly<Record<string, string>>
}

type ReadUse =
  | { readonly ok: true; readonly tool: string; readonly input: object }
  | { readonly ok: false; readonly flaw: string }

/** A call ends before a client's usual minute is over; a task gives people time. */
export const USUAL_PERMISSION = { seconds: 45, taskSeconds: 600 } as const satisfies PermissionOptions

/** As coding agents name their tools; anything else is not shown to a person as a tool's name. */
const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/
const ACTION = 'USE_TOOL'
/** The lane settles at the deadline; then its outcome has to come back. */
const MARGIN_SECONDS = 2

/** By its id a use is known again, when its task is asked about. */
const USE_PREFIX = 'mcp-use-'
const useId = (...said: readonly unknown[]): string => hashedId(...said).replace('mcp-', USE_PREFIX)

/** How a prompt ends: decided, or, for a client that takes tasks, asked. */
type Prompted = { readonly kind: 'asked'; readonly case: ShownCase } | Decision

export function permissions(connection: Connection, origin: Origin, options: PermissionOptions) {
  /** The number of decisions on a use without an id. Changed only here, after a decision. */
  const decided = new Map<string, number>()

  const toUse = (args: Readonly<Record<string, unknown>>, tool: string, input: object) => {
    const { tool_use_id: use } = args
    const { runId, sessionId } = origin
    if (typeof use === 'string') return { id: useId(runId ?? sessionId, tool, input, use), same: null }
    if (sessionId === null) return { id: `${USE_PREFIX}${randomBytes(16).toString('hex')}`, same: null }
    const same = hashedId(sessionId, tool, input)
    return { id: useId(same, decided.get(same) ?? 0), same }
  }

  return async function permit(
    args: Readonly<Record<string, unknown>>,
    { signal, asTask }: { readonly signal: AbortSignal; readonly asTask: boolean },
  ): Promise<Prompted> {
    const read = readUse(args.tool_name, args.input, 'input')
    if (!read.ok) return deny(read.flaw)
    const { tool, input } = read
    const { id, same } = toUse(args, tool, input)
    const runId = origin.runId ?? origin.sessionId ?? id
    const use = { id, runId, tool, input }
    const begun = asTask ? await begin(connection, use, options, signal) : null
    if (begun?.kind === 'opened' && isOpen(begun.case)) return { kind: 'asked', case: begun.case }
    const told = begun === null ? await askForUse(connection, use, options, { signal }) : ended(begun)
    if (same !== null) decided.set(same, (decided.get(same) ?? 0) + 1)
    // Without an id of the use, what was decided before was decided about another one (MP2).
    if (asTask && same !== null && begun?.kind === 'opened') return await permit(args, { signal, asTask })
    return decisionOf(told, input)
  }
}

type Begun = Awaited<ReturnType<typeof open>>
const ended = (begun: Begun): CurrentOutcome =>
  begun.kind === 'opened' ? outcomeOf(begun.case.request.reply_schema, begun.case) : begun

function decisionOf(told: CurrentOutcome, input: unknown): Decision {
  const why = whyNot(told)
  return why === null
    ? { behavior: 'allow', updatedInput: input }
    : { behavior: 'deny', message: `Denied${why}` }
}

/** As the agent's program reads it. */
export const sayDecision = (decision: Decision): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(decision) }],
})

/** Stands beside the handle of a task: whoever takes it for the decision is denied. */
export const stillAsked = (): CallToolResult =>
  sayDecision({
    behavior: 'deny',
    message: 'Denied for now: a person is being asked, and the task will tell.',
  })

/** Whether a case is that of a prompt. */
export const isUse = ({ request_id, request }: ShownCase): boolean =>
  request_id.startsWith(USE_PREFIX) &&
  request.type === 'REQUEST_APPROVAL' &&
  request.action === ACTION &&
  request.parameters.input !== undefined

/** The decision on a use that was asked about before, perhaps by another process: the lane holds its input. */
export async function sayUse(
  { endpoint, pace }: Connection,
  subject: ShownCase,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const told = outcomeOf(subject.request.reply_schema, subject)
  if (whyNot(told) !== null || subject.request.type !== 'REQUEST_APPROVAL')
    return sayDecision(decisionOf(told, null))
  const path = `/v1/blobs/${encodeURIComponent(subject.request.parameters.input ?? '')}`
  const kept = await persist(
    pace,
    endpoint,
    { path },
    { isFinal: (_, attempt) => attempt === ATTEMPTS, signal },
  )
  const input = kept.kind === 'answer' ? jsonOf(kept) : undefined
  return sayDecision(
    input === undefined ? { behavior: 'deny', message: `Denied: ${UNREADABLE}.` } : decisionOf(told, input),
  )
}
const ATTEMPTS = 6
const UNREADABLE = 'it was allowed, and the lane no longer tells what the input was'

/** `field` is the name under which the agent sends the tool's input. */
export function readUse(tool: unknown, input: unknown, field: string): ReadUse {
  if (typeof tool !== 'string' || !TOOL_NAME.test(tool))
    return { ok: false, flaw: 'tool_name is no name of a tool' }
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { ok: false, flaw: `${field} is no object` }
  return { ok: true, tool, input }
}

/** Asks for the approval of this use, and waits for what becomes of it. */
export async function askForUse(
  connection: Connection,
  use: ToolUse,
  options: PermissionOptions,
  { signal, openWithin = options.seconds }: { readonly signal: AbortSignal; readonly openWithin?: number },
): Promise<CurrentOutcome> {
  const hurry = { until: until(connection, options.seconds + MARGIN_SECONDS), signal }
  const opening = { signal, until: Math.min(until(connection, openWithin), hurry.until) }
  const drafted = await draftOf(connection, use, options, opening)
  return 'kind' in drafted ? drafted : await ask(connection, drafted, hurry, opening.until)
}

async function begin(
  connection: Connection,
  use: ToolUse,
  options: PermissionOptions,
  signal: AbortSignal,
): Promise<Begun> {
  const opening = { signal, until: until(connection, OPEN_SECONDS) }
  const { seconds, taskSeconds = seconds, ...rest } = options
  const drafted = await draftOf(connection, use, { seconds: taskSeconds, ...rest }, opening)
  return 'kind' in drafted ? drafted : await open(connection, drafted, opening)
}
/** Below the minute at which clients commonly give up. */
const OPEN_SECONDS = 45

async function draftOf(
  connection: Connection,
  { id, runId, tool, input, beside = {} }: ToolUse,
  { seconds, recipients }: PermissionOptions,
  opening: { readonly until: number; readonly signal: AbortSignal },
): Promise<Drafted | Refused | Unknown> {
  const texts = { tool, input: written(input), ...beside }
  const kept = await keepAll(connection, Object.values(texts), id, opening)
  if (kept.kind !== 'kept') return kept
  const drafted = approvalOf({
    id,
    runId,
    to: recipients,
    action: ACTION,
    parameters: Object.fromEntries(Object.keys(texts).map((name, at) => [name, kept.handles[at] ?? ''])),
    deadlineSeconds: seconds,
    default: 'DENY',
  })
  return laid(drafted, kept.contents)
}

/** As JSON on lines, the shorter members of an object before the longer ones, whatever their names: a long one cannot
 *  push a command off the screen. */
function written(value: unknown, margin = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${margin}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const lines = Array.isArray(value)
    ? value.map(item => written(item, inner))
    : Object.entries(value)
        .map(([name, member]) => `${JSON.stringify(name)}: ${written(member, inner)}`)
        .sort((one, other) => one.length - other.length)
  return lines.length === 0
    ? `${open}${close}`
    : `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${margin}${close}`
}

const unasked = (why: string): string => `, nobody was asked: ${why}.`

export const deny = (why: string): Decision => ({ behavior: 'deny', message: `Denied${unasked(why)}` })

/** How the sentence goes on that begins with "Denied"; null if the use is allowed (MP1). */
export function whyNot(told: CurrentOutcome): string | null {
  if (told.kind === 'answered' && told.answer === 'YES') return null
  if (told.kind === 'pending') return ': nobody has answered in time. Do not try again by other means.'
  if (told.kind === 'refused' && told.errors.some(({ field }) => field === '/request/action'))
    return unasked(NO_ACTION)
  return `: ${sentences(told)}`
}

const NO_ACTION =
  `the lane's configuration has no action ${ACTION}. Whoever runs the lane adds to config/lane.yaml, below actions, ` +
  `"${ACTION}: { approvers: [<who may allow a tool>] }", and starts it again`
