// I13: whether a value is an answer of a schema. An answer, written out, is itself a reply; it is one of the schema's
// exactly if the compiler reads it back as the same answer.
import { compilerOf } from '../../compiler/compile.js'
import type { ReplySchema } from '../../compiler/reply-schema.js'
import type { Body } from '../../event.js'
import { textOf } from './line.js'

type Parsed = Pick<Body<'HUMAN_REPLY_EVENT'>, 'parsed_choice' | 'parsed_payload'>

/** Judged by the grammar the reply was read by; an unknown grammar reads nothing. */
export function isInSchema(schema: ReplySchema, grammar: string, parsed: Parsed): boolean {
  const compiled = compilerOf(grammar)?.(schema, write(parsed))
  return compiled?.ok === true && isSame(compiled.answer, parsed)
}

function write({ parsed_choice, parsed_payload: payload }: Parsed): string {
  if (payload === null) return parsed_choice ?? ''
  if ('selected' in payload) return payload.selected.join(',')
  if ('text' in payload) return payload.text
  if ('number' in payload) return String(payload.number)
  return payload.date
}

export const isSame = (one: Parsed, other: Parsed): boolean =>
  one.parsed_choice === other.parsed_choice && textOf(one.parsed_payload) === textOf(other.parsed_payload)
