// The mails we really send, quoted the way programs quote: whatever a request says, an answer above it stays as it is.
import { describe, expect, test } from 'vitest'
import { markerLine } from '../../../adapters/email/marker.js'
import { render } from '../../../adapters/email/render.js'
import { tell } from '../../../adapters/email/sending/notice.js'
import type { Transport } from '../../../adapters/email/sending/transport.js'
import { compile } from '../../../src/compiler/compile.js'
import { display, HANDLE, outbound } from '../samples.js'
import { letter, MESSAGE_ID, NOTICE_ID, read, signed } from './letter.js'

const TO = `lane+${HANDLE}@lane.example`
const LURES = [
  'Ship the release today?',
  `${'A very long question with many words, '.repeat(12)}?`,
  'YES',
  'On Mon, Nov 16, 2026 Interrupt Lane wrote: NO',
  '-- NO',
  'From: a Sent: b To: c Subject: d',
]

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
const INTRODUCTION = 'On Mon, Nov 16, 2026 at 10:00 AM Interrupt Lane <lane@lane.example> wrote:'
const BLOCK = [
  'From: Interrupt Lane <lane@lane.example>',
  'Sent: Monday 10:00',
  'To: Ana',
  'Subject: Publish?',
]
/** As programs break lines that are too long for them. */
const broken = (text: string): string => text.replace(/^(.{60,72}) (?=.)/gm, '$1\n')
const marked = (text: string): string => text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')

type Quoting = readonly [
  string,
  (answer: string, ours: { text: string; html: string }) => { text?: string; html?: string },
]
const QUOTINGS: readonly Quoting[] = [
  ['line by line', (answer, { text }) => ({ text: `${answer}\n\n${INTRODUCTION}\n\n${marked(text)}` })],
  ['below a block', (answer, { text }) => ({ text: `${answer}\n\n${BLOCK.join('\n')}\n\n${text}` })],
  [
    'below a block, with its lines broken',
    (answer, { text }) => ({ text: `${answer}\n\n${BLOCK.join('\n')}\n\n${broken(text)}` }),
  ],
  ['with nothing between', (answer, { text }) => ({ text: `${answer}\n\n${text}` })],
  [
    'in HTML',
    (answer, { html }) => ({
      html: `<div>${answer}</div><div class="gmail_quote"><div>${escaped(INTRODUCTION)}</div><blockquote>${html}</blockquote></div>`,
    }),
  ],
  [
    'in HTML below a block',
    (answer, { html }) => ({ html: `<p>${answer}</p><p>${BLOCK.map(escaped).join('<br>')}</p>${html}` }),
  ],
  [
    'in both',
    (answer, { text, html }) => ({
      text: `${answer}\n\n${INTRODUCTION}\n\n${marked(text)}`,
      html: `<div>${answer}</div><br><blockquote><div>${escaped(INTRODUCTION)}</div>${html}</blockquote>`,
    }),
  ],
]

function reply({ text, html }: { text?: string; html?: string }): string {
  const fields = { To: TO, 'In-Reply-To': MESSAGE_ID }
  if (html === undefined) return letter(fields, text ?? '')
  if (text === undefined) return letter({ ...fields, 'Content-Type': 'text/html; charset=utf-8' }, html)
  const parts = [
    ['plain', text],
    ['html', html],
  ].map(([type, body]) => `--b\nContent-Type: text/${type}; charset=utf-8\n\n${body}\n`)
  return letter(
    { ...fields, 'Content-Type': 'multipart/alternative; boundary=b' },
    `${parts.join('')}--b--\n`,
  )
}

describe.each(LURES)('a request that says %j', headline => {
  const ours = render({ ...display, headline }, markerLine(HANDLE, MESSAGE_ID), outbound.page)

  test.each(QUOTINGS)('[LANE-057] quoted %s does not alter the answer above it', async (_name, quoting) => {
    for (const answer of ['YES', 'no.']) {
      const mail = await read(await signed(reply(quoting(answer, ours))))
      expect(mail).toMatchObject({ kind: 'reply', authenticated: true, text: answer })
    }
  })

  test.each(QUOTINGS)('quoted %s hides no condition that is written below it', async (_name, quoting) => {
    const condition = 'but only after legal has signed it off'
    const { text, html } = quoting('YES', ours)
    const below = {
      ...(text !== undefined && { text: `${text}\n${condition}\n` }),
      ...(html !== undefined && { html: `${html}<p>${condition}</p>` }),
    }
    const mail = await read(reply(below))
    if (mail.kind !== 'reply') throw new Error('no reply')
    expect(compile({ kind: 'yes_no' }, mail.text).ok).toBe(false)
  })

  test.each(QUOTINGS)('quoted %s is no answer by itself', async (_name, quoting) => {
    const mail = await read(reply(quoting('', ours)))
    if (mail.kind !== 'reply') throw new Error('no reply')
    expect(compile({ kind: 'yes_no' }, mail.text).ok).toBe(false)
    expect(compile({ kind: 'text', max_chars: 500 }, mail.text).ok).toBe(false)
  })
})

test('a notice quoted without marks hides no condition that is written below it, and is answered as it was', async () => {
  const first = await read(await signed(letter({ To: TO }, 'perhaps\nlater\n')))
  if (first.kind !== 'reply') throw new Error('no reply')
  const posted: { text: string; html: string }[] = []
  const transport: Transport = {
    atOnce: 1,
    verify: async () => undefined,
    post: async ({ text, html }) => {
      posted.push({ text: String(text), html: String(html) })
      return { kind: 'sent', renamed: null }
    },
  }
  const desk = {
    from: { name: 'Lane', address: 'lane@lane.example' },
    replies: { local: 'lane', delimiter: '+', domain: 'lane.example' },
    transport,
  }
  const refused = {
    kind: 'refused',
    reason: 'reply_not_in_schema',
    request_id: 'ship-42',
    delivery_id: 'd-1',
    theirs: true,
    read: 'perhaps later',
    accepted: 'Reply YES or NO.',
    ending: null,
  } as const
  await tell(desk, { refused, reply: first, messageId: NOTICE_ID }, Date.UTC(2026, 10, 16))
  const notice = posted[0] ?? { text: '', html: '' }
  const answered = async (below: string): Promise<string> => {
    const text = `YES\n\n${BLOCK.join('\n')}\n\n${notice.text}${below}`
    const html = `<p>YES</p><p>${BLOCK.map(escaped).join('<br>')}</p>${notice.html}<p>${below}</p>`
    const mail = await read(reply({ text, html }))
    return mail.kind === 'reply' ? mail.text : ''
  }
  expect(await answered('')).toBe('YES')
  expect(await answered('but only after legal has signed it off\n')).toContain('\n')
})
