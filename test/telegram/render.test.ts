// What a person sees: all of it, within Telegram's limits, and nothing of it able to format, mention, link or command.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { controls, type Keyboard, MAX_DATA_BYTES, readPress } from '../../adapters/telegram/keyboard.js'
import { card, closedCard, MAX_TEXT_UNITS, shows } from '../../adapters/telegram/render.js'
import type { Entity, Written } from '../../adapters/telegram/written.js'
import type { Ending } from '../../src/adapter/contract.js'
import type { Option, ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Display } from '../../src/request/display.js'
import { inGroups } from '../../src/request/words.js'
import { refusalOf } from './limits.js'

const HANDLE = 'abcdefghjkmnpqrstvwxyz0123'
const LINK = `https://lane.example.org/r/${HANDLE}`
const WAY = { reply: { handle: HANDLE, code: '7K3FQ2M' }, page: { link: LINK, code: '7K3F' } }
const HASH = `sha256:${'a'.repeat(64)}` as const

const display = (more: Partial<Display> = {}): Display => ({
  v: 1,
  type: 'REQUEST_QUESTION',
  request_id: 'q-1',
  request_hash: HASH,
  asked_by: 'ci bot',
  run_id: 'run-1',
  work_item_id: null,
  headline: 'Ship it?',
  impact: 'Decides what the run does',
  lens: null,
  action: null,
  why: null,
  contents: [],
  exhibits: new Map(),
  urgency: 'normal',
  ladder: null,
  origin: null,
  handles: [],
  reply_schema: { kind: 'yes_no' },
  deadline_at: '2026-02-17T14:00:05.000Z',
  default_action: 'HALT',
  ...more,
})

function drawn(shown: Display) {
  const made = card(shown, WAY)
  if (made === null) throw new Error('it does not fit')
  expect(refusalOf('sendMessage', made as unknown as Record<string, unknown>)).toBeNull()
  return made
}

/** What Telegram would look through for links, mentions, tags and commands: everything outside code. */
function looseText({ text, entities }: Written): string {
  const isShut = ({ type }: Entity): boolean => type === 'code' || type === 'pre'
  const shut = entities.filter(isShut)
  const inside = (at: number): boolean =>
    shut.some(({ offset, length }) => at >= offset && at < offset + length)
  return [...Array(text.length).keys()].map(at => (inside(at) ? '\u0000' : text[at])).join('')
}

const LURES =
  'https://evil.example/x evil.example @everyone #tag /start *b* _i_ [a](http://b.c) <b>x</b> +15551230000'

