// String → answer, by the published grammar (docs/spec/reply-grammar.md) and nothing else. The stages stand in the
// order of that page; the first that refuses gives the reason.
//
// G1  Total: every string under every valid schema gives a value; nothing throws.
// G2  Deterministic: schema, string and fields alone decide; the room imports types from outside, and one pinned
//     library for patterns.
// G3  Whole-string: an answer is all of the reply.
// G4  Linear: the length is bounded first, and no stage goes back over characters it has passed.

import type { Answer, CompileReason, Remark } from './answer.js'
import { describeAnswer } from './describe.js'
import { type Fault, readForm } from './form.js'
import { quote } from './quote.js'
import { type Fields, isGiven, reasonOf } from './reason.js'
import type { AskedReason, FormSchema, ReplySchema } from './reply-schema.js'
import { apart, type PlainSchema, read } from './stages.js'

export { type Answer, type DecisionAnswer, decisionsOf, type Payload, type Remark } from './answer.js'
export type { Fault } from './form.js'
export type { Fields } from './reason.js'

/** Recorded with every compiled reply. A change that gives any string another result needs another version. */
export const GRAMMAR = '2'

export type Refusal = {
  readonly ok: false
  readonly reason: CompileReason
  /** The beginning of the reply, everything invisible spelt out. Still a stranger's text: escape it where shown. */
  readonly read: string
  /** One sentence: what would have been understood. */
  readonly accepted: string
  /** Of a form: every line that was not understood, this one first. */
  readonly lines?: readonly Fault[]
  /** Of a form: the decisions that the reply names, understood or not. */
  readonly named?: readonly string[]
}
export type Compiled =
  | {
      readonly ok: true
      readonly answer: Answer
      /** Absent where nobody said why. */
      readonly remarks?: readonly Remark[]
    }
  | Refusal

const NO_FIELDS: Fields = {}

export function compile(schema: ReplySchema, reply: string, fields: Fields = NO_FIELDS): Compiled {
  if (schema.kind === 'form') return compileForm(schema, reply, fields)
  // Most replies are one word, and nobody is asked why.
  if (fields !== NO_FIELDS || reasonAsked(schema) !== undefined)
    return compileExplained(schema, reply, fields)
  const answer = read(schema, reply)
  return typeof answer === 'string' ? refusal(schema, reply, answer) : { ok: true, answer }
}

const reasonAsked = (schema: PlainSchema): AskedReason | undefined =>
  schema.kind === 'yes_no' || schema.kind === 'choice' ? schema.reason : undefined

const refusal = (schema: PlainSchema, reply: string, reason: CompileReason): Refusal => ({
  ok: false,
  reason,
  read: quote(reply),
  accepted: describeAnswer(schema),
})

function compileExplained(schema: PlainSchema, reply: string, fields: Fields): Compiled {
  const refused = (reason: CompileReason): Refusal => refusal(schema, reply, reason)
  const { said, why } = apart(schema, reply)
  const answer = read(schema, said)
  if (typeof answer === 'string') return refused(answer)
  if (Object.keys(fields).some(name => name !== 'reason' && isGiven(fields[name])))
    return refused('reply_not_in_schema')
  const asked = reasonAsked(schema)
  const reason = reasonOf({ asked, why, field: fields.reason, isNo: isRefusal(schema, answer) })
  if (typeof reason === 'string') return refused(reason)
  return explained(answer, reason.words === null ? [] : [{ about: null, words: reason.words }])
}

const isRefusal = ({ kind }: PlainSchema, { parsed_choice }: Answer): boolean =>
  kind === 'yes_no' && parsed_choice === 'NO'

function compileForm(schema: FormSchema, reply: string, fields: Fields): Compiled {
  const { answer, remarks, faults, named } = readForm(schema, reply, fields)
  if (faults === null) return explained(answer, remarks)
  const [{ reason, read, accepted }] = faults
  return { ok: false, reason, read, accepted, lines: faults, named }
}

const explained = (answer: Answer, remarks: readonly Remark[]): Compiled =>
  remarks.length === 0 ? { ok: true, answer } : { ok: true, answer, remarks }

type Compile = typeof compile
/** Every grammar by which replies were ever read. "1" knew neither forms nor reasons; all that it read, "2" reads the
 *  same. */
const COMPILERS: Readonly<Record<string, Compile>> = {
  '1': (schema, reply) => compile(schema, reply),
  '2': compile,
}

/** Null for a grammar that is not known here. */
export const compilerOf = (grammar: string): Compile | null =>
  Object.hasOwn(COMPILERS, grammar) ? (COMPILERS[grammar] ?? null) : null
