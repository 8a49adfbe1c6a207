// String → answer, by the published grammar (docs/spec/reply-grammar.md) and nothing else. The stages stand in the
// order of that page; the first that refuses gives the reason.
//
// G1  Total: every string under every valid schema gives a value; nothing throws.
// G2  Deterministic: schema and string alone decide; the room imports nothing but types from outside.
// G3  Whole-string: an answer is all of the reply.
// G4  Linear: the length is bounded first, and no stage goes back over characters it has passed.

import type { Answer, CompileReason, ReplyReading } from './answer.js'
import { isAscii } from './ascii.js'
import { readChoice } from './choice.js'
import { readDate } from './date.js'
import { describeAnswer } from './describe.js'
import { readMultiChoice } from './multi-choice.js'
import { readNumber } from './number.js'
import { quote } from './quote.js'
import type { ReplySchema } from './reply-schema.js'
import { readText } from './text.js'
import { trimmed } from './trim.js'
import { readYesNo } from './yes-no.js'

export type { Answer, Payload } from './answer.js'

/** Recorded with every compiled reply. A change that gives any string another result needs another version. */
export const GRAMMAR = '1'

/** UTF-16 units. The longest legal multi_choice, 26 values of 32 with ", " between and a final mark, has 883. */
const MAX_CLOSED_UNITS = 1024
/** UTF-16 units. 500 code points of NFC are at most 2000 units however they are composed. */
const MAX_TEXT_UNITS = 4096

export type Refusal = {
  readonly ok: false
  readonly reason: CompileReason
  /** The beginning of the reply, everything invisible spelt out. Still a stranger's text: escape it where shown. */
  readonly read: string
  /** One sentence: what would have been understood. */
  readonly accepted: string
}
export type Compiled = { readonly ok: true; readonly answer: Answer } | Refusal

export function compile(schema: ReplySchema, reply: string): Compiled {
  const reading = read(schema, reply)
  if (typeof reading !== 'string') return { ok: true, answer: reading }
  return { ok: false, reason: reading, read: quote(reply), accepted: describeAnswer(schema) }
}

type Compile = typeof compile
/** Every grammar by which replies were ever read. */
const COMPILERS: Readonly<Record<string, Compile>> = { '1': compile }

/** Null for a grammar that is not known here. */
export const compilerOf = (grammar: string): Compile | null =>
  Object.hasOwn(COMPILERS, grammar) ? (COMPILERS[grammar] ?? null) : null

const LONE_SURROGATE = /\p{Surrogate}/u

function read(schema: ReplySchema, reply: string): ReplyReading {
  if (reply.length > maxUnits(schema)) return 'reply_too_long'
  if (LONE_SURROGATE.test(reply)) return 'reply_bad_charset'
  const said = trimmed(reply)
  if (schema.kind !== 'text' && !isAscii(said)) return 'reply_bad_charset'
  return match(schema, said)
}

const maxUnits = (schema: ReplySchema): number => (schema.kind === 'text' ? MAX_TEXT_UNITS : MAX_CLOSED_UNITS)

function match(schema: ReplySchema, said: string): ReplyReading {
  switch (schema.kind) {
    case 'yes_no':
      return readYesNo(said)
    case 'choice':
      return readChoice(schema, said)
    case 'multi_choice':
      return readMultiChoice(schema, said)
    case 'text':
      return readText(schema, said)
    case 'number':
      return readNumber(schema, said)
    case 'date':
      return readDate(schema, said)
  }
}
