// I13: whether a value is an answer of a schema. An answer, written out, is itself a reply; it is one of the schema's
// exactly if the compiler reads it back as the same answer. The words of a reason are beside the ledger: any word in
// their place tells whether one may stand there.
import { type Answer, compilerOf, type DecisionAnswer, type Fields } from '../../compiler/compile.js'
import type { ReplySchema } from '../../compiler/reply-schema.js'
import { writeAnswer } from '../../compiler/write.js'
import type { Body } from '../../event.js'
import { textOf } from './line.js'

type Parsed = Pick<Body<'HUMAN_REPLY_EVENT'>, 'parsed_choice' | 'parsed_payload'>

/** Judged by the grammar the reply was read by; an unknown grammar reads nothing. */
export function isInSchema(schema: ReplySchema, grammar: string, parsed: Parsed): boolean {
  const compiled = compilerOf(grammar)?.(schema, writeAnswer(parsed), fieldsOf(parsed))
  return compiled?.ok === true && isSame(compiled.answer, parsed)
}

type Replied = Extract<Parsed['parsed_payload'], { decisions: unknown }>['decisions'][number]

const A_WORD = 'x'

function fieldsOf({ parsed_payload: payload }: Parsed): Fields {
  if (payload !== null && 'reason_hash' in payload) return { reason: A_WORD }
  if (payload === null || !('decisions' in payload)) return {}
  const commented = payload.decisions.filter(({ comment_hash }) => comment_hash !== undefined)
  return Object.fromEntries(commented.map(({ decision_id }) => [`c.${decision_id}`, A_WORD]))
}

/** Whether a recorded answer is the compiled one, but for the hashes of its reasons. */
export const isSame = (compiled: Answer, recorded: Parsed): boolean =>
  compiled.parsed_choice === recorded.parsed_choice &&
  textOf(compiled.parsed_payload) === textOf(withoutHashes(recorded.parsed_payload))

function withoutHashes(payload: Parsed['parsed_payload']): unknown {
  if (payload === null || 'reason_hash' in payload) return null
  return 'decisions' in payload ? { decisions: payload.decisions.map(bare) } : payload
}

function bare({ comment_hash, ...decision }: Replied): DecisionAnswer {
  return decision as DecisionAnswer
}
