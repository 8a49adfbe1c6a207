// Forgets the raw words of every reply to a request, and the contents that came with it; the entries and their hashes
// stay. A content is left alone while another open request of its key names it.
import { type Case, fold, isOpen } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import type { Entry } from '../event.js'
import type { Store } from '../ledger/contract.js'
import { isRecorded } from '../ledger/replay/reading.js'
import type { Recorder } from '../record/record.js'
import { fixedHandlesOf } from '../request/display.js'

type Eraser = Pick<Recorder, 'record'> & {
  readonly store: Store
  readonly current: (requestId: string) => Promise<Case | null>
}

export type Erased =
  | { readonly kind: 'erased'; readonly replies: readonly string[]; readonly contents: readonly Hash[] }
  /** An open request of the same key names a content: nothing was erased. */
  | { readonly kind: 'in_use'; readonly handle: Hash; readonly request_id: string }

/** Requests looked at together. */
const PAGE = 64
/** A key that opens requests faster than they can be looked at is tried again this often. */
const TRIES = 100

/** Null for no such request. */
export async function erase(parts: Eraser, requestId: string, by: string): Promise<Erased | null> {
  const subject = await parts.current(requestId)
  if (subject === null) return null
  const contents = await eraseContents(parts, subject, by)
  if (!Array.isArray(contents)) return contents
  return { kind: 'erased', replies: await eraseReplies(parts, requestId, by), contents }
}

async function eraseReplies(parts: Eraser, requestId: string, by: string): Promise<readonly string[]> {
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

const replyOf = (entry: Entry): readonly string[] => (isRecorded(entry) ? [entry.body.reply_id] : [])

/** What a request that is opened meanwhile brings or names is kept: then the open ones are looked at again. */
async function eraseContents(
  { store, record }: Eraser,
  { request_id, opened_by, contents }: Case,
  by: string,
): Promise<Hash[] | Extract<Erased, { kind: 'in_use' }>> {
  for (let tries = 0; tries < TRIES; tries++) {
    const handles = [
      ...(
        await store.shelf.ownBlobs(
          opened_by,
          contents.map(({ handle }) => handle),
        )
      ).keys(),
    ]
    if (handles.length === 0) return []
    const { size: since } = await store.ledger.head()
    const used = await useOf(store, opened_by, handles)
    if (used !== null) return used
    const result = await record(request_id, () => ({
      tell: () => ({
        events: handles.map(handle => ({ type: 'CONTENT_ERASED' as const, body: { handle, by } })),
        shelve: handles.map(handle => ({ put: 'content_erasure' as const, handle, key_id: opened_by })),
      }),
      guards: [{ kind: 'unopened', opened_by, since }],
    }))
    if (result.kind === 'recorded') return handles
  }
  throw new Error('the key opens requests faster than its contents can be erased')
}

/** What an open request names, and what was recorded with it: an artifact is not named. */
const needsOf = ({ request, contents }: Case): readonly Hash[] => [
  ...fixedHandlesOf(request),
  ...contents.map(({ handle }) => handle),
]

/** An open request of this key that needs one of these. */
async function useOf(
  { ledger }: Store,
  opened_by: string,
  handles: readonly Hash[],
): Promise<Extract<Erased, { kind: 'in_use' }> | null> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await ledger.list({ open: true, opened_by, before, limit: PAGE })
    for (const { request_id } of page) {
      const subject = fold(await ledger.story(request_id))
      const named = subject !== null && isOpen(subject) ? needsOf(subject) : []
      const handle = handles.find(one => named.includes(one))
      if (handle !== undefined) return { kind: 'in_use', handle, request_id }
    }
    const last = page.at(-1)
    if (last === undefined) return null
    before = last.opened_seq
  }
}
