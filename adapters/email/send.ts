// Hands a request to the mail server. Its Message-ID stays the same when the attempt is repeated, so that a mail
// program which gets two copies shows one; it changes when the mails before can no longer be answered. The reply
// handle, new with every attempt, travels in Reply-To and in the envelope, and replies and bounces bring it back.
//
// EN1  A reply must name the Message-ID, so that is as hard to guess as a handle. The caller knows the delivery's id,
//      and could otherwise have a person's "YES" to a mail of the caller's own come here as the answer.
import {
  besideWords,
  type Display,
  type Outbound,
  type Sent,
  TOO_LONG_HERE,
} from '../../src/adapter/index.js'
import { bare, type LaneAddress, type Mailbox, withHandle } from './address.js'
import { idsOf } from './asked.js'
import { markerLine } from './marker.js'
import { render, shows } from './render.js'
import type { Mail, Transport } from './sending/transport.js'

type Sender = {
  readonly from: Mailbox
  readonly replies: LaneAddress
  readonly transport: Transport
  readonly stamp: (value: string) => string
}

/** Programs that know these headers do not answer such a mail, so a reply is a person's or says that it is not. */
const AUTOMATIC = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'DR, RN, NRN',
} as const

export async function send(sender: Sender, display: Display, outbound: Outbound): Promise<Sent> {
  if (typeof outbound.address !== 'string') return { kind: 'failed', code: 'no_address', retryable: false }
  if (outbound.reply !== null && !shows(display)) return TOO_LONG_HERE
  const mail = compose(sender, display, outbound, outbound.address)
  const posted = await sender.transport.post(mail)
  if (posted.kind === 'failed') return posted
  const renamed = posted.kind === 'sent' ? posted.renamed : null
  return { kind: posted.kind, ref: renamed ?? mail.messageId }
}

function compose(sender: Sender, display: Display, outbound: Outbound, to: string): Mail {
  const { from, replies } = sender
  const { reply, page, rested } = outbound
  const back = reply === null ? bare(replies) : withHandle(replies, reply.handle)
  const namer = { stamp: sender.stamp, domain: replies.domain }
  const { deadline_at } = display
  const ids = idsOf(namer, { ...outbound, deadline_at, announces: reply === null })
  const { reminds } = outbound
  const messageId = (reminds && ids.reminderIds[reminds.step]) ?? ids.messageId
  const marker = reply === null ? null : markerLine(reply.handle, messageId)
  return {
    ...render(display, marker, page, rested, besideWords(display, outbound)),
    messageId,
    ...(reminds && { inReplyTo: ids.messageId, references: ids.messageId }),
    date: new Date(outbound.at),
    from,
    to: { name: '', address: to },
    replyTo: { name: from.name, address: back },
    envelope: { from: back, to },
    headers: AUTOMATIC,
    xMailer: false,
  }
}
