// I35: answers that a passkey has confirmed. The evidence stands directly before the reply is announced, so that nothing
// comes between the reply and what it resolves.
import type { Entry, EntryOf } from '../../event.js'
import type { Proof } from '../../request/channel.js'
import { isByPasskey } from '../../request/way.js'
import type { Book } from './book.js'
import { type Flaw, flaw } from './invariants.js'

type Registered = EntryOf<'PASSKEY_REGISTERED'>
type Announced = EntryOf<'INBOUND_REPLY_RECEIVED'>

export function learnPasskey({ passkeys, credentials }: Book, { body }: Registered): Flaw | null {
  const { user_id, credential_hash, by } = body
  passkeys.add(ownerOf(user_id, by))
  if (credentials.has(credential_hash)) return flaw('I35', 'the passkey was registered before')
  credentials.add(credential_hash)
  return null
}

const ownerOf = (userId: string, by: Registered['body']['by']): string => `${by} ${userId}`

/** Evidence is that of the reply that is announced next. */
export const isEvidenceOf = (before: Entry | null, next: Entry): next is Announced =>
  before?.type === 'REPLY_EVIDENCE' &&
  next.type === 'INBOUND_REPLY_RECEIVED' &&
  next.request_id === before.request_id &&
  next.body.reply_id === before.body.reply_id

export function hearAnnouncement(book: Book, entry: Announced): void {
  book.isConfirmed = isEvidenceOf(book.previous, entry)
}

/** Asked of a reply that its announcement stands directly before. */
export function flawOfConfirmation(
  { isConfirmed, passkeys }: Book,
  userId: string,
  proof: Proof,
): Flaw | null {
  if (!isByPasskey(proof))
    return isConfirmed ? flaw('I35', 'there is evidence of a passkey, and another proof') : null
  if (!isConfirmed) return flaw('I35', 'no REPLY_EVIDENCE of this reply stands before it')
  const by = proof === 'passkey' ? 'person' : 'operator'
  return passkeys.has(ownerOf(userId, by)) ? null : flaw('I35', `${userId} had no such passkey`)
}
