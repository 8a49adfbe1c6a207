// What a person is shown, on every channel: a copy that can be answered where it stands holds all of what is decided,
// whole; and one that cannot only announces, and is no way to answer.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as email from '../../adapters/email/render.js'
import * as slack from '../../adapters/slack/render.js'
import * as sms from '../../adapters/sms/render.js'
import * as telegram from '../../adapters/telegram/render.js'
import { page } from '../../adapters/web/render.js'
import type { Outbound } from '../../src/adapter/contract.js'
import type { Decision, Option, ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Display } from '../../src/request/display.js'
import { display } from '../../src/request/display.js'
import { DEFAULT_ACTIONS, LENSES, type Request } from '../../src/request/request.js'
import { flawOfText } from '../../src/request/text.js'
import { ALL } from '../faults/rig.js'

const HANDLE = '0123456789abcdefghjkmnpqrs'
const REPLY_CODE = '7K3FQ2M'
const PAGE_CODE = 'Z9XW'
const PUBLIC_URL = 'https://lane.example.org'
const LINK = `${PUBLIC_URL}/r/zyxwvtsrqpnmkjhgfedcba9876`
type Way = Pick<Outbound, 'reply' | 'page' | 'rested'>
const ANSWERED_HERE: Way = {
  reply: { handle: HANDLE, code: REPLY_CODE },
  page: { link: LINK, code: null },
}
const ANNOUNCED: Way = { reply: null, page: { link: LINK, code: PAGE_CODE } }

/** A channel as its reader has it: what can be read of a copy, and how a caller's words are made harmless there. */
type Channel = {
  readonly shows: (shown: Display) => boolean
  /** Every text of the copy, each by itself where a program shows one or the other. */
  readonly read: (shown: Display, way: Way) => readonly string[]
  /** The words again, without what keeps a program from making a link of them. */
  readonly undone: (text: string) => string
}

const same = (text: string): string => text
const bare = (text: string): string => text.replaceAll(' ', '')
const unescaped = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** All that a Slack message has to read, in its order. */
function textsOf(part: unknown): string {
  if (typeof part !== 'object' || part === null) return ''
  const own = 'text' in part && typeof part.text === 'string' ? part.text : ''
  return [own, ...Object.values(part).map(textsOf)].join('\n')
}

const CHANNELS: Readonly<Record<string, Channel>> = {
  slack: {
    shows: slack.shows,
    read: (shown, way) => [textsOf(slack.card(shown, { ...way, mention: null }).blocks)],
    undone: same,
  },
  telegram: {
    shows: telegram.shows,
    read: (shown, way) => [telegram.card(shown, way)?.text ?? ''],
    undone: same,
  },
  sms: {
    shows: shown => sms.shows(shown, PUBLIC_URL),
    read: (shown, way) => [sms.render(shown, way) ?? ''],
    undone: bare,
  },
  email: {
    shows: email.shows,
    read: (shown, { reply, page: way, rested }) => {
      const marker = reply === null ? null : `=== ${reply.handle} ===`
      const { text, html } = email.render(shown, marker, way, rested)
      return [text, unescaped(html)]
    },
    undone: text => text.replaceAll('[.]', '.').replaceAll('[:]', ':'),
  },
}

/** Short ones, so that a text message has room for them, and ones up to every bound. */
const words = (most: number): fc.Arbitrary<string> => fc.oneof(wordsOf(12), wordsOf(most))
const wordsOf = (most: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.constantFrom(
        'a',
        'Z',
        '7',
        'é',
        'e\u0301',
        '漢',
        '😀',
        '.',
        '://',
        'evil.example',
        '<b>',
        '&',
        '"',
        '*_~`',
        '@x',
        ' ',
      ),
      { minLength: 1, maxLength: most, size: 'max' },
    )
    .map(parts => [...parts.join('').replace(/ +/g, ' ').trim()].slice(0, most).join('').trim())
    .filter(text => flawOfText(text, most) === null)

const digest = fc.stringMatching(/^[0-9a-f]{64}$/).map(hex => `sha256:${hex}`)
const handle = fc.oneof(digest, fc.stringMatching(/^(?:doc|artifact):[A-Za-z0-9._-]{1,128}$/))
const optionsOf = (maxLength: number): fc.Arbitrary<Option[]> =>
  fc
    .uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_-]{1,31}$/), { minLength: 2, maxLength, size: 'max' })
    .chain(values => fc.tuple(...values.map(value => words(75).map(label => ({ value, label })))))
