// The one mail that says why a reply was not taken, and exactly what to send instead. It goes to the address that was
// asked and nowhere else, names no sender in its envelope so that nothing can bounce back at it, and says that it was
// written by a program.
import { html, type RefusedReply } from '../../../src/adapter/index.js'
import { bare, type LaneAddress, type Mailbox, withHandle } from '../address.js'
import { markerLine } from '../marker.js'
import type { Mail as Received } from '../reading/mail.js'
import { headOf } from '../render.js'
import { ALONE, FIRST_LINE, FIRST_LINES, ONCE, refusalText, unread, unreadLines } from '../words.js'
import { unlinked } from './defang.js'
import { frame } from './frame.js'
import type { Mail, Posted, Transport } from './transport.js'

export type NoticeDesk = {
  readonly from: Mailbox
  readonly replies: LaneAddress
  readonly transport: Transport
}

type Reply = Extract<Received, { kind: 'reply' }>

/** `messageId`: the one an answer to the notice is known by (asked.ts). */
type Telling = { readonly refused: RefusedReply; readonly reply: Reply; readonly messageId: string }

export const tell = (desk: NoticeDesk, telling: Telling, now: number): Promise<Posted> =>
  desk.transport.post(noticeOf(desk, telling, now))

function noticeOf({ from, replies }: NoticeDesk, { refused, reply, messageId }: Telling, now: number): Mail {
  const { binding, sender, message_id, loosely } = reply
  const threads = [
    ...(binding.kind === 'ref' ? [binding.ref] : []),
    ...(message_id === null ? [] : [`<${message_id}>`]),
  ]
  const back = binding.kind === 'handle' ? withHandle(replies, binding.handle) : bare(replies)
  return {
    ...wordsOf(refused, markerOf(reply, messageId), loosely),
    messageId,
    date: new Date(now),
    from,
    to: { name: '', address: sender },
    replyTo: { name: from.name, address: back },
    ...(message_id !== null && { inReplyTo: `<${message_id}>` }),
    references: threads,
    envelope: { from: '', to: sender },
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
    xMailer: false,
  }
}

/** A reply to the notice answers the request, so its marker must name the same delivery. */
const markerOf = ({ binding }: Reply, messageId: string): string =>
  markerLine(
    binding.kind === 'handle' ? binding.handle : '',
    binding.kind === 'ref' ? binding.ref : messageId,
  )

type Words = { readonly subject: string; readonly text: string; readonly html: string }

function wordsOf(refused: RefusedReply, marker: string, loosely: boolean): Words {
  const { read, accepted, lines = [] } = refused
  const id = unlinked(refused.request_id)
  if (accepted === null) {
    const why = refusalText(refused, loosely)
    return {
      subject: `Your reply came to nothing [${id}]`,
      text: `${why}\n`,
      html: frame(html`<p>${why}</p>`),
    }
  }
  const answer = unlinked(accepted)
  const isForm = lines.length > 0 || refused.reason === 'decision_answered'
  const firstLine = isForm ? FIRST_LINES : FIRST_LINE
  const why = isForm ? unreadLines(refused) : unread(read ?? 'nothing')
  return {
    subject: `Your reply could not be read [${id}]`,
    text: `${marker}\n\n${answer}\n${firstLine}\n\n${why}\n${ALONE}\n${ONCE}\n`,
    html: frame(
      html`${headOf(marker, answer, firstLine)}<p>${why}</p><p>${ALONE}</p><p class="soft">${ONCE}</p>`,
    ),
  }
}
