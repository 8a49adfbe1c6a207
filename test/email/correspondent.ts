// People's mail as it arrives at the lane's server: written by hand, word for word, with the header by which that
// server reports its findings about the sender.
import type { Letter } from './post-office.js'

export const AUTHSERV = 'mx.lane.test'
export const OWNER = 'owner@people.test'
export const DEPUTY = 'deputy@people.test'
export const NOBODY = 'nobody@elsewhere.test'

let count = 0

export type Draft = {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly subject?: string
  readonly messageId?: string
  readonly inReplyTo?: string
  readonly headers?: readonly string[]
  /** What the lane's own server found; null where it says nothing. */
  readonly dmarc?: 'pass' | 'fail' | 'none' | null
}

export function message(draft: Draft): string {
  const { from, to, text, dmarc = 'pass', subject = 'Re: your request' } = draft
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const id = draft.messageId ?? `<${++count}.${process.pid}@${domain}>`
  return [
    ...(dmarc === null ? [] : [`Authentication-Results: ${AUTHSERV}; dmarc=${dmarc} header.from=${domain}`]),
    `Received: from mail.${domain} (mail.${domain} [192.0.2.7]) by ${AUTHSERV}; Mon, 16 Nov 2026 12:00:00 +0000`,
    `Return-Path: <${from}>`,
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    'Date: Mon, 16 Nov 2026 12:00:00 +0000',
    `Message-ID: ${id}`,
    ...(draft.inReplyTo === undefined ? [] : [`In-Reply-To: ${draft.inReplyTo}`]),
    ...(draft.headers ?? ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8']),
    '',
    ...text.split('\n'),
    '',
  ].join('\r\n')
}

export const addressIn = (field: string | null): string => /<([^<>]+)>/.exec(field ?? '')?.[1] ?? field ?? ''

/** A reply as most programs write it: the words, then the whole mail they answer, quoted. */
export function replyTo(letter: Letter, from: string, text: string, more: Partial<Draft> = {}): string {
  const quoted = (letter.email.text ?? '')
    .trimEnd()
    .split('\n')
    .map(line => `> ${line}`)
  return message({
    from,
    to: addressIn(letter.header('reply-to')),
    subject: `Re: ${letter.email.subject}`,
    text: [text, '', 'On Mon, 16 Nov 2026 at 12:00, Lane wrote:', ...quoted].join('\n'),
    inReplyTo: letter.header('message-id') ?? '',
    ...more,
  })
}

/** What a mail server sends back when nobody takes a mail: RFC 3464. */
export function bounce(letter: Letter, status = '5.1.1'): string {
  return message({
    from: `MAILER-DAEMON@people.test`,
    to: letter.envelope.from,
    subject: 'Undelivered Mail Returned to Sender',
    headers: [
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    ],
    text: [
      '--b',
      'Content-Type: text/plain',
      '',
      'The mail system could not deliver your message.',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mail.people.test',
      '',
      `Final-Recipient: rfc822; ${letter.envelope.to[0]}`,
      'Action: failed',
      `Status: ${status}`,
      'Diagnostic-Code: smtp; 550 5.1.1 no such user',
      '',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: ${letter.header('message-id')}`,
      `Subject: ${letter.email.subject}`,
      '',
      '--b--',
    ].join('\n'),
    dmarc: null,
  })
}
