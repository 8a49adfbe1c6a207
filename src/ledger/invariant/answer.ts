// I13: whether a value is an answer of a schema. An answer, written out, is itself a reply; it is one of the schema's
// exactly if the compiler reads it back as the same answer. The words of a reason are beside the ledger: any word in
// their place tells whether one may stand there.
import { type Answer, compilerOf, type DecisionAnswer, type Fields } from '../../compiler/compile.js'
import type { ReplySchema } from '../../compiler/reply-schema.js'
import type { Body } from '../../event.js'
import { textOf } from './line.js'

type Parsed = Pick<Body<'HUMAN_REPLY_EVENT'>, 'parsed_choice' | 'parsed_payload'>

/** Judged by the grammar the reply was read by; an unknown grammar reads nothing. */
export function isInSchema(schema: ReplySchema, grammar: string, parsed: Parsed): boolean {
  const compiled = compilerOf(grammar)?.(schema, write(parsed), fieldsOf(parsed))
  return compiled?.ok === true && isSame(compiled.answer, parsed)
}

function write({ parsed_choice, parsed_payload: payload }: Parsed): string {
  if (payload === null || 'reason_hash' in payload) return parsed_choice ?? ''
  if ('decisions' in payload) return payload.decisions.map(line).join('\n')
  if ('selected' in payload) return payload.selected.join(',')
  if ('text' in payload) return payload.text
  if ('number' in payload) return String(payload.number)
  return payload.date
}

type Replied = Extract<Parsed['parsed_payload'], { decisions: unknown }>['decisions'][number]

function line(decision: Replied): string {
  const { decision_id: id } = decision
  if ('approved' in decision) return `${id} ${decision.approved ? 'YES' : 'NO'}`
  return `${id} ${'selected' in decision ? [decision.selected].flat().join(',') : decision.value}`
}

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
