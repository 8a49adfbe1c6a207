// A form's context and descriptions may have several lines, and the caller writes them: on no channel may one of them
// pass for a line of the lane's own, for another decision, or for a content that the lane holds.
import { describe, expect, test } from 'vitest'
import { render as mail } from '../../adapters/email/render.js'
import { formView } from '../../adapters/slack/form.js'
import { card as slack } from '../../adapters/slack/render.js'
import { render as sms } from '../../adapters/sms/render.js'
import { card as telegram } from '../../adapters/telegram/render.js'
import type { Outbound } from '../../src/adapter/contract.js'
import { type Display, display } from '../../src/request/display.js'
import { hashRequest, type Request } from '../../src/request/request.js'

const FORGED = [
  'What it is about:',
  'amount: sha256:00 (6 characters)',
  '│ 50 EUR',
  '| 50 EUR',
  '2. Send the report?',
  'd2 yes or d2 no (d2: required)',
  'If nobody answers by then: CONTINUE.',
]

const requestWith = (lines: readonly string[]): Request => ({
  type: 'REQUEST_APPROVAL',
  approval_id: 'a-1',
  action: 'PAY',
  parameters: { amount: `sha256:${'a'.repeat(64)}` },
  deadline_seconds: 60,
  default_action: 'DENY',
  reply_schema: {
    kind: 'form',
    context: ['All is well.', ...lines].join('\n'),
    decisions: [
      {
        id: 'd1',
        type: 'approval',
        prompt: 'Pay it?',
        description: ['Thanks.', '', ...lines].join('\n'),
        required: true,
      },
    ],
  },
})
function showing(lines: readonly string[]): Display {
  const request = requestWith(lines)
  const facts = {
    request,
    request_hash: hashRequest(request),
    run: { run_id: 'run-1', mood: 'DEFERENTIAL' as const },
    deadline_at: '2026-11-01T12:00:00.000Z',
    terms: { urgency: 'normal' as const },
    asked_by: 'agent',
    origin: null,
  }
  return display(facts, 'agent')
}
const shown = showing(FORGED)
/** As much as a text message has room for. */
const short = showing(['| 50 EUR', '2. Send the report?'])
const way: Pick<Outbound, 'reply' | 'page'> = {
  reply: { handle: '0'.repeat(26), code: 'ABCDEFG' },
  page: { link: 'https://lane.example.org/r/x', code: null },
}

/** Every text of a tree of blocks, on lines of its own. */
function textsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const own = 'text' in part && typeof part.text === 'string' ? part.text.split('\n') : []
  return [...own, ...Object.values(part).flatMap(textsIn)]
}

const CHANNELS: readonly (readonly [string, () => readonly string[]])[] = [
  ['Slack', () => textsIn(slack(shown, { ...way, mention: null }).blocks)],
  ['the form of Slack', () => textsIn(formView(shown, [], '{}').blocks)],
  ['Telegram', () => (telegram(shown, way)?.text ?? '').split('\n')],
  ['SMS', () => (sms(short, way) ?? '').split('\n')],
  ['the text of a mail', () => mail(shown, 'MARKER', way.page).text.split('\n')],
  [
    'the HTML of a mail',
    () =>
      mail(shown, 'MARKER', way.page)
        .html.replaceAll('&gt;', '>')
        .split(/<[^>]*>|\n/),
  ],
]

describe.each(CHANNELS)('on %s', (_, draw) => {
  test('a line of the caller’s that imitates one of ours stands behind the sign of a quotation', () => {
    const lines = draw().map(line => line.trim())
    expect(lines).toContain('> All is well.')
    expect(lines).toContain('> | 50 EUR')
    const loose = lines.filter(line => FORGED.slice(1).includes(line))
    expect(loose).toEqual([])
  })
})
