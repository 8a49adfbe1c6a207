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
  const owner = ownerOf(user_id, by)
  passkeys.set(owner, (passkeys.get(owner) ?? new Set()).add(credential_hash))
  if (credentials.has(credential_hash)) return flaw('I35', 'the passkey was registered before')
  credentials.add(credential_hash)
  return null
}

export function forgetPasskey({ passkeys }: Book, { body }: EntryOf<'PASSKEY_REVOKED'>): Flaw | null {
  const { user_id, credential_hash } = body
  const gone = BY.filter(by => passkeys.get(ownerOf(user_id, by))?.delete(credential_hash))
  return gone.length > 0 ? null : flaw('I35', `${user_id} had no such passkey to be taken back`)
}

type By = Registered['body']['by']
const BY = ['person', 'operator'] as const satisfies readonly By[]
const ownerOf = (userId: string, by: By): string => `${by} ${userId}`

/** By whose word a passkey is theirs that gives this proof; null where it is not a passkey's. */
export const byOf = (proof: Proof): By | null =>
  isByPasskey(proof) ? (proof === 'passkey' ? 'person' : 'operator') : null

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
  const by = byOf(proof)
  if (by === null)
    return isConfirmed ? flaw('I35', 'there is evidence of a passkey, and another proof') : null
  if (!isConfirmed) return flaw('I35', 'no REPLY_EVIDENCE of this reply stands before it')
  const theirs = passkeys.get(ownerOf(userId, by))?.size ?? 0
  return theirs > 0 ? null : flaw('I35', `${userId} had no such passkey`)
}
