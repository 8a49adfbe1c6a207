// A coding agent's permission prompt, answered by a person elsewhere. The agent's program calls this tool before it
// runs another and expects `allow` or `deny` as JSON text. It is an approval: of the action USE_TOOL, on this tool
// and this input, by a person who may approve it and with a sufficient proof.
//
// MP1  Only YES, in time, allows; and it allows this use with this input.
// MP2  A yes is given once: without an id of the use, a second identical use is a second question.
// MP3  Tool and input are put into the lane's store before anybody is asked, whole: the page shows them or takes no answer.
import { approvalOf, type Drafted } from '../client/draft.js'
import { ask, type Connection, type CurrentOutcome, keepAll, until } from './ask.js'
import { hashedId, type Origin } from './key.js'
import { sentences } from './output.js'

type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: unknown }
  | { readonly behavior: 'deny'; readonly message: string }

type PermissionOptions = {
  readonly seconds: number
  readonly recipients?: readonly string[] | undefined
}

/** As coding agents name their tools; anything else is not shown to a person as a tool's name. */
const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/
const ACTION = 'USE_TOOL'
/** The lane settles at the deadline; then its outcome has to come back. */
const MARGIN_SECONDS = 2

export function permissions(
  connection: Connection,
  origin: Origin,
  { seconds, recipients }: PermissionOptions,
) {
  /** The number of decisions on a use without an id. Changed only here, after a decision. */
  const decided = new Map<string, number>()

  const drafted = (id: string, runId: string, [tool = '', input = '']: readonly string[]): Drafted =>
    approvalOf({
      id,
      runId,
      to: recipients,
      action: ACTION,
      parameters: { tool, input },
      deadlineSeconds: seconds,
      default: 'DENY',
    })

  return async function permit(
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Decision> {
    const { tool_name: tool, input, tool_use_id: use } = args
    if (typeof tool !== 'string' || !TOOL_NAME.test(tool)) return deny('tool_name is no name of a tool')
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return deny('input is no object')
    const hurry = { until: until(connection, seconds + MARGIN_SECONDS), signal }
    const runId = origin.runId ?? origin.sessionId
    const same = hashedId(origin.sessionId, tool, input)
    const id =
      typeof use === 'string' ? hashedId(runId, tool, input, use) : hashedId(same, decided.get(same) ?? 0)
    const kept = await keepAll(connection, [tool, written(input)], id, hurry)
    const told = kept.kind === 'kept' ? await ask(connection, drafted(id, runId, kept.handles), hurry) : kept
    if (typeof use !== 'string') decided.set(same, (decided.get(same) ?? 0) + 1)
    return decide(told, input)
  }
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

export const deny = (why: string): Decision => ({
  behavior: 'deny',
  message: `Denied, nobody was asked: ${why}.`,
})

function decide(told: CurrentOutcome, input: object): Decision {
  if (told.kind === 'answered' && told.answer === 'YES') return { behavior: 'allow', updatedInput: input }
  if (told.kind === 'pending')
    return {
      behavior: 'deny',
      message: 'Denied: nobody has answered in time. Do not try again by other means.',
    }
  if (told.kind === 'refused' && told.errors.some(({ field }) => field === '/request/action'))
    return deny(NO_ACTION)
  return { behavior: 'deny', message: `Denied: ${sentences(told)}` }
}

const NO_ACTION =
  `the lane's configuration has no action ${ACTION}. Whoever runs the lane adds to config/lane.yaml, below actions, ` +
  `"${ACTION}: { approvers: [<who may allow a tool>] }", and starts it again`
