// Time and people on every channel: how urgent it is and what comes while nobody answers are of the display; who else is
// asked, in whose place, until when in the reader's own zone and to whom it can be handed stand beside it.
import { describe, expect, test } from 'vitest'
import * as email from '../../adapters/email/render.js'
import * as slack from '../../adapters/slack/render.js'
import * as sms from '../../adapters/sms/render.js'
import { countSegments } from '../../adapters/sms/segments.js'
import { MAX_SEGMENTS } from '../../adapters/sms/words.js'
import * as telegram from '../../adapters/telegram/render.js'
import { send as sendWeb } from '../../adapters/web/send.js'
import type { Beside, Outbound } from '../../src/adapter/contract.js'
import { besideWords } from '../../src/adapter/words.js'
import { type Display, hashDisplay } from '../../src/request/display.js'
import type { Ladder } from '../../src/request/terms.js'
import { faultsOfMessage } from '../slack/block-limits.js'
import { approval, question } from '../slack/displays.js'

const LADDER: Ladder = [
  { after_seconds: 600, do: 'remind' },
  {
    after_seconds: 5_400,
    do: 'add',
    recipients: [
      { user_id: 'deputy', channels: ['slack'], route: 'first' },
      { user_id: 'manager', channels: ['email'], route: 'first' },
    ],
  },
  { after_seconds: 90_061, do: 'next_channel' },
]
const STEPS = [
  '10 min after it was asked: a reminder',
  '1 h 30 min after it was asked: deputy, manager are asked too',
  '1 d 1 h 1 min 1 s after it was asked: those asked are reached by their next channel too',
]
const BESIDE: Beside = {
  local_deadline: 'Tue 17 Feb 15:00 Europe/Berlin',
  votes: null,
  others: ['Ann', 'Bo in place of Cy'],
  handed_by: 'Di',
  delegates: [{ user_id: 'night-shift', name: 'Night shift' }],
}
const PAGE = { link: 'https://lane.example.org/r/zyxwvtsrqpnmkjhgfedcba9876', code: null }
const WAY: Pick<Outbound, 'reply' | 'page' | 'beside' | 'reminds'> = {
  reply: { handle: '0123456789abcdefghjkmnpqrs', code: '7K3FQ2M' },
  page: PAGE,
}

/** All that a Slack message has to read, in its order. */
function textsOf(part: unknown): string {
  if (typeof part !== 'object' || part === null) return ''
  const own = 'text' in part && typeof part.text === 'string' ? part.text : ''
  return [own, ...Object.values(part).map(textsOf)].join('\n')
}

async function printed(display: Display, way: typeof WAY): Promise<string> {
  const blocks: string[] = []
  const outbound: Outbound = {
    ...way,
    delivery_id: 'd-1',
    attempt: 1,
    recipient: { user_id: 'ann', name: 'Ann' },
    address: true,
    at: '2026-02-17T13:00:00.000Z',
  }
  const console = { outbox: true, write: async () => undefined, print: (text: string) => blocks.push(text) }
  await sendWeb(console, display, outbound)
  return blocks.join('\n')
}

type Read = (display: Display, way: typeof WAY) => readonly string[] | Promise<readonly string[]>
const CHANNELS: Readonly<Record<string, Read>> = {
  slack: (display, way) => [textsOf(slack.card(display, { ...way, mention: null }).blocks)],
  telegram: (display, way) => [telegram.card(display, way)?.text ?? ''],
  sms: (display, way) => [sms.render(display, way) ?? ''],
  email: (display, way) => {
    const letter = email.render(display, '=== x ===', way.page, undefined, besideWords(display, way))
    return [letter.text, letter.html]
  },
  console: async (display, way) => [await printed(display, way)],
}
const brief = question({ kind: 'yes_no' }, { v: 2, headline: 'Ship it?', impact: 'It ships.' })

