// A form is answered in lines, `d1 yes`: each names a decision and is compiled by that decision's own schema. A reply
// may answer some of the decisions and leave the others; what it says, it says whole.
//
// GF1  All lines of a reply are accepted or none.
// GF2  A decision is answered once in a reply; a line for none of them is refused.
// GF3  The answers stand in the form's order, so that the same reply is always the same value.

import {
  type Answer,
  COMPILE_REASONS,
  type CompileReason,
  carried,
  type DecisionAnswer,
  type Remark,
} from './answer.js'
import { isSame } from './ascii.js'
import { readDecision, schemaOf } from './decision.js'
import { describeDecision, describeReply } from './describe.js'
import { quote } from './quote.js'
import { type Fields, isGiven, reasonOf } from './reason.js'
import type { Decision, FormSchema } from './reply-schema.js'
import { apart, isUnicode } from './stages.js'
import { trimmed } from './trim.js'

/** UTF-16 units: fifty lines of the longest text and its reason, and room for blanks. */
const MAX_FORM_UNITS = 65_536
/** More faults than decisions are told by the first of them. */
const MAX_FAULTS = 50

/** A line that was not understood. */
export type Fault = {
  /** Null for a line that names no decision. */
  readonly decision_id: string | null
  readonly reason: CompileReason
  readonly read: string
  readonly accepted: string
}

type FormReading = {
  /** Of the lines that were understood. */
  readonly answer: Answer
  /** The decisions that the reply names, understood or not. */
  readonly named: readonly string[]
  readonly remarks: readonly Remark[]
  /** The first of those that come first in the order of the checks, then the others as they stand. */
  readonly faults: readonly [Fault, ...Fault[]] | null
}

export function readForm(schema: FormSchema, reply: string, fields: Fields): FormReading {
  const whole = flawOfWhole(reply)
  if (whole !== null) return refused([faultOf(schema, null, whole, reply)])
  const answered = new Map<Decision, { readonly answer: DecisionAnswer; readonly remark: Remark | null }>()
  const faults: Fault[] = []
  for (const line of linesOf(reply)) {
    const read = readLine(schema, line, fields)
    const isRepeated = 'answer' in read && answered.has(read.decision)
    if (isRepeated) faults.push(faultOf(schema, read.decision, 'reply_not_in_schema', line))
    else if ('answer' in read) answered.set(read.decision, read)
    else faults.push(read)
    if (faults.length === MAX_FAULTS) break
  }
  faults.push(
    ...unanswered(
      schema,
      fields,
      [...answered.keys()].map(({ id }) => id),
      faults,
    ),
  )
  const inOrder = schema.decisions.flatMap(decision => answered.get(decision) ?? [])
  if (inOrder.length === 0 && faults.length === 0)
    faults.push(faultOf(schema, null, 'reply_not_in_schema', reply))
  return {
    answer: carried({ decisions: inOrder.map(({ answer }) => answer) }),
    named: [...inOrder.map(({ answer }) => answer), ...faults].flatMap(
      ({ decision_id }) => decision_id ?? [],
    ),
    remarks: inOrder.flatMap(({ remark }) => remark ?? []),
    faults: gravestFirst(faults),
  }
}

function flawOfWhole(reply: string): CompileReason | null {
  if (reply.length > MAX_FORM_UNITS) return 'reply_too_long'
  return isUnicode(reply) ? null : 'reply_bad_charset'
}

const refused = (faults: readonly [Fault]): FormReading => ({
  answer: carried({ decisions: [] }),
  named: [],
  remarks: [],
  faults,
})

const linesOf = (reply: string): string[] =>
  trimmed(reply)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(trimmed)
    .filter(line => line !== '')

type Line = { readonly decision: Decision; readonly answer: DecisionAnswer; readonly remark: Remark | null }

function readLine(schema: FormSchema, line: string, fields: Fields): Line | Fault {
  const space = line.indexOf(' ')
  const end = space === -1 ? line.length : space
  const decision = schema.decisions.find(({ id }) => isSame(id, line.slice(0, end)))
  if (decision === undefined) return faultOf(schema, null, 'reply_not_in_schema', line)
  const { said, why } = apart(schemaOf(decision), line.slice(end))
  const decided = readDecision(decision, said)
  if (typeof decided === 'string') return faultOf(schema, decision, decided, line)
  const isNo = 'approved' in decided && !decided.approved
  const reason = reasonOf({ asked: decision.reason, why, field: fields[fieldOf(decision)], isNo })
  if (typeof reason === 'string') return faultOf(schema, decision, reason, line)
  const { words } = reason
  return {
    decision,
    answer: { decision_id: decision.id, ...decided },
    remark: words === null ? null : { about: decision.id, words },
  }
}

/** The field of a decision's comment. */
const fieldOf = ({ id }: Decision): string => `c.${id}`

/** Words beside the reply that explain no line of it. */
function unanswered(
  schema: FormSchema,
  fields: Fields,
  answered: readonly string[],
  faults: readonly Fault[],
): Fault[] {
  const named = new Set([...answered, ...faults.map(({ decision_id }) => decision_id)])
  return Object.keys(fields).flatMap(name => {
    const decision = schema.decisions.find(one => fieldOf(one) === name)
    if (!isGiven(fields[name]) || (decision !== undefined && named.has(decision.id))) return []
    return [faultOf(schema, decision ?? null, 'reply_not_in_schema', fields[name] ?? '')]
  })
}

function faultOf(schema: FormSchema, decision: Decision | null, reason: CompileReason, read: string): Fault {
  return {
    decision_id: decision?.id ?? null,
    reason,
    read: quote(read),
    accepted: decision === null ? describeReply(schema) : describeDecision(decision),
  }
}

/** The checks are named in one order, and the ledger says that those before the reason held. */
function gravestFirst(faults: readonly Fault[]): FormReading['faults'] {
  const gravest = COMPILE_REASONS.flatMap(reason => faults.find(fault => fault.reason === reason) ?? [])[0]
  return gravest === undefined ? null : [gravest, ...faults.filter(fault => fault !== gravest)]
}