const options = fc.oneof(optionsOf(3), optionsOf(26))
const schema: fc.Arbitrary<ReplySchema> = fc.oneof(
  fc.constant<ReplySchema>({ kind: 'yes_no' }),
  options.map((all): ReplySchema => ({ kind: 'choice', options: all })),
  options.map((all): ReplySchema => ({ kind: 'multi_choice', options: all, min: 1, max: all.length })),
  fc.constantFrom<ReplySchema>(
    { kind: 'text', max_chars: 80 },
    { kind: 'number', min: 0, max: 9 },
    { kind: 'date' },
  ),
)
/** A decision of every type, with all that may stand beside one. */
const decision = (id: string): fc.Arbitrary<Decision> => {
  const asked = {
    id: fc.constant(id),
    prompt: words(500),
    description: words(200),
    required: fc.boolean(),
  }
  return fc.oneof(
    fc.record({ type: fc.constant('approval' as const), default: fc.boolean(), ...asked }),
    fc.record({ type: fc.constant('text' as const), ...asked }),
    optionsOf(4).chain(all =>
      fc.record({
        type: fc.constant('choice' as const),
        options: fc.tuple(...all.map(one => words(200).map(description => ({ ...one, description })))),
        ...asked,
      }),
    ),
  )
}
/** One, a few, or as many as there can be; every day the most are tried less often, for they take the longest. */
const form: fc.Arbitrary<ReplySchema> = fc
  .oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: ALL ? 1 : 4, arbitrary: fc.integer({ min: 2, max: 5 }) },
    { weight: ALL ? 5 : 1, arbitrary: fc.integer({ min: 2, max: 50 }) },
  )
  .chain(count =>
    fc.record({
      kind: fc.constant('form' as const),
      context: words(300),
      blocking: fc.array(fc.record({ task_id: fc.constant('T-7'), description: words(200) }), {
        maxLength: 2,
      }),
      decisions: fc.tuple(...Array.from({ length: count }, (_, at) => decision(`d${at}`))),
    }),
  )
const common = { deadline_seconds: fc.constant(60), default_action: fc.constantFrom(...DEFAULT_ACTIONS) }
const requests: fc.Arbitrary<Request> = fc.oneof(
  fc.record({
    type: fc.constant('REQUEST_QUESTION' as const),
    question_id: fc.constant('q-1'),
    question_text: words(500),
    impact: words(500),
    context_handles: fc.oneof(fc.array(handle, { maxLength: 2 }), fc.array(handle, { maxLength: 20 })),
    reply_schema: fc.oneof(schema, form),
    ...common,
  }),
  fc.record({
    type: fc.constant('REQUEST_REVIEW' as const),
    review_id: fc.constant('r-1'),
    lens: fc.constantFrom(...LENSES),
    why: words(500),
    target_handles: fc.array(handle, { minLength: 1, maxLength: 20 }),
    reply_schema: schema,
    ...common,
  }),
  fc.record({
    type: fc.constant('REQUEST_APPROVAL' as const),
    approval_id: fc.constant('a-1'),
    why: words(500),
    action: fc.constantFrom('PUBLISH', 'A'.repeat(64), 'USE_TOOL', 'RUN_STEP'),
    parameters: fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), digest, {
      minKeys: 1,
      maxKeys: 20,
    }),
    reply_schema: fc.constant({ kind: 'yes_no' as const }),
    ...common,
  }),
)
const displayOf = (request: Request): Display =>
  display(
    {
      request,
      request_hash: `sha256:${'c'.repeat(64)}`,
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      deadline_at: '2026-02-17T14:00:05.000Z',
      terms: { urgency: 'normal' },
      asked_by: 'release-agent',
      origin: null,
    },
    'release-agent',
  )

function pageOf(shown: Display): string {
  const state = {
    display: shown,
    elsewhere: null,
    csrf: 'c',
    refused: null,
    typed: null,
    settled: [],
    openable: [],
    standing: null,
    beside: null,
    now: shown.deadline_at,
  }
  return page({ kind: 'open', handle: HANDLE, ...state }, 200).body
}

function formParts(schema: ReplySchema): readonly string[] {
  if (schema.kind !== 'form') return []
  const { context = '', blocking = [], decisions } = schema
  return [
    context,
    ...blocking.flatMap(({ description, task_id = '' }) => [description, task_id]),
    ...decisions.flatMap(one => [
      one.id,
      one.prompt,
      one.description ?? '',
      ...('options' in one
        ? one.options.flatMap(each => [each.label, each.value, each.description ?? ''])
        : []),
    ]),
  ]
}

/** All of what is decided that a text does not hold; digests however they are grouped. */
function missing(
  text: string,
  { headline, impact, why, handles, reply_schema }: Display,
  undone: (text: string) => string,
) {
  const labelled = 'options' in reply_schema ? reply_schema.options : []
  const parts = [
    headline,
    ...(impact === null ? [] : [impact]),
    ...(why === null ? [] : [why]),
    ...formParts(reply_schema),
    ...labelled.flatMap(one => [one.label, one.value]),
  ]
  const named = handles.flatMap(({ name, handle: pointer }) => [...(name === null ? [] : [name]), pointer])
  return [
    ...parts.filter(part => !undone(text).includes(undone(part))),
    ...named.filter(part => !bare(undone(text)).includes(bare(part))),
  ]
}

