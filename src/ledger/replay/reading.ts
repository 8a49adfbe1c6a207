// A stored reply, read again: it must be the reply that was hashed, and mean what it meant.
import { type Hash, sha256 } from '../../canonical.js'
import { type Compiled, compilerOf } from '../../compiler/compile.js'
import { readDelegation, whoIsMeant } from '../../compiler/delegate.js'
import type { ReplySchema } from '../../compiler/reply-schema.js'
import type { Entry, EntryOf } from '../../event.js'
import { hashRemark, type KeptRemark, readBeside } from '../beside.js'
import { isSame } from '../invariant/answer.js'
import type { RawReply } from '../shelf.js'

type Compiling = EntryOf<'HUMAN_REPLY_EVENT' | 'INBOUND_REPLY_REJECTED'>
type Handing = Required<EntryOf<'REQUEST_DELEGATED'>['body']>
/** An entry that rests on somebody's words. */
export type Recorded = Compiling | (EntryOf<'REQUEST_DELEGATED'> & { readonly body: Handing })

export const isRecorded = (entry: Entry): entry is Recorded =>
  entry.type === 'HUMAN_REPLY_EVENT' ||
  entry.type === 'INBOUND_REPLY_REJECTED' ||
  (entry.type === 'REQUEST_DELEGATED' && entry.body.by === 'person')

/** The refusals that the words alone decide; every other came before the right was proven,
 *  and nothing was compiled. */
const OF_THE_WORDS: ReadonlySet<string> = new Set([
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
  'reason_missing',
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
  if (entry.type === 'REQUEST_DELEGATED') return flawOfHanding(raw.raw, entry.body.to)
  if (entry.type === 'INBOUND_REPLY_REJECTED' && !OF_THE_WORDS.has(entry.body.reason)) return null
  // Words of a control for handing on are no answer, though in a text they would be one.
  if (entry.type === 'INBOUND_REPLY_REJECTED' && readDelegation(raw.raw) !== null) return null
  if (schema === null) return 'the words of a reply were judged though its request was not open'
  const { fields, remarks } = readBeside(raw.beside)
  const compiled = compilerOf(grammar)?.(schema, raw.raw, fields)
  if (compiled === undefined)
    return `the reply was read by grammar ${JSON.stringify(grammar)}, which is not known here`
  return flawOfCompiling(compiled, entry) ?? flawOfRemarks(compiled, entry, remarks)
}

/** Every reason that was given is kept, and has the hash its event gives. */
function flawOfRemarks(compiled: Compiled, entry: Recorded, kept: readonly KeptRemark[]): string | null {
  if (!compiled.ok || entry.type !== 'HUMAN_REPLY_EVENT') return null
  const said = compiled.remarks ?? []
  const recorded = hashesIn(entry.body.parsed_payload)
  if (said.length !== recorded.size) return 'compiled to other reasons than those recorded'
  const isSound = said.every(({ about, words }) => {
    const remark = kept.find(one => one.about === about)
    return remark?.words === words && hashRemark(remark) === recorded.get(about)
  })
  return isSound ? null : 'a stored reason is not the one recorded'
}

/** By the decision they explain; by null where the request is one decision. */
function hashesIn(
  payload: EntryOf<'HUMAN_REPLY_EVENT'>['body']['parsed_payload'],
): ReadonlyMap<string | null, Hash> {
  if (payload === null) return new Map()
  if ('reason_hash' in payload) return new Map([[null, payload.reason_hash]])
  if (!('decisions' in payload)) return new Map()
  return new Map(
    payload.decisions.flatMap(({ decision_id, comment_hash }) =>
      comment_hash === undefined ? [] : [[decision_id, comment_hash] as const],
    ),
  )
}

const flawOfHanding = (words: string, to: string): string | null =>
  whoIsMeant(readDelegation(words) ?? '', [to]) === to
    ? null
    : 'the words do not hand it to the person recorded'

function flawOfCompiling(compiled: Compiled, entry: Compiling): string | null {
  if (entry.type === 'HUMAN_REPLY_EVENT') {
    if (!compiled.ok) return `recorded as an answer, compiled to ${compiled.reason}`
    return isSame(compiled.answer, entry.body) ? null : 'compiled to another answer than the one recorded'
  }
  if (compiled.ok) return `recorded as ${entry.body.reason}, compiled to an answer`
  if (compiled.reason === entry.body.reason) return null
  return `recorded as ${entry.body.reason}, compiled to ${compiled.reason}`
}
