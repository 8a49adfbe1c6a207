// A stored reply, read again: it must be the reply that was hashed, and mean what it meant.
import { sha256 } from '../../canonical.js'
import { compile, GRAMMAR } from '../../compiler/compile.js'
import type { EntryOf } from '../../event.js'
import { REASONS } from '../../reason.js'
import type { ReplySchema } from '../../request/reply-schema.js'
import type { RawReply } from '../contract.js'
import { isSame } from '../invariant/answer.js'

export type Recorded = EntryOf<'HUMAN_REPLY_EVENT' | 'INBOUND_REPLY_REJECTED'>

/** The refusals that the words alone decide; for every other the right was not proven, and nothing was compiled. */
const OF_THE_WORDS: ReadonlySet<string> = new Set(REASONS.filter(reason => reason.startsWith('reply_')))

/** Why what is stored does not lead to what is recorded, or null. */
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
  if (grammar !== GRAMMAR)
    return `the reply was read by grammar ${JSON.stringify(grammar)}, which is not known here`
  return flawOfCompiling(raw, entry, schema)
}

function flawOfCompiling(raw: RawReply, entry: Recorded, schema: ReplySchema): string | null {
  const compiled = compile(schema, raw.raw)
  if (entry.type === 'HUMAN_REPLY_EVENT') {
    if (!compiled.ok) return `recorded as an answer, compiled to ${compiled.reason}`
    return isSame(compiled.answer, entry.body) ? null : 'compiled to another answer than the one recorded'
  }
  if (compiled.ok) return `recorded as ${entry.body.reason}, compiled to an answer`
  if (compiled.reason === entry.body.reason) return null
  return `recorded as ${entry.body.reason}, compiled to ${compiled.reason}`
}
