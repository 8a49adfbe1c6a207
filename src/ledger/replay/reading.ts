// A stored reply, read again: it must be the reply that was hashed, and mean what it meant.
import { sha256 } from '../../canonical.js'
import { type Compiled, compilerOf } from '../../compiler/compile.js'
import type { ReplySchema } from '../../compiler/reply-schema.js'
import type { EntryOf } from '../../event.js'
import type { RawReply } from '../contract.js'
import { isSame } from '../invariant/answer.js'

export type Recorded = EntryOf<'HUMAN_REPLY_EVENT' | 'INBOUND_REPLY_REJECTED'>

/** The refusals that the words alone decide; every other came before the right was proven,
 *  and nothing was compiled. */
const OF_THE_WORDS: ReadonlySet<string> = new Set([
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
])

/** The reason a stored reply does not lead to the recorded entry, or null. */
export function flawOfReading(
  raw: RawReply,
  entry: Recorded,
  schema: ReplySchema | null,
  grammar: string,
): string | null {
  if (sha256(raw.salt, raw.raw) !== entry.body.raw_text_hash)
    return 'the stored reply is not the one recorded'
  if (entry.type === 'INBOUND_REPLY_REJECTED' && !OF_THE_WORDS.has(entry.body.reason)) return null
  if (schema === null) return 'the words of a reply were judged though its request was not open'
  const compiled = compilerOf(grammar)?.(schema, raw.raw)
  if (compiled === undefined)
    return `the reply was read by grammar ${JSON.stringify(grammar)}, which is not known here`
  return flawOfCompiling(compiled, entry)
}

function flawOfCompiling(compiled: Compiled, entry: Recorded): string | null {
  if (entry.type === 'HUMAN_REPLY_EVENT') {
    if (!compiled.ok) return `recorded as an answer, compiled to ${compiled.reason}`
    return isSame(compiled.answer, entry.body) ? null : 'compiled to another answer than the one recorded'
  }
  if (compiled.ok) return `recorded as ${entry.body.reason}, compiled to an answer`
  if (compiled.reason === entry.body.reason) return null
  return `recorded as ${entry.body.reason}, compiled to ${compiled.reason}`
}
