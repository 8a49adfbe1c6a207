// A coding agent's settings, and our hook among them. Both agents keep hooks in the same shape: by event, groups with a
// matcher, each with the commands to run. Nothing else of the file is touched, and what is ours is known by its command.
//
// HS1  Adding and then removing gives back the settings as they were.
// HS2  What cannot be read as such settings is left alone.
import { isFields } from '../../client/case.js'
import { readJson } from '../../http/json.js'
import type { HookEvent } from './use.js'

export const AGENTS = ['claude-code', 'codex'] as const
export type AgentName = (typeof AGENTS)[number]

type Fields = Readonly<Record<string, unknown>>
type Placed = {
  readonly event: HookEvent
  readonly matcher: string
  readonly command: string
  readonly seconds: number
}

/** Where an agent keeps them, beneath the home directory, unless a variable of its own names another directory. */
export const PLACES: Readonly<
  Record<AgentName, { readonly variable: string; readonly directory: string; readonly file: string }>
> = {
  'claude-code': { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude', file: 'settings.json' },
  codex: { variable: 'CODEX_HOME', directory: '.codex', file: 'hooks.json' },
}

/** The agent gives a hook up after its own time; ours has to have denied before that. */
const MARGIN_SECONDS = 60
const OURS = /\blane(?:\.js)?['"]? .*\bhook permission\b/

/** Null if the text is not JSON of the shape in which hooks are kept. */
export function readSettings(text: string): Fields | null {
  const read = text.trim() === '' ? { ok: true as const, value: {} } : readJson(text)
  if (!read.ok || !isFields(read.value)) return null
  const { hooks = {} } = read.value
  return isFields(hooks) &&
    Object.values(hooks).every(groups => Array.isArray(groups) && groups.every(isFields))
    ? read.value
    : null
}

export function withHook(settings: Fields, { event, matcher, command, seconds }: Placed): Fields {
  const before = withoutHook(settings)
  const hooks = (before.hooks ?? {}) as Readonly<Record<string, readonly Fields[]>>
  const timeout = seconds + MARGIN_SECONDS
  const ours = { type: 'command', command, timeout, statusMessage: 'Waiting for a person' }
  return { ...before, hooks: { ...hooks, [event]: [...(hooks[event] ?? []), { matcher, hooks: [ours] }] } }
}

/** Without ours, and without the group, event and list that would then be empty. */
export function withoutHook(settings: Fields): Fields {
  if (settings.hooks === undefined) return settings
  const hooks = Object.entries(settings.hooks as Readonly<Record<string, readonly Fields[]>>).flatMap(
    ([event, groups]) => {
      const left = groups.flatMap(withoutOurs)
      return left.length > 0 || groups.length === 0 ? [[event, left] as const] : []
    },
  )
  const { hooks: before, ...rest } = settings
  const isEmptied = hooks.length === 0 && Object.keys(before as Fields).length > 0
  // In the place where it stood: the file then shows no other change.
  return isEmptied ? rest : { ...settings, hooks: Object.fromEntries(hooks) }
}

function withoutOurs(group: Fields): readonly Fields[] {
  if (!Array.isArray(group.hooks)) return [group]
  const left = group.hooks.filter(hook => !isOurs(hook))
  if (left.length === group.hooks.length) return [group]
  return left.length === 0 ? [] : [{ ...group, hooks: left }]
}

const isOurs = (hook: unknown): boolean =>
  isFields(hook) && typeof hook.command === 'string' && OURS.test(hook.command)

/** In the way the file was written before: its indentation, and whether it ended with a newline. */
export function writeSettings(settings: Fields, before: string): string {
  const indent = /^[\t ]+(?=")/m.exec(before)?.[0] ?? (/^\{.+\}\s*$/.test(before) ? '' : '  ')
  const end = before === '' || before.endsWith('\n') ? '\n' : ''
  return `${JSON.stringify(settings, null, indent)}${end}`
}
