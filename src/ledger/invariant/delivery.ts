// I14, I16, I17, I25: the copies that were sent, and to whom. A send is claimed before it
// is made, and concluded once.
import { KEY_REVOKED } from '../../agenda/delivery.js'
import type { Hash } from '../../canonical.js'
import type { EntryOf } from '../../event.js'
import { type Book, type OpenStory, type Placing, rulesOf, type Story } from './book.js'
import { flawOfDisplay } from './display.js'
import { type Flaw, flaw } from './invariants.js'

export function checkClaim(book: Book, story: Story, { body }: EntryOf<'DELIVERY_STARTED'>): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I25', 'claimed though the request is resolved')
  const placing = story.deliveries.get(body.delivery_id) ?? begin(body)
  const found = flawOfClaim(book, story, open, placing, body)
  placing.stands = false
  placing.attempts.push({ token_hash: body.token_hash, concluded: false, voided: false })
  story.deliveries.set(body.delivery_id, placing)
  return found
}

type Claim = EntryOf<'DELIVERY_STARTED'>['body']
type Place = Pick<Claim, 'recipient' | 'channel'>

export const begin = ({ recipient, channel }: Place): Placing => ({
  recipient,
  channel,
  stands: false,
  bounced: false,
  attempts: [],
  reminders: [],
})

function flawOfClaim(book: Book, story: Story, open: OpenStory, placing: Placing, body: Claim): Flaw | null {
  const { attempt, recipient, channel, token_hash } = body
  const asked = open.asked.find(one => one.user_id === recipient)
  // The channels of somebody to whom it was handed on are the configuration's; in a session anybody asked opens it, also a
  // request of before there were sessions.
  const isOpenable = channel === 'web' && rulesOf(book) !== '1'
  const isThere =
    asked !== undefined && (asked.channels === null || asked.channels.includes(channel) || isOpenable)
  if (!isThere) return flaw('I16', `${recipient} is not a recipient on ${channel}`)
  if (!isOf(placing, body)) return flaw('I25', 'the delivery was begun for another person or channel')
  const due = placing.attempts.length + 1
  if (attempt !== due) return flaw('I25', `attempt ${attempt} where ${due} was due`)
  for (const one of story.deliveries.values()) {
    if (isIssued(one, token_hash)) return flaw('I14', 'the token was issued before')
  }
  return flawOfDisplay(open, body)
}

export const isIssued = (placing: Placing, token: Hash): boolean =>
  placing.attempts.some(attempt => attempt.token_hash === token) ||
  placing.reminders.some(one => one.token_hash === token)

export const isOf = (
  placing: Placing,
  to: { readonly recipient: string; readonly channel: string },
): boolean => placing.recipient === to.recipient && placing.channel === to.channel

type Concluded = EntryOf<'OUTBOUND_REQUEST_SENT' | 'DELIVERY_FAILED'>

/** May come after the resolution: the end of a send is recorded even then. */
export function checkConclusion(story: Story, { type, body }: Concluded): Flaw | null {
  const placing = story.deliveries.get(body.delivery_id)
  const claim = placing?.attempts[body.attempt - 1]
  if (placing === undefined || claim === undefined || claim.concluded || !isOf(placing, body)) {
    return flaw('I25', `attempt ${body.attempt} was not claimed, or is concluded already`)
  }
  claim.concluded = true
  // A failure takes nothing back: the claim has done so already, and a copy that stands since is another attempt's.
  if (type !== 'OUTBOUND_REQUEST_SENT') return null
  // A bounce may be reported, or the key revoked, before the send is recorded.
  if (!claim.voided) placing.stands = !placing.bounced
  if (body.token_hash !== claim.token_hash) return flaw('I17', 'the token sent is not the one claimed')
  return body.request_hash === story.request_hash
    ? null
    : flaw('I17', 'the request sent is not the one opened')
}

type Told = EntryOf<'DELIVERY_STATUS' | 'DELIVERY_CLOSED' | 'NOTICE_SENT'>

export function checkTold(story: Story, { type, body }: Told): Flaw | null {
  const placing = story.deliveries.get(body.delivery_id)
  if (placing === undefined) return flaw('I25', 'the request has no such delivery')
  if (type === 'DELIVERY_CLOSED') placing.stands = true
  if (type === 'DELIVERY_STATUS' && !body.stands) fall(placing, body.status)
  return null
}

/** It did not arrive, or it can no longer be answered and is sent anew. */
function fall(placing: Placing, status: string): void {
  placing.stands = false
  if (status !== KEY_REVOKED) placing.bounced = true
  else for (const attempt of placing.attempts) attempt.voided = true
}