describe.each(Object.entries(CHANNELS))('%s', (_name, { shows, read, undone }) => {
  test('whatever is asked: a copy that can be answered here shows all of what is decided, whole', () => {
    let whole = 0
    fc.assert(
      fc.property(requests, request => {
        const shown = displayOf(request)
        if (!shows(shown)) return
        whole += 1
        for (const text of read(shown, ANSWERED_HERE)) expect(missing(text, shown, undone)).toEqual([])
      }),
      { numRuns: ALL ? 300 : 60 },
    )
    expect(whole).toBeGreaterThan(0)
  })

  test('whatever is asked: an announcement names who asks and leads to the page, and is no way to answer', () => {
    fc.assert(
      fc.property(requests, request => {
        for (const text of read(displayOf(request), ANNOUNCED)) {
          expect(text).toContain('release-agent')
          expect(text).toContain(PAGE_CODE)
          expect(text).not.toContain(HANDLE)
          expect(text).not.toMatch(
            /Reply (?:Y|with|YES)|reply in|reply to this message|Press a button|End with/,
          )
        }
      }),
    )
  })

  test('no permission prompt and no step is approved where its content is not shown', () => {
    fc.assert(
      fc.property(requests, request => {
        const shown = displayOf(request)
        const blind = shown.action === 'USE_TOOL' || shown.action === 'RUN_STEP'
        if (blind) expect(shows(shown)).toBe(false)
      }),
    )
  })
})

describe('an option whose label mixes scripts', () => {
  const LABELS = [
    { value: 'payee', label: 'p\u0430ypal' },
    { value: 'bank', label: 'The bank' },
  ]
  const MARK = 'look-alike: a word mixes Latin and Cyrillic letters'
  const SCHEMAS: readonly ReplySchema[] = [
    { kind: 'choice', options: LABELS },
    { kind: 'multi_choice', options: LABELS, min: 1, max: 2 },
    {
      kind: 'form',
      decisions: [{ id: 'd1', type: 'choice', prompt: 'Whom?', required: true, options: LABELS }],
    },
  ]
  const asked = SCHEMAS.map(reply_schema =>
    displayOf({
      type: 'REQUEST_QUESTION',
      question_id: 'q',
      question_text: 'Whom?',
      impact: 'Pays them',
      context_handles: [],
      deadline_seconds: 600,
      default_action: 'HALT',
      reply_schema,
    }),
  )
  test.each(Object.entries(CHANNELS))('is marked as such on %s', (_name, { shows, read }) => {
    // A text message has no room for the longest of them.
    const answered = asked.filter(shows)
    expect(answered.length).toBeGreaterThan(0)
    for (const shown of answered)
      for (const text of read(shown, ANSWERED_HERE)) expect(text.split(MARK)).toHaveLength(2)
  })

  test('is marked as such on the page', () => {
    for (const shown of asked) expect(unescaped(pageOf(shown)).split(MARK)).toHaveLength(2)
  })
})

describe('a person whose codes rest', () => {
  const rested = { channel: 'sms', until: '2026-11-01T12:15:00.000Z' } as const
  const shown = displayOf({
    type: 'REQUEST_QUESTION',
    question_id: 'q',
    question_text: 'Ship it?',
    impact: 'Decides what the run does',
    context_handles: [],
    deadline_seconds: 600,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
  })
  test.each(Object.entries(CHANNELS))(
    'is told so on %s by every copy that takes the place of a code',
    (_name, { read }) => {
      const told = [read(shown, { ...ANNOUNCED, rested }), read(shown, { ...ANNOUNCED })]
      for (const text of told[0] ?? []) expect(text).toMatch(/Too many wrong codes came .* until 1 Nov/)
      for (const text of told[1] ?? []) expect(text).not.toContain('wrong codes')
    },
  )

  test('is not told so before everybody in a channel', () => {
    const card = slack.card(shown, { ...ANSWERED_HERE, rested, mention: 'U1' })
    expect(textsOf(card.blocks)).not.toContain('wrong codes')
  })
})

describe('what a request was made from', () => {
  const request: Request = {
    type: 'REQUEST_QUESTION',
    question_id: 'q-1',
    question_text: 'Do as scout recommends?',
    impact: 'Rotate the key',
    context_handles: [],
    deadline_seconds: 60,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
  }
  const origin = { system: 'ahil', ref: 'scout-1 in log', hash: `sha256:${'d'.repeat(64)}` } as const
  const shown: Display = { ...displayOf(request), origin }
  const words = 'by its own word from AHIL scout-1 in log'
  /** A text message has no room for it, as it has none for the run. */
  const told = Object.entries(CHANNELS).filter(([name]) => name !== 'sms')

  test.each(told)('is named on %s as the caller’s word', (_, { read }) => {
    for (const text of read(shown, ANSWERED_HERE)) expect(text.replace(/\s+/g, ' ')).toContain(words)
    for (const text of read(displayOf(request), ANSWERED_HERE)) expect(text).not.toContain('own word')
  })

  test('is named on the page as the caller’s word', () => {
    expect(unescaped(pageOf(shown))).toContain(words)
    expect(pageOf(displayOf(request))).not.toContain('own word')
  })
})

describe('the page', () => {
  test('whatever is asked: it shows all of what is decided, whole', () => {
    fc.assert(
      fc.property(requests, request => {
        const shown = displayOf(request)
        expect(missing(unescaped(pageOf(shown)), shown, same)).toEqual([])
      }),
    )
  })
})
