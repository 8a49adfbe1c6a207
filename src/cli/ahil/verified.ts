// What the lane says of a request: its case, and by its story who opened it, for what, and how it ended.
//
// AV1  A request counts for an entry only if this key opened it, and for the entry as it stands now: both are read from the
//      lane, not from a file.

import type { Hash } from '../../canonical.js'
import { call, jsonOf } from '../../client/call.js'
import { isOpen, readCase, type ShownCase } from '../../client/case.js'
import { ownKey } from '../../client/own-key.js'
import { storyOf } from '../../client/story.js'
import { eventHashIn } from '../../interop/ending.js'
import type { Fields } from '../../interop/fields.js'
import { pathOf } from '../requests.js'
import { type Troubled, troubled, type Watching } from '../watcher.js'

export type Verified = {
  readonly kind: 'verified'
  readonly subject: ShownCase
  readonly origin: Fields | null
  readonly askedBy: string | null
  /** Null while it is open. */
  readonly end: Hash | null
}

const strange = (detail: string): Troubled => ({ kind: 'trouble', code: 'not_a_lane', detail })

/** The case under this id, as the lane tells it. */
export async function caseOf({ endpoint }: Watching, id: string): Promise<ShownCase | Troubled> {
  const answer = await call(endpoint, { path: pathOf(id) })
  if (answer.kind !== 'answer') return troubled(answer)
  const subject = readCase(jsonOf(answer))
  return subject?.request_id === id ? subject : strange('the answer is no case of this id')
}

/** A resolved case with what its story says of it. */
export async function verify(watching: Watching, subject: ShownCase): Promise<Verified | Troubled> {
  if (isOpen(subject)) return { kind: 'verified', subject, origin: null, askedBy: null, end: null }
  const story = await storyOf(watching.endpoint, subject)
  if (story.kind !== 'story') return troubled(story)
  const opened = story.entries.find(({ type }) => type === 'REQUEST_OPENED')?.body
  if (opened === undefined) return strange('the story has no beginning')
  // A lane that was away when this began is asked now: without a key's name nothing is this key's.
  const keyId = watching.keyId ?? (await ownKey(watching.endpoint))?.id
  if (keyId === undefined || opened.opened_by !== keyId)
    return { kind: 'trouble', code: 'not_ours', detail: `${subject.request_id} was opened by another key` }
  const end = eventHashIn(story.entries)
  if (end === null) return strange('the story has no end')
  return {
    kind: 'verified',
    subject,
    origin: (opened.origin as Fields | undefined) ?? null,
    askedBy: typeof opened.asked_by === 'string' ? opened.asked_by : null,
    end: end as Hash,
  }
}

export const isAbout = ({ origin }: Verified, hash: Hash): boolean =>
  origin?.system === 'ahil' && origin.hash === hash
