// What a person sees in Slack: within Slack's limits whatever is asked, and nothing in it acts by itself.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formView } from '../../adapters/slack/form.js'
import { notification, typed } from '../../adapters/slack/inert.js'
import { readInputs } from '../../adapters/slack/inputs.js'
import { card, closedCard, shows } from '../../adapters/slack/render.js'
import type { Ending } from '../../src/adapter/contract.js'
import { compile } from '../../src/compiler/compile.js'
import type { FormSchema, ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Display } from '../../src/request/display.js'
import { inGroups } from '../../src/request/words.js'
import { faultsOfMessage, faultsOfView } from './block-limits.js'
import { approval, displays, HANDLE, HASH, PAGE, PLACE, question, review, text } from './displays.js'

const ANSWERED: Ending = {
  outcome: 'answered',
  at: '2026-02-17T13:00:00.000Z',
  answered_by: 'release-owner',
  answer: 'YES',
  default_action: null,
}
const REQUEST_DIGEST = `sha256:${Array(8).fill('c0ffee42').join(' ')}`
const lettered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ value: `value-${at}`, label: `Label ${at}` }))
const whole = (value: unknown): string => JSON.stringify(value)
const buttonsOf = (schema: ReplySchema): { action_id: string; value: string }[] =>
  card(question(schema), PLACE).blocks.flatMap(block =>
    block.type === 'actions' ? (block.elements as { action_id: string; value: string }[]) : [],
  )

describe('the limits of Block Kit', () => {
  test('hold for every card, open, in a channel and closed', () => {
    fc.assert(
      fc.property(displays, text(500), (display, said) => {
        expect(faultsOfMessage(card(display, PLACE))).toEqual([])
        expect(faultsOfMessage(card(display, { ...PLACE, mention: 'U0456' }))).toEqual([])
        expect(faultsOfMessage(closedCard(display, { ...ANSWERED, answer: said }))).toEqual([])
      }),
    )
  })

  test('hold for every form', () => {
    const metadata = JSON.stringify({ handle: HANDLE, channel: 'D0123456789', ts: '1700000000.000100' })
    fc.assert(
      fc.property(displays, display => {
        expect(faultsOfView(formView(display, [], metadata))).toEqual([])
      }),
    )
  })

  test('are noticed by the judge when they are passed', () => {
    const { blocks } = card(question({ kind: 'choice', options: lettered(3) }), PLACE)
    const long = whole(blocks).replace('A · Label 0', 'A'.repeat(76))
    expect(faultsOfMessage({ text: 'x', blocks: JSON.parse(long) })).toEqual([
      expect.stringMatching(/text: has 76 characters/),
    ])
    const marked = whole(blocks).replaceAll('plain_text', 'mrkdwn')
    expect(faultsOfMessage({ text: 'x', blocks: JSON.parse(marked) }).length).toBeGreaterThan(3)
  })
})

describe('a caller’s words', () => {
  const EVIL = '<!channel> <@U1> <https://evil.example|YES> *bold* :tada: `code` @here https://evil.example'

  test('stand as text and nothing else: no mention, no link, no markup, no emoji', () => {
    const { blocks } = card(question({ kind: 'yes_no' }, { headline: EVIL, impact: EVIL }), PLACE)
    const elements: unknown[] = []
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if (whole(value).includes('evil.example')) elements.push((value as { type?: string }).type)
      for (const inner of Object.values(value)) walk(inner)
    }
    walk(blocks)
    expect([...new Set(elements)].sort()).toEqual(['rich_text', 'rich_text_quote', 'text', undefined].sort())
    expect(whole(blocks)).not.toMatch(/"type":"(?:mrkdwn|markdown|broadcast|user|usergroup|channel|emoji)"/)
  })

  test('cannot act in the notification either', () => {
    const line = card(question({ kind: 'yes_no' }, { headline: EVIL }), PLACE).text
    expect(line).not.toMatch(/[<>]|:tada:/)
    expect(notification('a & <b> &lt;', 100)).toBe('a &amp; &lt;b&gt; &amp;lt;')
  })

  test('[LANE-054] show what would hide or turn them, by its number', () => {
    fc.assert(
      fc.property(displays, display => {
        const seen = whole([card(display, PLACE), closedCard(display, ANSWERED), formView(display, [], 'm')])
        expect(seen).not.toMatch(/[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|\\u0000|\\n/)
      }),
    )
    const { blocks } = card(question({ kind: 'yes_no' }, { headline: 'deny\u202Eevorppa' }), PLACE)
    expect(whole(blocks)).toContain('deny[U+202E]evorppa')
  })
})

