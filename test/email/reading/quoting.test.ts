// The mails we really send, quoted the way programs quote: whatever a request says, an answer above it stays as it is.
import { describe, expect, test } from 'vitest'
import { markerLine } from '../../../adapters/email/marker.js'
import { render } from '../../../adapters/email/render.js'
import { compile } from '../../../src/compiler/compile.js'
import { display, HANDLE, outbound } from '../samples.js'
import { letter, MESSAGE_ID, read, signed } from './letter.js'

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
const marked = (text: string): string => text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')

type Quoting = readonly [
  string,
  (answer: string, ours: { text: string; html: string }) => { text?: string; html?: string },
]
const QUOTINGS: readonly Quoting[] = [
  ['line by line', (answer, { text }) => ({ text: `${answer}\n\n${INTRODUCTION}\n\n${marked(text)}` })],
  ['below a block', (answer, { text }) => ({ text: `${answer}\n\n${BLOCK.join('\n')}\n\n${text}` })],
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

  test.each(QUOTINGS)('quoted %s is no answer by itself', async (_name, quoting) => {
    const mail = await read(reply(quoting('', ours)))
    if (mail.kind !== 'reply') throw new Error('no reply')
    expect(compile({ kind: 'yes_no' }, mail.text).ok).toBe(false)
    expect(compile({ kind: 'text', max_chars: 500 }, mail.text).ok).toBe(false)
  })
})
