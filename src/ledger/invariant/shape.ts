// I4, I22, I23: an entry by itself, by the rules it was written under. Members that pass here are an Entry in the
// sense of event.ts, and its request is one that the door let in under these rules (bar the names of actions, which
// are the configuration's).
import type { Entry, EntryOf, EventType } from '../../event.js'
import { ID } from '../../request/field.js'
import { parseSubmission } from '../../request/parse.js'
import { idOf, type Request } from '../../request/request.js'
import { holdsSecret } from '../../request/secrecy.js'
import { TEXT_RULES } from '../../request/text.js'
import type { Rules } from '../../rules.js'
import { flawOfBody } from '../plain.js'
import { type Flaw, flaw } from './invariants.js'
import type { Members } from './line.js'

const MEMBERS: readonly string[] = ['at', 'body', 'hash', 'prev', 'request_id', 'run_id', 'seq', 'type', 'v']

const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Entries about the lane itself. An erasure may stand in a story or beside it; every other type is of one request. */
const OF_THE_LANE: ReadonlySet<string> = new Set<EventType>([
  'LANE_STARTED',
  'KEY_ROTATED',
  'KEY_REVOKED',
  'CHECKPOINT_SIGNED',
  'LEDGER_SEALED',
  'RECIPIENT_LINKED',
  'RECIPIENT_AWAY',
  'CODES_RESTED',
  'OPERATOR_ACTED',
  'PASSKEY_REGISTERED',
  'PASSKEY_REVOKED',
  'CLOCK_SUSPECT',
])
const EITHER: EventType = 'RAW_ERASED'

/** Without a flaw the members are an Entry. One that is nested so deeply that the stack ends is none. */
export function flawOfShape(members: Members, rules: Rules): Flaw | null {
  try {
    return flawOf(members, rules)
  } catch (error) {
    if (error instanceof RangeError) return flaw('I4', 'it is nested beyond all depth')
    throw error
  }
}

function flawOf(members: Members, rules: Rules): Flaw | null {
  const type = typeof members.type === 'string' ? members.type : ''
  const outside = flawOfMembers(members, type)
  if (outside !== null) return flaw('I4', outside)
  const inside = flawOfBody(type, members.body, rules)
  if (inside !== null) return flaw('I4', inside)
  const entry = members as unknown as Entry
  return entry.type === 'REQUEST_OPENED' ? flawOfRequest(entry, rules) : null
}

function flawOfMembers(members: Members, type: string): string | null {
  for (const name in members) if (!MEMBERS.includes(name)) return `unknown member ${name.slice(0, 40)}`
  const { at, request_id, run_id } = members
  if (typeof at !== 'string' || !AT.test(at)) return 'at is not a time in UTC with milliseconds'
  if (run_id !== undefined && !isId(run_id)) return 'run_id is not an id'
  if (request_id === undefined) {
    if (!OF_THE_LANE.has(type) && type !== EITHER) return `${type} without a request_id`
    return run_id === undefined ? null : 'run_id without a request_id'
  }
  if (OF_THE_LANE.has(type)) return `${type} is not of a request`
  return isId(request_id) ? null : 'request_id is not an id'
}

const isId = (value: unknown): boolean => typeof value === 'string' && ID.test(value)

function flawOfRequest({ body, request_id, run_id }: EntryOf<'REQUEST_OPENED'>, rules: Rules): Flaw | null {
  const { request, run } = body
  const action = (request as { readonly action?: unknown }).action
  const parsed = parseSubmission({ request, run }, { actions: [String(action)] }, rules)
  if (!parsed.ok) {
    if (hasUnshowable(request, rules)) return flaw('I22', 'the request holds a character that is not shown')
    const [error] = parsed.errors
    return flaw('I4', `REQUEST_OPENED: ${error?.field} must be ${error?.accepted}`)
  }
  if (idOf(request as unknown as Request) === request_id && run.run_id === run_id) return null
  return flaw('I4', 'the ids of the entry are not those of its request and run')
}

/** Asked only about a refused request: whether this is the reason. */
function hasUnshowable(value: unknown, rules: Rules): boolean {
  if (typeof value === 'string')
    return TEXT_RULES[rules](value, Number.POSITIVE_INFINITY)?.kind === 'unshowable'
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, member]) => hasUnshowable(key, rules) || hasUnshowable(member, rules),
  )
}

export const flawOfSecrecy = (line: string): Flaw | null =>
  holdsSecret(line) ? flaw('I23', 'it holds what looks like a token, an API key or a reply link') : null