describe.each(Object.entries(CHANNELS))('%s', (channel, read) => {
  test('says how urgent it is, and nothing of the usual urgency', async () => {
    for (const text of await read({ ...brief, urgency: 'high' }, WAY)) expect(text).toMatch(/\bUrgent\b/)
    for (const text of await read({ ...brief, urgency: 'low' }, WAY))
      expect(text).toMatch(/\b[Nn]ot urgent\b/)
    for (const text of await read(brief, WAY)) expect(text).not.toMatch(/urgent/i)
  })

  test('draws every step of the ladder, with everybody it names', async () => {
    for (const text of await read({ ...brief, ladder: LADDER }, WAY))
      for (const step of STEPS) expect(text).toContain(step)
  })

  test('says who else is asked, in whose place they are, and the deadline in their own zone beside UTC', async () => {
    for (const text of await read(brief, { ...WAY, beside: BESIDE })) {
      expect(text).toContain('Also asked: Ann, Bo in place of Cy.')
      expect(text).toContain('It was handed to you by Di')
      expect(text).toContain('Tue 17 Feb 15:00 Europe/Berlin')
      expect(text).toMatch(/14:00(:05)? UTC/)
    }
  })

  test('says how many must agree where votes are counted, and not that one answer decides', async () => {
    const votes = '2 of 3 people must say YES, and the first NO decides.'
    for (const text of await read(brief, { ...WAY, beside: { ...BESIDE, votes } })) {
      expect(text).toContain(votes)
      expect(text).not.toContain('The first answer that decides counts')
    }
  })

  if (channel !== 'console')
    test('says to whom it can be handed by word, but not where the word could be the answer', async () => {
      const way = { ...WAY, beside: BESIDE }
      for (const text of await read(brief, way))
        expect(text).toContain('answer DELEGATE and one of: night-shift (Night shift).')
      for (const text of await read({ ...brief, reply_schema: { kind: 'text', max_chars: 40 } }, way))
        expect(text).not.toContain('DELEGATE')
    })
})

test.each(Object.entries(CHANNELS))('%s: a reminder says that it is one', async (_, read) => {
  const way = { ...WAY, reminds: { ref: null, step: 0 } }
  for (const text of await read(brief, way)) expect(text).toContain('Reminder')
  for (const text of await read(brief, WAY)) expect(text).not.toContain('Reminder')
})

test('what changes while a request is open stands beside its display: its hash knows nothing of it', () => {
  const hash = hashDisplay(brief)
  expect(hashDisplay({ ...brief, ladder: LADDER })).not.toBe(hash)
  expect(hashDisplay({ ...brief, urgency: 'high' })).not.toBe(hash)
  expect(Object.keys(brief)).not.toContain('beside')
})

test('a text message tells what stands beside it only as far as there is room, and never in place of the decision', () => {
  const long = { ...brief, impact: 'x'.repeat(500) }
  const many = { ...BESIDE, others: Array.from({ length: 9 }, (_, at) => `Somebody with a long name ${at}`) }
  const alone = sms.render(long, WAY) ?? ''
  const told = sms.render(long, { ...WAY, beside: many }) ?? ''
  expect(told.startsWith(alone)).toBe(true)
  expect(told).toContain('Europe/Berlin')
  expect(countSegments(told).segments).toBeLessThanOrEqual(MAX_SEGMENTS)
})

test('a ladder that a text message has no room for leads to the page: no step is left out', () => {
  const people = Array.from({ length: 10 }, (_, at) => ({
    user_id: `${at}`.padEnd(128, 'u'),
    channels: ['sms'] as const,
    route: 'first' as const,
  }))
  const ladder: Ladder = [{ after_seconds: 60, do: 'add', recipients: people }]
  expect(sms.shows({ ...brief, ladder }, 'https://lane.example.org')).toBe(false)
  expect(sms.shows({ ...brief, ladder: LADDER }, 'https://lane.example.org')).toBe(true)
})

test('the fullest card keeps Slack’s limits with everything beside it', () => {
  const rested = { channel: 'sms', until: '2026-02-17T14:00:00.000Z' } as const
  const others = Array.from({ length: 10 }, (_, at) => `${at}`.padEnd(100, 'N'))
  const way = {
    ...WAY,
    beside: { ...BESIDE, others },
    rested,
    mention: 'U0456',
    reminds: { ref: null, step: 0 },
  }
  const decisions = Array.from({ length: 50 }, (_, at) => ({
    id: `d${at}`,
    type: 'approval' as const,
    prompt: 'Ship?',
    required: true,
  }))
  for (const most of [36, 37, 38, 39, 40, 50]) {
    const schema = { kind: 'form' as const, decisions: decisions.slice(0, most) }
    const full = {
      ...approval,
      v: 2 as const,
      urgency: 'high' as const,
      ladder: LADDER,
      reply_schema: schema,
    }
    if (slack.shows(full)) expect(faultsOfMessage(slack.card(full, way))).toEqual([])
  }
  expect(slack.shows({ ...approval, v: 2, ladder: LADDER })).toBe(true)
})