describe('a card', () => {
  test('[LANE-028, 029] says who asks, what, until when, what else holds, how to answer; buttons carry the handle', () => {
    const made = drawn(display({ work_item_id: 'wi-3' }))
    expect(made.text).toBe(
      [
        'Question',
        'Asked by ci bot, run run-1, work item wi-3',
        '',
        'Ship it?',
        'What your answer changes:',
        'Decides what the run does',
        '',
        'Answer by 17 Feb 2026, 14:00 UTC. Otherwise HALT holds: the run stops.',
        'Reply YES or NO.',
        'Press a button, or reply to this message.',
      ].join('\n'),
    )
    expect(made.reply_markup).toEqual({
      inline_keyboard: [
        [
          { text: 'Yes', callback_data: `${HANDLE}:YES` },
          { text: 'No', callback_data: `${HANDLE}:NO` },
        ],
      ],
    })
  })

  test('untrusted text stands where Telegram looks for nothing', () => {
    const made = drawn(
      display({
        headline: LURES,
        impact: LURES,
        asked_by: 'evil.example',
        run_id: 'www.evil.example',
        work_item_id: 'evil.example',
        handles: [{ name: 'evil.example', handle: 'doc:evil.example', fixed: false }],
        reply_schema: {
          kind: 'choice',
          options: [
            { value: 'a', label: LURES.slice(0, 75) },
            { value: 'b', label: '@everyone' },
          ],
        },
      }),
    )
    expect(looseText(made)).not.toMatch(/evil|everyone|http|@|#|\/|\*|_|\[|</)
    const ended: Ending = {
      outcome: 'answered',
      at: '2026-02-17T14:00:05.000Z',
      answer: LURES,
      answered_by: 'evil.example',
      default_action: null,
    }
    expect(looseText(closedCard(ended, display({ headline: LURES })))).not.toMatch(
      /evil|everyone|http|@|#|\//,
    )
  })

  test('the only link is our own, to the page of this copy, and carries no code', () => {
    const made = drawn(display({ handles: [{ name: null, handle: HASH, fixed: true }] }))
    const links = made.entities.filter(({ type }) => type === 'text_link')
    expect(links).toEqual([expect.objectContaining({ url: LINK })])
    expect(drawn(display()).entities.filter(({ type }) => type === 'text_link')).toEqual([])
  })

  test('the largest approval is shown whole, each parameter with its whole digest', () => {
    const handles = Array.from({ length: 20 }, (_, index) => ({
      name: `${'n'.repeat(60)}${index}`,
      handle: `sha256:${String(index).padStart(64, '0')}`,
      fixed: true,
    }))
    const made = drawn(
      display({
        type: 'REQUEST_APPROVAL',
        headline: 'Approve PUBLISH',
        impact: null,
        handles,
        default_action: 'DENY',
      }),
    )
    for (const { name, handle } of handles) expect(made.text).toContain(`${name} ${inGroups(handle)}`)
  })

  test('an option shows the value that is recorded, whole, beside its whole label', () => {
    const options = [
      { value: 'delete-all', label: 'Keep everything' },
      { value: 'keep', label: `${'Delete everything '.repeat(4)}now` },
    ]
    const { text } = drawn(display({ reply_schema: { kind: 'choice', options } }))
    expect(text).toContain('\nA = delete-all (Keep everything)')
    expect(text).toContain(`\nB = keep (${options[1]?.label})`)
  })

  const long = (units: number) => '𐀀'.repeat(units)
  const tooLong: readonly (readonly [string, Partial<Display>])[] = [
    [
      'parameters',
      {
        type: 'REQUEST_APPROVAL',
        handles: Array.from({ length: 60 }, () => ({ name: 'n', handle: HASH, fixed: true })),
      },
    ],
    [
      'options',
      {
        reply_schema: {
          kind: 'multi_choice',
          options: Array.from({ length: 26 }, (_, at): Option => ({ value: `v${at}`, label: long(75) })),
          min: 1,
          max: 26,
        },
      },
    ],
    [
      'context',
      {
        headline: long(500),
        impact: long(500),
        handles: Array.from({ length: 20 }, () => ({
          name: null,
          handle: `artifact:${'x'.repeat(128)}`,
          fixed: false,
        })),
      },
    ],
    ['a command', { type: 'REQUEST_APPROVAL', action: 'USE_TOOL', headline: 'Approve USE_TOOL' }],
  ]
  test.each(tooLong)(
    'half a request is not answerable here: of %s nothing is left out, it is announced',
    (_, more) => {
      expect([shows(display(more)), card(display(more), WAY)]).toEqual([false, null])
      const made = card(display(more), { reply: null, page: { link: LINK, code: '7K3F' } })
      expect(made?.reply_markup).toBeUndefined()
      expect(made?.text.length).toBeLessThanOrEqual(MAX_TEXT_UNITS)
      expect(made?.text).toContain('This cannot be answered here. Read all of it and answer on its page')
      expect(made?.text).not.toMatch(/Reply |reply to|Press|sha256|… and/)
      expect(made?.entities).toContainEqual(expect.objectContaining({ type: 'text_link', url: LINK }))
    },
  )

  test('an announcement shows the code of its page only where there is one', () => {
    const text = (code: string | null) => card(display(), { reply: null, page: { link: LINK, code } })?.text
    expect(text('7K3F')).toContain('which asks for the code 7K3F.')
    expect(text(null)).toContain('Sign in to read all of it and answer.')
    expect(text(null)).not.toContain('code')
    expect(drawn(display()).text).not.toContain('7K3F')
  })
})

const schemas: fc.Arbitrary<ReplySchema> = fc.integer({ min: 2, max: 26 }).chain(count => {
  const options = Array.from({ length: count }, (_, index) => ({
    value: `v${index}`,
    label: `label ${index}`,
  }))
  return fc.constantFrom<ReplySchema>(
    { kind: 'yes_no' },
    { kind: 'choice', options },
    { kind: 'multi_choice', options, min: 1, max: count },
  )
})
const buttonsOf = (schema: ReplySchema, picks: number) =>
  (controls(schema, HANDLE, picks) as Keyboard).inline_keyboard.flat()

describe('buttons', () => {
  test('each fits into 64 bytes and reads back as what it says', () => {
    fc.assert(
      fc.property(schemas, fc.integer({ min: 0, max: 2 ** 26 - 1 }), (schema, picks) => {
        for (const { callback_data } of buttonsOf(schema, picks)) {
          expect(Buffer.byteLength(callback_data)).toBeLessThanOrEqual(MAX_DATA_BYTES)
          expect(readPress(callback_data).handle).toBe(HANDLE)
        }
      }),
    )
  })

  test('what is sent is what stands on the button', () => {
    const options = Array.from({ length: 26 }, (_, index) => ({ value: `v${index}`, label: 'l' }))
    const schema: ReplySchema = { kind: 'multi_choice', options, min: 1, max: 26 }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 26 - 1 }), picks => {
        const send = buttonsOf(schema, picks).at(-1)
        const read = readPress(send?.callback_data ?? '')
        expect(read.kind === 'said' && `Send ${read.text.replaceAll(',', ', ')}`).toBe(send?.text)
      }),
    )
  })

  test('nothing is ticked before somebody ticks it', () => {
    const options = [
      { value: 'a', label: 'x' },
      { value: 'b', label: 'y' },
    ]
    const labels = buttonsOf({ kind: 'multi_choice', options, min: 1, max: 2 }, 0).map(({ text }) => text)
    expect(labels).toEqual(['☐ A · x', '☐ B · y'])
  })
})

describe('an ending', () => {
  const at = '2026-02-17T14:00:05.000Z'
  const none = { at, answer: null, answered_by: null, default_action: null }
  test.each<[Ending, string]>([
    [
      { ...none, outcome: 'answered', answer: 'YES', answered_by: 'owner' },
      'owner answered YES on 17 Feb 2026, 14:00 UTC.',
    ],
    [
      { ...none, outcome: 'defaulted', default_action: 'HALT' },
      'Nobody answered in time. HALT holds since 17 Feb 2026, 14:00 UTC.',
    ],
    [
      { ...none, outcome: 'undelivered', default_action: 'DENY' },
      'It reached nobody in time. DENY holds since 17 Feb 2026, 14:00 UTC.',
    ],
    [
      { ...none, outcome: 'withdrawn' },
      'It was withdrawn on 17 Feb 2026, 14:00 UTC: nothing is asked any more.',
    ],
  ])('%j is told in one sentence', (ending, sentence) => {
    expect(closedCard(ending, display()).text).toBe(`Question\nShip it?\n${sentence}`)
  })
})