describe('a card', () => {
  test('says what is asked, what it changes, until when, what holds otherwise, and which request it is', () => {
    const seen = whole(card(question({ kind: 'yes_no' }), PLACE))
    for (const part of [
      'release-agent',
      'run-9',
      'Which rollout should version 4.2 follow?',
      'The chosen rollout starts within the hour.',
      'HALT',
      'the run stops',
      REQUEST_DIGEST,
    ])
      expect(seen).toContain(part)
  })

  test.each<[string, Display, readonly string[]]>([
    ['a question', question({ kind: 'yes_no' }), ['"Question"', 'What your answer changes:']],
    ['a review', review, ['"Review"', 'Review for security', 'with this one concern', 'QUARANTINE_OUTPUTS']],
    [
      'an approval',
      approval,
      ['"Approval"', 'Approve PUBLISH', 'What is approved is allowed once', 'artifact: '],
    ],
  ])(
    'of %s says in its own words what is asked, open and closed, and in its form',
    (_name, display, parts) => {
      const open = whole(card(display, PLACE))
      for (const part of parts) expect(open).toContain(part)
      for (const part of [display.headline, REQUEST_DIGEST]) {
        expect(whole(closedCard(display, ANSWERED).blocks)).toContain(part)
        expect(whole(formView(display, [], 'm'))).toContain(part)
      }
    },
  )

  test('gives the deadline as a moment, which each reader sees in their own time zone', () => {
    const { blocks } = card(question({ kind: 'yes_no' }), PLACE)
    expect(whole(blocks)).toContain(
      whole({
        type: 'date',
        timestamp: 1771336805,
        format: '{date_long_pretty} at {time_secs}',
        fallback: '17 Feb 2026, 14:00:05 UTC',
      }),
    )
  })

  test('shows a handle by its whole digest, in groups, linked to the page, and a name as a name', () => {
    const named = { name: null, handle: 'doc:plan', fixed: false }
    const seen = whole(card({ ...approval, handles: [...approval.handles, named] }, PLACE))
    expect(seen).toContain(whole({ type: 'link', url: PAGE.link, text: inGroups(HASH) }))
    expect(inGroups(HASH).replaceAll(' ', '')).toBe(HASH)
    expect(seen).toContain('name only, content not fixed')
  })

  test('has the reply handle in its buttons, another in its link, and no code', () => {
    expect(whole(card(approval, PLACE))).not.toContain('K7QD')
  })

  test.each<[string, ReplySchema, string[]]>([
    ['yes_no', { kind: 'yes_no' }, ['lane:option:YES', 'lane:option:NO']],
    [
      'five choices',
      { kind: 'choice', options: lettered(5) },
      [0, 1, 2, 3, 4].map(at => `lane:option:value-${at}`),
    ],
    ['six choices', { kind: 'choice', options: lettered(6) }, ['lane:form']],
    ['several', { kind: 'multi_choice', options: lettered(3), min: 1, max: 2 }, ['lane:form']],
    ['text', { kind: 'text', max_chars: 80 }, ['lane:form']],
    ['a number', { kind: 'number', min: 0, max: 5 }, ['lane:form']],
    ['a date', { kind: 'date' }, ['lane:form']],
  ])('asks for %s by the right buttons', (_name, schema, expected) => {
    const buttons = buttonsOf(schema)
    expect(buttons.map(({ action_id }) => action_id)).toEqual(expected)
    expect(new Set(buttons.map(({ value }) => value))).toEqual(new Set([HANDLE]))
  })

  test('of an approval asks for a confirmation that names the action and the request; a question does not', () => {
    const [yes, no] = buttonsOf({ kind: 'yes_no' })
    expect([yes, no].every(button => !('confirm' in (button ?? {})))).toBe(true)
    const confirms = card(approval, PLACE).blocks.flatMap(block =>
      block.type === 'actions' ? block.elements.map(one => ('confirm' in one ? one.confirm : undefined)) : [],
    )
    expect(confirms).toHaveLength(2)
    for (const confirm of confirms)
      expect(whole(confirm)).toMatch(/Approve PUBLISH.*sha256:c0ffee42 (?:c0ffee42 ?){7}\./)
  })

  test('a label is never cut: one too long for a button stands whole in the list, with its value', () => {
    const label = `${'Delete nothing at all '.repeat(3)}now, then`
    const options = [
      { value: 'delete-all', label },
      { value: 'keep', label: 'Keep it' },
    ]
    const open = card(question({ kind: 'choice', options }), PLACE)
    const faces = buttonsOf({ kind: 'choice', options }).map(
      button => (button as { text?: { text: string } }).text?.text,
    )
    expect(faces).toEqual(['A', 'B · Keep it'])
    for (const seen of [whole(open), whole(formView(question({ kind: 'choice', options }), [], 'm'))])
      for (const part of [label, 'delete-all', 'Keep it', '"keep"']) expect(seen).toContain(part)
  })

  test('half a request is not answerable here: what a card cannot show is announced, without a button', () => {
    const prompt = { ...approval, action: 'USE_TOOL', headline: 'Approve USE_TOOL' }
    const handles = Array.from({ length: 200 }, () => ({ name: 'n', handle: HASH, fixed: true }))
    for (const display of [prompt, { ...approval, handles }]) {
      expect(shows(display)).toBe(false)
      const made = card(display, { ...PLACE, reply: null })
      expect(faultsOfMessage(made)).toEqual([])
      expect(made.blocks.map(({ type }) => type)).not.toContain('actions')
      expect(whole(made)).not.toContain(HANDLE)
      expect(whole(made)).not.toMatch(/[Rr]eply|3f9a1b2c/)
      expect(whole(made)).toContain(
        whole({ type: 'link', url: PAGE.link, text: 'Read all of it and answer on its page' }),
      )
      expect(whole(made)).toContain('K7QD')
    }
    expect(whole(card(approval, { ...PLACE, reply: null, page: { ...PAGE, code: null } }))).not.toMatch(
      /code |K7QD/,
    )
  })

  test('whatever the lane admits is shown whole', () => {
    fc.assert(fc.property(displays, display => void expect(shows(display)).toBe(true)))
  })

  test('that is closed says who, what and when, and has no button left', () => {
    const { blocks } = closedCard(approval, ANSWERED)
    expect(blocks.map(({ type }) => type)).not.toContain('actions')
    expect(whole(blocks)).toMatch(/release-owner.* answered .*YES.*1771333200/)
  })

  test.each([
    ['defaulted', /Nobody answered in time.*DENY/],
    ['undelivered', /It reached nobody in time.*DENY/],
    ['withdrawn', /It was withdrawn on/],
  ] as const)('that is %s names no person', (outcome, seen) => {
    const end = { ...ANSWERED, outcome, answered_by: null, answer: null, default_action: 'DENY' as const }
    expect(whole(closedCard(approval, end))).toMatch(seen)
    expect(whole(closedCard(approval, end))).not.toMatch(/release-owner|null/)
  })
})

