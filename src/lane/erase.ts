// Forgets the raw words of every reply to a request; the entries and their hashes stay.
import type { Case } from '../agenda/case.js'
import type { Entry } from '../event.js'
import type { Store } from '../ledger/contract.js'
import type { Recorder } from '../record/record.js'

type Eraser = Pick<Recorder, 'record'> & {
  readonly store: Store
  readonly current: (requestId: string) => Promise<Case | null>
}

/** The replies that were erased; null for no such request. */
export async function erase(parts: Eraser, requestId: string, by: string): Promise<readonly string[] | null> {
  const known = await parts.current(requestId)
  if (known === null) return null
  const erased: string[] = []
  // A reply that comes meanwhile is found by the next look.
  for (;;) {
    const kept = await keptReplies(parts.store, requestId)
    if (kept.length === 0) return erased
    await parts.record(requestId, () => ({
      tell: () => ({
        events: kept.map(reply_id => ({ type: 'RAW_ERASED' as const, body: { reply_id, by } })),
        shelve: kept.map(reply_id => ({ put: 'erasure' as const, reply_id })),
      }),
    }))
    erased.push(...kept)
  }
}

async function keptReplies({ ledger, shelf }: Store, requestId: string): Promise<readonly string[]> {
  const replies = (await ledger.story(requestId)).flatMap(replyOf)
  const raws = await Promise.all(replies.map(id => shelf.raw(id)))
  return replies.filter((_, index) => raws[index] !== null)
}

const replyOf = (entry: Entry): readonly string[] =>
  entry.type === 'HUMAN_REPLY_EVENT' || entry.type === 'INBOUND_REPLY_REJECTED' ? [entry.body.reply_id] : []
