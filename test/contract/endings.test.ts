// How a request ended, on every channel and for every outcome: each says what is true of it, and no more to a reader than
// the channel knows of them.
import { describe, expect, test } from 'vitest'
import { refusalText as byMail } from '../../adapters/email/words.js'
import { closedCard as slackCard } from '../../adapters/slack/render.js'
import { refusalText as bySlack } from '../../adapters/slack/words.js'
import { refusalText as bySms } from '../../adapters/sms/words.js'
import { closedCard as telegramCard } from '../../adapters/telegram/render.js'
import { verdictPieces } from '../../adapters/telegram/words.js'
import { write } from '../../adapters/telegram/written.js'
import { page } from '../../adapters/web/render.js'
import type { Ending, RefusedReply } from '../../src/adapter/contract.js'
import type { Display } from '../../src/request/display.js'

const AT = '2026-02-17T14:00:05.000Z'
const NOBODY = { at: AT, answered_by: null, answer: null, default_action: null }
const ENDINGS: Readonly<Record<Ending['outcome'], Ending>> = {
  answered: { ...NOBODY, outcome: 'answered', answered_by: 'release-owner', answer: 'see evil.example' },
  defaulted: { ...NOBODY, outcome: 'defaulted', default_action: 'HALT' },
  undelivered: { ...NOBODY, outcome: 'undelivered', default_action: 'DENY' },
  withdrawn: { ...NOBODY, outcome: 'withdrawn' },
}

const asked: Display = {
  v: 1,
  request_id: 'q-1',
  type: 'REQUEST_QUESTION',
  asked_by: 'release-agent',
  run_id: 'run-1',
  work_item_id: null,
  action: null,
  lens: null,
  headline: 'Ship it?',
  impact: null,
  why: null,
  contents: [],
  exhibits: new Map(),
  urgency: 'normal',
  ladder: null,
  origin: null,
  handles: [],
  reply_schema: { kind: 'yes_no' },
  deadline_at: AT,
  default_action: 'HALT',
  request_hash: `sha256:${'c'.repeat(64)}`,
}

const late = (ending: Ending): RefusedReply => ({
  kind: 'refused',
  reason: 'already_resolved',
  request_id: 'q-1',
  delivery_id: 'd-1',
  theirs: true,
  read: null,
  accepted: null,
  ending,
})

/** All that is read of a Slack message, in its order. */
function textOf(part: unknown): string {
  if (typeof part !== 'object' || part === null) return ''
  const { type, text, fallback } = part as Record<string, unknown>
  const own = type === 'date' ? fallback : typeof text === 'string' ? text : ''
  return `${own}${Object.values(part).map(textOf).join('')}`
}
const unmarked = (html: string): string =>
  html
    .replace(/<(style|title|header)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')

type Shown = { readonly text: string; readonly names: boolean }
const SURFACES: Readonly<Record<string, (ending: Ending) => Shown>> = {
  'a closed card in Slack': ending => ({ text: textOf(slackCard(asked, ending).blocks), names: true }),
  'the notification of a closed card in Slack': ending => ({
    text: slackCard(asked, ending).text,
    names: true,
  }),
  'a late reply in Slack': ending => ({ text: bySlack(late(ending)), names: true }),
  'a closed card in Telegram': ending => ({ text: telegramCard(ending, asked).text, names: true }),
  'a late reply in Telegram': ending => ({ text: write(verdictPieces(late(ending))).text, names: true }),
  'a late reply by mail': ending => ({ text: byMail(late(ending), false), names: true }),
  'a late reply by SMS': ending => ({ text: bySms(late(ending)), names: false }),
  'the page of a closed request': ending => ({
    text: unmarked(page({ kind: 'closed', ending }, 200).body),
    names: false,
  }),
}

const TOLD: Readonly<Record<Ending['outcome'], RegExp>> = {
  answered: /(?:It was answered|release-owner answered see evil.{1,3}example) on 17 Feb /,
  defaulted: /Nobody answered in time\. HALT holds since 17 Feb /,
  undelivered: /It reached nobody in time\. DENY holds since 17 Feb /,
  withdrawn: /It was withdrawn on 17 Feb .*nothing is asked any more/,
}
const OUTCOMES = Object.keys(TOLD) as Ending['outcome'][]

describe.each(Object.entries(SURFACES))('%s', (_surface, show) => {
  test.each(OUTCOMES)('says that it was %s, and nothing that is true of another outcome', outcome => {
    const { text } = show(ENDINGS[outcome])
    const true_of = OUTCOMES.filter(one => TOLD[one].test(text))
    expect([text, true_of]).toEqual([text, [outcome]])
    expect(text).not.toMatch(/null|undefined|\[object/)
  })

  test('names whoever answered only to readers who are known', () => {
    const { text, names } = show(ENDINGS.answered)
    expect([/release-owner/.test(text), /evil/.test(text)]).toEqual([names, names])
  })

  test.each(OUTCOMES.filter(one => one !== 'answered'))('names nobody when it was %s', outcome => {
    expect(show(ENDINGS[outcome]).text).not.toMatch(/release-owner|evil/)
  })
})

test('what a person answered cannot become a link in a mail', () => {
  expect(byMail(late(ENDINGS.answered), false)).toContain('evil[.]example')
})