describe('a form', () => {
  const inputOf = (schema: ReplySchema): Record<string, unknown> => {
    const last = formView(question(schema), [], 'm').blocks.at(-1)
    return last !== undefined && 'element' in last ? { ...last.element } : {}
  }

  test.each<[string, ReplySchema, Record<string, unknown>]>([
    ['six choices', { kind: 'choice', options: lettered(6) }, { type: 'radio_buttons' }],
    ['eleven choices', { kind: 'choice', options: lettered(11) }, { type: 'static_select' }],
    [
      'several of ten',
      { kind: 'multi_choice', options: lettered(10), min: 1, max: 2 },
      { type: 'checkboxes' },
    ],
    [
      'several of eleven',
      { kind: 'multi_choice', options: lettered(11), min: 1, max: 2 },
      { type: 'multi_static_select', max_selected_items: 2 },
    ],
    ['text', { kind: 'text', max_chars: 80 }, { type: 'plain_text_input', max_length: 160 }],
    [
      'a number in whole steps',
      { kind: 'number', min: 0, max: 200, step: 5 },
      { type: 'number_input', is_decimal_allowed: false, min_value: '0', max_value: '200' },
    ],
    [
      'a number with decimals',
      { kind: 'number', min: 0.000001, max: 1.5 },
      { type: 'number_input', is_decimal_allowed: true, min_value: '0.000001', max_value: '1.5' },
    ],
    ['a date', { kind: 'date' }, { type: 'datepicker' }],
  ])('asks for %s by the right input, with nothing chosen beforehand', (_name, schema, expected) => {
    const input = inputOf(schema)
    expect(input).toMatchObject(expected)
    expect(Object.keys(input).filter(key => key.startsWith('initial'))).toEqual([])
  })

  const filled = (value: Record<string, unknown>) =>
    ({ values: { answer: { value } } }) as unknown as Parameters<typeof readInputs>[0]
  const picked = (value: string) => ({ text: { type: 'plain_text', text: 'x' }, value })
  test.each<[string, ReplySchema, Record<string, unknown>]>([
    ['a choice', { kind: 'choice', options: lettered(6) }, { selected_option: picked('value-3') }],
    [
      'several',
      { kind: 'multi_choice', options: lettered(6), min: 1, max: 6 },
      { selected_options: [picked('value-1'), picked('value-4')] },
    ],
    ['text', { kind: 'text', max_chars: 20 }, { value: 'Ship on Monday.' }],
    ['a number', { kind: 'number', min: 0, max: 50 }, { value: '12.5' }],
    ['a date', { kind: 'date' }, { selected_date: '2026-02-17' }],
  ])('gives %s back as the grammar reads it', (_name, schema, value) => {
    expect(compile(schema, readInputs(filled(value)).text)).toMatchObject({ ok: true })
  })

  test.each([{ value: null }, { selected_option: null }, { selected_options: [] }, { selected_date: null }])(
    'left empty (%o) is the empty reply',
    value => expect(readInputs(filled(value)).text).toBe(''),
  )
})

