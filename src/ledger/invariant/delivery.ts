// I14, I16, I17, I25: what was put before whom. A send is claimed before it is made, and concluded once.
import type { EntryOf } from '../../event.js'
import type { Open, Placing, Story } from './book.js'
import { type Flaw, flaw } from './invariants.js'

export function checkClaim(story: Story, { body }: EntryOf<'DELIVERY_STARTED'>): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I25', 'claimed though the request is resolved')
  const { attempt, delivery_id, recipient, channel, token_hash } = body
  const placing = story.deliveries.get(delivery_id) ?? begin(recipient, channel)
  const found = flawOfClaim(open, placing, body)
  placing.attempts = attempt
  placing.stands = false
  placing.claims.set(attempt, token_hash)
  open.issued.set(token_hash, delivery_id)
  story.deliveries.set(delivery_id, placing)
  return found
}

const begin = (recipient: string, channel: string): Placing => ({
  recipient,
  channel,
  attempts: 0,
  stands: false,
  claims: new Map(),
})

function flawOfClaim(open: Open, placing: Placing, body: EntryOf<'DELIVERY_STARTED'>['body']): Flaw | null {
  const { attempt, recipient, channel, token_hash } = body
  const asked = open.recipients.find(one => one.user_id === recipient)
  if (!asked?.channels.includes(channel)) return flaw('I16', `${recipient} is not a recipient on ${channel}`)
  if (!isOf(placing, body)) return flaw('I25', 'the delivery was begun for another person or channel')
  const due = placing.attempts + 1
  if (attempt !== due) return flaw('I25', `attempt ${attempt} where ${due} was due`)
  return open.issued.has(token_hash) ? flaw('I14', 'the token was issued before') : null
}

const isOf = (placing: Placing, to: { readonly recipient: string; readonly channel: string }): boolean =>
  placing.recipient === to.recipient && placing.channel === to.channel

type Concluded = EntryOf<'OUTBOUND_REQUEST_SENT' | 'DELIVERY_FAILED'>

/** May come after the resolution: what became of a send is told whatever else has happened. */
export function checkConclusion(story: Story, { type, body }: Concluded): Flaw | null {
  const placing = story.deliveries.get(body.delivery_id)
  const token = placing?.claims.get(body.attempt)
  if (placing === undefined || token === undefined || !isOf(placing, body)) {
    return flaw('I25', `attempt ${body.attempt} was not claimed, or is concluded already`)
  }
  placing.claims.delete(body.attempt)
  placing.stands = type === 'OUTBOUND_REQUEST_SENT'
  if (type !== 'OUTBOUND_REQUEST_SENT') return null
  if (body.token_hash !== token) return flaw('I17', 'the token sent is not the one claimed')
  return body.request_hash === story.request_hash
    ? null
    : flaw('I17', 'the request sent is not the one opened')
}

type Told = EntryOf<'DELIVERY_STATUS' | 'DELIVERY_CLOSED' | 'NOTICE_SENT'>

export function checkTold(story: Story, { type, body }: Told): Flaw | null {
  const placing = story.deliveries.get(body.delivery_id)
  if (placing === undefined) return flaw('I25', 'the request has no such delivery')
  if (type === 'DELIVERY_CLOSED') placing.stands = true
  if (type === 'DELIVERY_STATUS' && !body.stands) placing.stands = false
  return null
}
