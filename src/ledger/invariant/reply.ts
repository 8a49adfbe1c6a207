// I10, I13–I16, I24: replies that were let in as answers, and replies that were not.
import { has, holds, placesOf } from '../../agenda/asked.js'
import type { Hash } from '../../canonical.js'
import type { Check, EntryOf } from '../../event.js'
import { REASONS_OF, type Reason } from '../../reason.js'
import type { Rules } from '../../rules.js'
import { isInSchema } from './answer.js'
import { type Book, type OpenStory, rulesOf, type Story } from './book.js'
import { isIssued } from './delivery.js'
import { type Flaw, flaw } from './invariants.js'
import { hashText } from './line.js'
import { flawOfConfirmation } from './passkey.js'

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
    flawOfVote(open, entry) ??
    spend(book, entry) ??
    flawOfConfirmation(book, reply.sender_identity.user_id, reply.sender_identity.proof)
  )
}

const NO_HASH: Hash = 'sha256:'
const announcedBy = ({ previous }: Book): Hash | null =>
  previous?.type === 'INBOUND_REPLY_RECEIVED' ? previous.body.event_hash : null

function flawOfReceipt({ previous }: Book, entry: Accepted): Flaw | null {
  const { body, request_id } = entry
  if (body.request_id !== request_id) return flaw('I4', 'the body names another request than its entry')
  if (previous?.type !== 'INBOUND_REPLY_RECEIVED' || !isOfReply(previous, entry)) {
    return flaw('I24', 'no INBOUND_REPLY_RECEIVED of this reply stands directly before it')
  }
  if (previous.body.event_hash === hashText('', body)) return null
  return flaw('I24', 'it is not the event that INBOUND_REPLY_RECEIVED has hashed')
}

/** A receipt in another story would have been judged by that story's checks, not by this one's. */
const isOfReply = (received: EntryOf<'INBOUND_REPLY_RECEIVED'>, { body, request_id }: Accepted): boolean =>
  received.request_id === request_id &&
  received.body.reply_id === body.reply_id &&
  received.body.delivery_id === body.delivery_id &&
  received.body.channel === body.channel

/** The last of these replies names a decision that one before it has answered. */
function isAnsweredTwice(replies: OpenStory['replies']): boolean {
  const named = replies.map(({ reply: { parsed_payload: payload } }) =>
    payload !== null && 'decisions' in payload ? payload.decisions.map(({ decision_id }) => decision_id) : [],
  )
  const before = new Set(named.slice(0, -1).flat())
  return (named.at(-1) ?? []).some(id => before.has(id))
}

function flawOfAnswer({ deadline_at, request, replies }: OpenStory, { at, body }: Accepted): Flaw | null {
  if (at >= deadline_at) return flaw('I10', `accepted though ${deadline_at} had come`)
  if (isAnsweredTwice(replies)) return flaw('I13', 'a decision was answered before')
  return isInSchema(request.reply_schema, body.grammar, body)
    ? null
    : flaw('I13', 'the answer is not in the reply schema')
}

function flawOfSender(story: Story, open: OpenStory, { body }: Accepted): Flaw | null {
  const { user_id } = body.sender_identity
  if (!has(open.asked, user_id)) return flaw('I16', `${user_id} is not a recipient`)
  if (!holds(open.asked, user_id)) return flaw('I33', `${user_id} has handed it on`)
  const placing = story.deliveries.get(body.delivery_id)
  if (placing === undefined || !isIssued(placing, body.receipts.token_hash)) {
    return flaw('I14', 'the token was not issued for this delivery')
  }
  const { recipient } = placing
  return recipient === user_id ? null : flaw('I14', `the token was issued to ${recipient}, not to ${user_id}`)
}

/** The reply is among those of the story already, so a second vote is the second of its sender there. */
function flawOfVote({ terms, replies, asked }: OpenStory, { body }: Accepted): Flaw | null {
  if (terms?.quorum === undefined) return null
  const { user_id } = body.sender_identity
  const places = placesOf(asked, user_id)
  if (!places.some(place => terms.electorate?.includes(place)))
    return flaw('I31', `${user_id} is not of the electorate`)
  const votes = replies.filter(({ reply }) => reply.sender_identity.user_id === user_id)
  return votes.length === 1 ? null : flaw('I31', `${user_id} has voted before`)
}

/** A form's token is spent decision by decision. */
function spentBy(token: Hash, { parsed_payload: payload }: Accepted['body']): readonly string[] {
  if (payload === null || !('decisions' in payload)) return [token]
  return payload.decisions.map(({ decision_id }) => `${token}/${decision_id}`)
}

function spend(book: Book, { body }: Accepted): Flaw | null {
  const { channel, provider_message_id, receipts } = body
  for (const spent of spentBy(receipts.token_hash, body)) {
    if (book.acceptedTokens.has(spent)) return flaw('I15', 'the token was accepted before')
    book.acceptedTokens.add(spent)
  }
  if (provider_message_id === undefined) return null
  const message = `${channel}/${provider_message_id}`
  if (book.acceptedMessages.has(message)) return flaw('I15', 'the message was accepted before')
  book.acceptedMessages.add(message)
  return null
}