describe('what Slack makes of typed words is taken back, once', () => {
  test.each([
    ['YES', 'YES'],
    ['1 &lt; 2 &amp; 3 &gt; 2', '1 < 2 & 3 > 2'],
    ['&amp;lt;', '&lt;'],
    ['<http://example.org|example.org>', 'example.org'],
    ['<https://example.org/a>', 'https://example.org/a'],
    ['<mailto:a@example.org|a@example.org>', 'a@example.org'],
    ['<tel:+15551230000|+15551230000>', '+15551230000'],
  ])('%s is %s', (came, meant) => expect(typed(came)).toBe(meant))

  test.each(['<https://evil.example|YES>', '<@U1|YES>', '<!here|YES>', '<#C1|YES>', '<!date^1^{date}|YES>'])(
    'a link, mention or command under the word YES is not YES: %s',
    came => expect(compile({ kind: 'yes_no' }, typed(came))).toMatchObject({ ok: false }),
  )

  test('[LANE-054] whatever Slack wraps, no markup comes through the grammar of text', () => {
    fc.assert(
      fc.property(text(80), said => {
        const compiled = compile({ kind: 'text', max_chars: 500 }, typed(said))
        const payload = compiled.ok ? compiled.answer.parsed_payload : null
        const text = payload !== null && 'text' in payload ? payload.text : ''
        expect(text).not.toMatch(/[<>&*_~`|@#\p{Cc}\p{Cf}]/u)
      }),
    )
  })
})

describe('a form of decisions', () => {
  const approvals = (count: number): FormSchema => ({
    kind: 'form',
    context: 'All of these were built.\n\nNone is tried yet.',
    blocking: [{ task_id: 'T-1', description: 'The release' }],
    decisions: Array.from({ length: count }, (_, at) => ({
      id: `d${at}`,
      type: 'approval' as const,
      prompt: `Take part ${at}?`,
      description: 'One line.\nAnother.',
      required: true,
      default: true,
      reason: { when: 'on_no' as const, max_chars: 500 },
    })),
  })
  const ids = (view: ReturnType<typeof formView>): readonly string[] =>
    view.blocks.flatMap(block =>
      'block_id' in block && block.block_id?.startsWith('d.') ? [block.block_id] : [],
    )

  test('of fifty keeps within Slack’s limits, comes in parts, and the parts are all of it', () => {
    const form = approvals(50)
    const seen: string[] = []
    for (let part = 0; seen.length < 50; part++) {
      expect(part).toBeLessThan(10)
      const view = formView(question(form), seen, 'm')
      expect(faultsOfView(view)).toEqual([])
      seen.push(...ids(view).map(id => id.slice(2)))
    }
    expect(seen).toEqual(form.decisions.map(({ id }) => id))
  })

  test('leaves out what was answered, and preselects nothing, the default neither', () => {
    const view = formView(question(approvals(3)), ['d1'], 'm')
    expect(ids(view)).toEqual(['d.d0', 'd.d2'])
    expect(JSON.stringify(view)).not.toMatch(/initial_/)
    expect(whole(view)).toContain('the caller’s default is YES')
  })

  test('gives back a line for each decision that was filled in, and its comment beside it', () => {
    const state = {
      values: {
        'd.d0': { value: { selected_option: { value: 'NO' } } },
        'c.d0': { value: { value: 'too early' } },
        'd.d1': { value: { selected_option: null } },
        'd.note': { value: { value: 'one\nd1 YES' } },
      },
    } as unknown as Parameters<typeof readInputs>[0]
    expect(readInputs(state)).toEqual({ text: 'd0 NO\nnote one¶d1 YES', fields: { 'c.d0': 'too early' } })
  })

  test('a card shows every decision with all that is decided, or announces', () => {
    expect(shows(question(approvals(3)))).toBe(true)
    expect(whole(card(question(approvals(3)), PLACE))).toContain('Take part 2?')
    expect(shows(question(approvals(50)))).toBe(false)
  })
})

describe('a reason', () => {
  const asked = (when: 'on_no' | 'optional'): ReplySchema => ({
    kind: 'yes_no',
    reason: { when, max_chars: 80 },
  })
  const faces = (schema: ReplySchema): readonly string[] =>
    card(question(schema), PLACE).blocks.flatMap(block =>
      block.type === 'actions'
        ? block.elements.map(one => ('text' in one ? (one.text?.text ?? '') : ''))
        : [],
    )

  test('that a NO needs is given in the form, where YES and NO stand side by side', () => {
    expect(faces(asked('on_no'))).toEqual(['Answer'])
    expect(faces(asked('optional'))).toEqual(['YES', 'NO', 'Answer with a reason'])
  })
  test('has a field of its own that says it is no condition', () => {
    const view = formView(question(asked('on_no')), [], 'm')
    expect(faultsOfView(view)).toEqual([])
    expect(whole(view)).toContain('it is not a condition')
  })
})
