// I33: the hands a request went through. A person hands it on by a reply that passes every check an answer passes.
import { handed, handsOf, has, holds, MOST_HANDS } from '../../agenda/asked.js'
import type { EntryOf } from '../../event.js'
import type { Book, OpenStory, Story } from './book.js'
import { isIssued } from './delivery.js'
import { type Flaw, flaw } from './invariants.js'
import { hashText } from './line.js'
import { flawOfConfirmation } from './passkey.js'

type Handed = EntryOf<'REQUEST_DELEGATED'>

export function checkHand(book: Book, story: Story, entry: Handed): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I33', 'handed on though the request is resolved')
  const found = flawOfHand(open, entry) ?? flawOfReply(book, story, entry)
  open.asked = handed(open.asked, entry.body)
  return found
}

function flawOfHand({ asked, deadline_at }: OpenStory, { body, at }: Handed): Flaw | null {
  const { from, to, by } = body
  if (at >= deadline_at) return flaw('I10', `handed on though ${deadline_at} had come`)
  if (!holds(asked, from)) return flaw('I33', `it is not ${from}'s to hand on`)
  if (by === 'lane') {
    const giver = asked.find(one => one.user_id === from)?.from
    return giver === to ? null : flaw('I33', `it did not come from ${to}`)
  }
  if (has(asked, to)) return flaw('I33', `${to} was asked before`)
  return handsOf(asked, from) < MOST_HANDS ? null : flaw('I33', `it went through ${MOST_HANDS} hands before`)
}

function flawOfReply(book: Book, story: Story, { body, request_id }: Handed): Flaw | null {
  if (body.by !== 'person') return null
  const { previous } = book
  const isAnnounced =
    previous?.type === 'INBOUND_REPLY_RECEIVED' &&
    previous.request_id === request_id &&
    previous.body.reply_id === body.reply_id &&
    previous.body.delivery_id === body.delivery_id &&
    previous.body.channel === body.channel
  if (!isAnnounced) return flaw('I24', 'no INBOUND_REPLY_RECEIVED of this reply stands directly before it')
  if (previous.body.event_hash !== hashText('', body))
    return flaw('I24', 'it is not the event that INBOUND_REPLY_RECEIVED has hashed')
  const { delivery_id = '', token_hash } = body
  const placing = story.deliveries.get(delivery_id)
  if (token_hash === undefined || placing?.recipient !== body.from || !isIssued(placing, token_hash))
    return flaw('I14', 'the token was not issued to them for this delivery')
  if (book.acceptedTokens.has(token_hash)) return flaw('I15', 'the token was accepted before')
  book.acceptedTokens.add(token_hash)
  return body.proof === undefined ? null : flawOfConfirmation(book, body.from, body.proof)
}
