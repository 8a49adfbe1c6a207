// One decision of a form: the schema it is answered by, and its answer. What holds for a reply of that kind holds for
// the decision's line.

import type { Answer, CompileReason, Decided } from './answer.js'
import { readPattern } from './pattern.js'
import type { Decision } from './reply-schema.js'
import { type PlainSchema, read } from './stages.js'

/** Code points of a text that names no bound of its own. */
const MAX_TEXT_CHARS = 500
/** The grammar's own range: 15 digits before the point. */
const LARGEST = 999_999_999_999_999

export function schemaOf(decision: Decision): PlainSchema {
  switch (decision.type) {
    case 'approval':
      return { kind: 'yes_no', ...(decision.reason !== undefined && { reason: decision.reason }) }
    case 'choice':
      return { kind: 'choice', options: decision.options }
    case 'multi_choice': {
      const { options, constraints } = decision
      return {
        kind: 'multi_choice',
        options,
        min: constraints?.min ?? 1,
        max: constraints?.max ?? options.length,
      }
    }
    case 'text':
      return { kind: 'text', max_chars: decision.constraints?.max ?? MAX_TEXT_CHARS }
    case 'number': {
      const { min = -LARGEST, max = LARGEST } = decision.constraints ?? {}
      return { kind: 'number', min, max }
    }
    case 'date':
      return { kind: 'date' }
  }
}

export function readDecision(decision: Decision, said: string): Decided | CompileReason {
  const reading = read(schemaOf(decision), said)
  if (typeof reading === 'string') return reading
  return fitsText(decision, reading) ? decided(decision, reading) : 'reply_not_in_schema'
}

/** The conditions that a text has in a form and nowhere else. */
function fitsText(decision: Decision, { parsed_payload: payload }: Answer): boolean {
  if (decision.type !== 'text' || payload === null || !('text' in payload)) return true
  const { min = 1, pattern } = decision.constraints ?? {}
  if ([...payload.text].length < min) return false
  return pattern === undefined || (readPattern(pattern)?.isFoundIn(payload.text) ?? false)
}

function decided(
  { type }: Decision,
  { parsed_choice, parsed_payload: payload }: Answer,
): Decided | CompileReason {
  if (type === 'approval') return { approved: parsed_choice === 'YES' }
  if (parsed_choice !== null) return { selected: parsed_choice }
  if (payload === null) return 'reply_not_in_schema'
  if ('selected' in payload) return { selected: payload.selected }
  if ('text' in payload) return { value: payload.text }
  if ('number' in payload) return { value: payload.number }
  return 'date' in payload ? { value: payload.date } : 'reply_not_in_schema'
}

type Value = NonNullable<Decision['default']>

/** Whether a value could be recorded as the answer to this decision, exactly as it is. */
export function isAnswerTo(decision: Decision, value: Value): boolean {
  const read = readDecision(decision, spelt(value))
  return typeof read !== 'string' && isSameValue(worthOf(read), value)
}

const worthOf = (decided: Decided): Value =>
  'approved' in decided ? decided.approved : 'selected' in decided ? decided.selected : decided.value

function spelt(value: Value): string {
  if (typeof value === 'boolean') return value ? 'YES' : 'NO'
  return typeof value === 'object' ? value.join(',') : String(value)
}

const isSameValue = (one: Value, other: Value): boolean =>
  typeof one === 'object' && typeof other === 'object'
    ? one.length === other.length && one.every(value => other.includes(value))
    : one === other
