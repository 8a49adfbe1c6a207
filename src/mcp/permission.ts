// A coding agent's permission prompt, answered by a person elsewhere. The agent's program calls this tool before it runs
// another and expects `allow` or `deny` as JSON text.
//
// N1  Only YES, in time, allows; and it allows this use with this input.
// N2  A yes is given once: without an id of the use, a second identical use is a second question.
import { ask, type Desk, keepAll, submissionOf, type Told, until } from './ask.js'
import { hashedId, type Origin } from './key.js'
import { sentences } from './output.js'

export type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: unknown }
  | { readonly behavior: 'deny'; readonly message: string }

export type PermissionOptions = {
  readonly seconds: number
  readonly recipients?: readonly string[] | undefined
}

/** As coding agents name their tools; anything else is not shown to a person as a tool's name. */
const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/
/** What fits on a phone beside the question; the whole input lies in the content. */
const PREVIEW_CHARS = 300
/** The lane settles at the deadline; then its outcome has to come back. */
const MARGIN_SECONDS = 2

export function permissionDesk(desk: Desk, origin: Origin, { seconds, recipients }: PermissionOptions) {
  /** How often a use without an id was decided. Changed only here, after a decision. */
  const decided = new Map<string, number>()

  return async function permit(
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Decision> {
    const { tool_name: tool, input, tool_use_id: use } = args
    if (typeof tool !== 'string' || !TOOL_NAME.test(tool)) return deny('tool_name is no name of a tool')
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return deny('input is no object')
    const hurry = { until: until(desk, seconds + MARGIN_SECONDS), signal }
    const runId = origin.runId ?? origin.sessionId
    const same = hashedId(origin.sessionId, tool, input)
    const id =
      typeof use === 'string' ? hashedId(runId, tool, input, use) : hashedId(same, decided.get(same) ?? 0)
    const shown = `Tool: ${tool}\nInput:\n${JSON.stringify(input, null, 2)}\n`
    const kept = await keepAll(desk, [shown], id, hurry)
    const told =
      kept.kind === 'kept'
        ? await ask(
            desk,
            submissionOf(question(tool, input, id, kept.handles), { requestId: id, runId }, { recipients }),
            hurry,
          )
        : kept
    if (typeof use !== 'string') decided.set(same, (decided.get(same) ?? 0) + 1)
    return decide(told, input)
  }

  function question(tool: string, input: object, id: string, context_handles: readonly string[]) {
    return {
      type: 'REQUEST_QUESTION' as const,
      question_id: id,
      question_text: `May the agent use the tool ${tool} now?`,
      impact: `YES runs it once with: ${preview(input)}`,
      context_handles,
      deadline_seconds: seconds,
      default_action: 'HALT' as const,
      reply_schema: { kind: 'yes_no' as const },
    }
  }
}

/** ASCII only, so that nothing in it can hide, reorder or look like something else. */
function preview(input: object): string {
  const json = JSON.stringify(input).replace(
    /[^ -~]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return json.length <= PREVIEW_CHARS
    ? json
    : `${json.slice(0, PREVIEW_CHARS)}… (cut: open the content to read all of it)`
}

export const deny = (why: string): Decision => ({
  behavior: 'deny',
  message: `Denied, nobody was asked: ${why}.`,
})

function decide(told: Told, input: object): Decision {
  if (told.kind === 'answered' && told.answer === 'YES') return { behavior: 'allow', updatedInput: input }
  if (told.kind === 'pending')
    return {
      behavior: 'deny',
      message: 'Denied: nobody has answered in time. Do not try again by other means.',
    }
  return { behavior: 'deny', message: `Denied: ${sentences(told)}` }
}
