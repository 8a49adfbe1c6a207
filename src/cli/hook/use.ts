// What a coding agent's hook is told on its standard input, and what it answers. Claude Code and Codex share the names of
// two events and the shape of their answers; where they part, Codex is known by `turn_id`, which it always sends.
//
// HK1  What is not one of these two events about one use of a tool is no use, and is never answered with an allow.
import { readJsonBytes } from '../../http/json.js'
import { readUse } from '../../mcp/permission.js'

export const HOOK_EVENTS = ['PermissionRequest', 'PreToolUse'] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export type HookUse = {
  readonly event: HookEvent
  readonly isCodex: boolean
  readonly session: string
  readonly cwd: string
  readonly tool: string
  readonly input: object
  /** Which use it is; null where the event does not say. */
  readonly useId: string | null
}
type ReadHook =
  | { readonly ok: true; readonly use: HookUse }
  /** `event` is null if not even that could be read: then only the exit code can deny. */
  | { readonly ok: false; readonly event: HookEvent | null; readonly flaw: string }

/** The names of a session and of a use are made by the agent's program; a person is shown neither. */
const LONGEST_NAME = 256
const LONGEST_PATH = 4096

export function readHook(bytes: Uint8Array): ReadHook {
  const read = readJsonBytes(bytes)
  if (!read.ok) return { ok: false, event: null, flaw: `the hook's input cannot be read: ${read.detail}` }
  const fields = Object(read.value) as Readonly<Record<string, unknown>>
  const event = HOOK_EVENTS.find(name => name === fields.hook_event_name) ?? null
  if (event === null)
    return { ok: false, event, flaw: `hook_event_name is neither of ${HOOK_EVENTS.join(' and ')}` }
  const { session_id: session, cwd, tool_use_id: useId = null } = fields
  if (!isName(session)) return { ok: false, event, flaw: 'session_id is no name of a session' }
  if (typeof cwd !== 'string' || cwd === '' || cwd.length > LONGEST_PATH)
    return { ok: false, event, flaw: 'cwd is no directory' }
  if (useId !== null && !isName(useId)) return { ok: false, event, flaw: 'tool_use_id is no name of a use' }
  const use = readUse(fields.tool_name, fields.tool_input, 'tool_input')
  if (!use.ok) return { ok: false, event, flaw: use.flaw }
  const isCodex = 'turn_id' in fields
  return { ok: true, use: { event, isCodex, session, cwd, tool: use.tool, input: use.input, useId } }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME

/** The answer as the agent reads it from standard output; null for the silence by which Codex takes a PreToolUse to be
 *  allowed: it knows no other word for that. */
export function allowing({ event, isCodex }: Pick<HookUse, 'event' | 'isCodex'>): object | null {
  if (event === 'PermissionRequest') return answered(event, { decision: { behavior: 'allow' } })
  const permissionDecisionReason = 'a person allowed this use'
  return isCodex ? null : answered(event, { permissionDecision: 'allow', permissionDecisionReason })
}

export const denying = (event: HookEvent, message: string): object =>
  event === 'PermissionRequest'
    ? answered(event, { decision: { behavior: 'deny', message } })
    : answered(event, { permissionDecision: 'deny', permissionDecisionReason: message })

const answered = (hookEventName: HookEvent, rest: object): object => ({
  hookSpecificOutput: { hookEventName, ...rest },
})
