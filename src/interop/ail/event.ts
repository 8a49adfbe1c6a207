// One line of what `ail` says, as far as the bridge must understand it. A line that is no event is skipped and counted; an event
// of a type that is not known is let pass. Only the gates and prompts are kept as they came, since they are hashed.

import { canonical, type Hash, sha256 } from '../../canonical.js'
import { type Fields, isFields } from '../fields.js'
import { textAt } from './pipeline.js'

type Hashed = { readonly hash: Hash }
export type GateEvent = Hashed & {
  readonly kind: 'pause' | 'modify'
  readonly stepId: string
  readonly message: string | null
  readonly lastResponse: string | null
}
export type PermissionEvent = Hashed & {
  readonly kind: 'permission'
  readonly name: string
  readonly detail: string
  readonly input: unknown
}
export type Event =
  | GateEvent
  | PermissionEvent
  | { readonly kind: 'run_started'; readonly runId: string; readonly source: string | null }
  | { readonly kind: 'step_started'; readonly stepId: string }
  | { readonly kind: 'step_completed'; readonly stepId: string; readonly response: string | null }
  | { readonly kind: 'pipeline_ended'; readonly failed: string | null }
  | { readonly kind: 'chat_ended' }
  | { readonly kind: 'known' | 'unknown'; readonly type: string }
  | { readonly kind: 'garbage' }

const GARBAGE: Event = { kind: 'garbage' }
const text = (fields: Fields, name: string): boolean => typeof fields[name] === 'string'

/** The members without which an event says nothing, by its type. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  run_started: ['run_id'],
  step_started: ['step_id'],
  step_completed: ['step_id'],
  step_skipped: ['step_id'],
  step_failed: ['step_id', 'error'],
  step_error_continued: ['step_id'],
  step_retrying: ['step_id'],
  hitl_gate_reached: ['step_id'],
  hitl_modify_reached: ['step_id'],
  runner_event: [],
  pipeline_completed: ['outcome'],
  pipeline_error: ['error'],
  chat_started: [],
  turn_started: [],
  turn_completed: [],
  ready: [],
  chat_ended: [],
}
const RUNNER_EVENTS: Readonly<Record<string, readonly string[]>> = {
  stream_delta: [],
  thinking: [],
  tool_use: [],
  tool_result: [],
  cost_update: [],
  permission_requested: ['display_name'],
  completed: [],
  error: [],
}

export function readEvent(line: string): Event {
  const value = parsed(line)
  const type = isFields(value) ? textAt(value, 'type') : null
  if (!isFields(value) || type === null) return GARBAGE
  const needs = Object.hasOwn(NEEDS, type) ? NEEDS[type] : undefined
  if (needs === undefined) return { kind: 'unknown', type }
  if (!needs.every(name => text(value, name))) return GARBAGE
  switch (type) {
    case 'run_started':
      return { kind: 'run_started', runId: String(value.run_id), source: textAt(value, 'pipeline_source') }
    case 'step_started':
      return { kind: 'step_started', stepId: String(value.step_id) }
    case 'step_completed':
      return { kind: 'step_completed', stepId: String(value.step_id), response: textAt(value, 'response') }
    case 'hitl_gate_reached':
      return gateOf('pause', value)
    case 'hitl_modify_reached':
      return gateOf('modify', value)
    case 'pipeline_completed':
      return { kind: 'pipeline_ended', failed: null }
    case 'pipeline_error':
      return { kind: 'pipeline_ended', failed: textAt(value, 'error') }
    case 'chat_ended':
      return { kind: 'chat_ended' }
    case 'runner_event':
      return runnerEvent(value)
    default:
      return { kind: 'known', type }
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function gateOf(kind: GateEvent['kind'], value: Fields): Event {
  const hash = hashOf(value)
  if (hash === null) return GARBAGE
  const [message, lastResponse] = [textAt(value, 'message'), textAt(value, 'last_response')]
  return { kind, hash, stepId: String(value.step_id), message, lastResponse }
}

function runnerEvent({ event }: Fields): Event {
  const type = isFields(event) ? textAt(event, 'type') : null
  if (!isFields(event) || type === null) return GARBAGE
  const needs = Object.hasOwn(RUNNER_EVENTS, type) ? RUNNER_EVENTS[type] : undefined
  if (needs === undefined) return { kind: 'unknown', type }
  if (!needs.every(name => text(event, name))) return GARBAGE
  if (type !== 'permission_requested') return { kind: 'known', type }
  const hash = hashOf(event)
  if (hash === null) return GARBAGE
  const [name, detail] = [String(event.display_name), textAt(event, 'display_detail') ?? '']
  return { kind: 'permission', hash, name, detail, input: event.tool_input }
}

/** Null for what has no canonical text: half a character, a number beyond all numbers. */
function hashOf(value: Fields): Hash | null {
  try {
    return sha256(canonical(value))
  } catch {
    return null
  }
}
