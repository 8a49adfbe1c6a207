// A reply as a passkey confirms it: the answer in its one spelling, and the words that explain it beside it.
import { compile, type Fields, type Refusal } from './compile.js'
import { readDelegation } from './delegate.js'
import type { ReplySchema } from './reply-schema.js'
import { writeAnswer } from './write.js'

type Spelt = { readonly ok: true; readonly reply: string; readonly fields: Fields }

/** Words that hand the request on are spelt as they are. */
export function spell(schema: ReplySchema, reply: string, fields: Fields, hands: boolean): Spelt | Refusal {
  if (hands || (schema.kind !== 'text' && readDelegation(reply) !== null)) return { ok: true, reply, fields }
  const compiled = compile(schema, reply, fields)
  if (!compiled.ok) return compiled
  const given = (compiled.remarks ?? []).map(({ about, words }) => [
    about === null ? 'reason' : `c.${about}`,
    words,
  ])
  return { ok: true, reply: writeAnswer(compiled.answer), fields: Object.fromEntries(given) }
}
