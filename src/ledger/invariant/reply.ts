// I10, I13–I16, I24: replies that were let in as answers, and replies that were not.
import type { Hash } from '../../canonical.js'
import type { Check, EntryOf } from '../../event.js'
import { REASONS_OF, type Reason } from '../../reason.js'
import type { Rules } from '../../rules.js'
import { isInSchema } from './answer.js'
import { type Book, type Open, rulesOf, type Story } from './book.js'
import { isIssued } from './delivery.js'
import { type Flaw, flaw } from './invariants.js'
import { hashText } from './line.js'

/** The checks stand in their fixed order and all hold; for a rejection all but the last, which is the reason. */
function isReceipt(checks: readonly Check[], reason: Reason | null, rules: Rules): boolean {
  const reasons: readonly string[] = REASONS_OF[rules]
  const failing = reason === null ? reasons.length : reasons.indexOf(reason)
  return (
    checks.length === Math.min(failing + 1, reasons.length) &&
    checks.every(({ check, ok }, index) => check === reasons[index] && ok === (index !== failing))
  )
}

export function checkRejection(
  book: Book,
  story: Story,
  { body }: EntryOf<'INBOUND_REPLY_REJECTED'>,
): Flaw | null {
  if (!isReceipt(body.token_validation, body.reason, rulesOf(book))) {
    return flaw('I24', `the checks do not lead to ${body.reason}`)
  }
  return story.deliveries.has(body.delivery_id) ? null : flaw('I14', 'the request has no such delivery')
}

export function checkReceived(
  book: Book,
  story: Story,
  { body }: EntryOf<'INBOUND_REPLY_RECEIVED'>,
): Flaw | null {
  if (story.open === null) return flaw('I7', 'a reply was accepted after the resolution')
  if (isReceipt(body.token_validation, null, rulesOf(book))) return null
  return flaw('I24', 'the checks of an accepted reply are not all there, or do not all hold')
}

type Accepted = EntryOf<'HUMAN_REPLY_EVENT'>

export function checkAccepted(book: Book, story: Story, entry: Accepted): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I7', 'a reply was accepted after the resolution')
  const { seq, at, body: reply } = entry
  open.replies.push({ seq, at, event_hash: announcedBy(book) ?? NO_HASH, reply })
  return (
    flawOfReceipt(book, entry) ??
    flawOfAnswer(open, entry) ??
    flawOfSender(story, open, entry) ??
    spend(book, entry)
  )
}

const NO_HASH: Hash = 'sha256:'
const announcedBy = ({ previous }: Book): Hash | null =>
  previous?.type === 'INBOUND_REPLY_RECEIVED' ? previous.body.event_hash : null

function flawOfReceipt({ previous }: Book, { body, request_id }: Accepted): Flaw | null {
  if (body.request_id !== request_id) return flaw('I4', 'the body names another request than its entry')
  if (previous?.type !== 'INBOUND_REPLY_RECEIVED' || previous.body.reply_id !== body.reply_id) {
    return flaw('I24', 'no INBOUND_REPLY_RECEIVED of this reply stands directly before it')
  }
  if (previous.body.event_hash === hashText('', body)) return null
  return flaw('I24', 'it is not the event that INBOUND_REPLY_RECEIVED has hashed')
}

function flawOfAnswer({ deadline_at, request }: Open, { at, body }: Accepted): Flaw | null {
  if (at >= deadline_at) return flaw('I10', `accepted though ${deadline_at} had come`)
  return isInSchema(request.reply_schema, body.grammar, body)
    ? null
    : flaw('I13', 'the answer is not in the reply schema')
}

function flawOfSender(story: Story, open: Open, { body }: Accepted): Flaw | null {
  const { user_id } = body.sender_identity
  if (!open.recipients.some(one => one.user_id === user_id))
    return flaw('I16', `${user_id} is not a recipient`)
  const placing = story.deliveries.get(body.delivery_id)
  if (placing === undefined || !isIssued(placing, body.receipts.token_hash)) {
    return flaw('I14', 'the token was not issued for this delivery')
  }
  const { recipient } = placing
  return recipient === user_id ? null : flaw('I14', `the token was issued to ${recipient}, not to ${user_id}`)
}

function spend(book: Book, { body }: Accepted): Flaw | null {
  const { channel, provider_message_id, receipts } = body
  if (book.acceptedTokens.has(receipts.token_hash)) return flaw('I15', 'the token was accepted before')
  book.acceptedTokens.add(receipts.token_hash)
  if (provider_message_id === undefined) return null
  const message = `${channel}/${provider_message_id}`
  if (book.acceptedMessages.has(message)) return flaw('I15', 'the message was accepted before')
  book.acceptedMessages.add(message)
  return null
}
