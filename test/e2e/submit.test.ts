// What may be asked. Every refusal has its code and names its field, and leaves the ledger as it was.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, approval, type LaneUnderTest, question, review, startLane } from '../lane-under-test.js'

type Json = Record<string, unknown>
type FieldError = { readonly field: string; readonly read: string; readonly accepted: string }

const HASH = `sha256:${'c'.repeat(64)}`
let lane: LaneUnderTest
let runs = 0
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.close())

/** Each submission in a run of its own: the limit on open questions is another file's matter. */
const submit = (request: Json, envelope: Json = {}): Promise<Answer> =>
  lane.submit(request, { run: { run_id: `run-${runs++}`, mood: 'DEFERENTIAL' }, ...envelope })

const errorsOf = (answer: Answer): FieldError[] => (answer.json.errors ?? []) as FieldError[]

/** Deliveries of earlier requests go on meanwhile; a submission can only enter by its opening. */
const openings = async (): Promise<number> =>
  (await lane.ledger()).filter(({ type }) => type === 'REQUEST_OPENED').length

/** The refusal, once it is certain that nothing of it was recorded. */
async function refused(attempt: () => Promise<Answer>, status: number, code: string): Promise<Answer> {
  const before = await openings()
  const answer = await attempt()
  expect([answer.status, answer.json.code]).toEqual([status, code])
  expect(await openings()).toBe(before)
  return answer
}

async function refusedField(request: Json, field: string, envelope: Json = {}): Promise<FieldError> {
  const answer = await refused(() => submit(request, envelope), 422, 'invalid_request')
  const error = errorsOf(answer).find(one => one.field === field)
  expect(error, `${field} in ${answer.text}`).toBeDefined()
  expect(error?.accepted).not.toBe('')
  return error as FieldError
}

const without = (request: Json, field: string): Json =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== field))

const TYPES = [
  ['LANE-001', 'question', question, 'question_id'],
  ['LANE-002', 'review', review, 'review_id'],
  ['LANE-003', 'approval', approval, 'approval_id'],
] as const

describe('a request is typed', () => {
  for (const [line, noun, make, idField] of TYPES) {
    test(`[${line}] the ${noun} with all its fields is accepted and comes back as it was sent`, async () => {
      const request = make(`whole-${noun}`)
      const opened = await submit(request)
      expect(opened.status).toBe(201)
      expect(opened.json).toMatchObject({
        request_id: `whole-${noun}`,
        request,
        state: 'pending',
        answer: null,
      })
      expect((await lane.story(`whole-${noun}`))[0]?.body.request).toEqual(request)
    })

    const fields = Object.keys(make('x')).filter(field => field !== idField && field !== 'type')
    test.each(fields)(`[${line}] the ${noun} without %s is refused by that name`, async field => {
      await refusedField(without(make('bad-missing'), field), `/request/${field}`)
    })

    test(`the ${noun} that names no id is given one before it is hashed`, async () => {
      const opened = await submit(without(make('x'), idField))
      expect(opened.status).toBe(201)
      const { request_id, request } = opened.json as { request_id: string; request: Json }
      expect(request[idField]).toBe(request_id)
      expect((await submit(without(make('x'), idField))).json.request_id).not.toBe(request_id)
    })

    test(`[LANE-005] the ${noun} with one unknown field is refused, and the field is named`, async () => {
      const error = await refusedField({ ...make('bad-extra'), priority: 'high' }, '/request/priority')
      expect(error.accepted).toContain('no such field')
    })

    test(`[LANE-020] a request_id beside the ${noun}'s own id is an unknown field`, async () => {
      await refusedField({ ...make('bad-id'), request_id: 'bad-id' }, '/request/request_id')
    })

    test.each([0, -1, 1.5, 2_592_001, '600', null, 1e21])(
      `[LANE-019] the ${noun} due in %j seconds is refused`,
      async deadline_seconds => {
        const error = await refusedField(
          { ...make('bad-due'), deadline_seconds },
          '/request/deadline_seconds',
        )
        expect(error.accepted).toBe('an integer from 1 to 2592000')
      },
    )
  }

  test.each(['STATUS_UPDATE', 'REQUEST_STATUS', 'MESSAGE', 'request_question', '', 7, null])(
    '[LANE-004] [LANE-014] a request of type %j does not exist, routine status messages least of all',
    async type => {
      const answer = await refused(
        () => submit({ ...question('bad-type'), type, text: 'Still working on it' }),
        422,
        'invalid_request',
      )
      expect(errorsOf(answer)[0]?.accepted).toContain('REQUEST_QUESTION, REQUEST_REVIEW or REQUEST_APPROVAL')
    },
  )

  test.each([
    'Ship it? Or wait?',
    'Ship it？ Or wait?',
    'Ship it⁇',
    'Ship it? Or wait؟',
    'A; or B; \u037e yes?',
  ])('[LANE-006] a text that asks twice is refused: %s', async question_text => {
    await refusedField(question('bad-twice', { question_text }), '/request/question_text')
  })

  test.each(['style', 'Security', '', ['security'], null])(
    '[LANE-007] a review through the lens %j is refused and the four lenses are named',
    async lens => {
      const error = await refusedField(review('bad-lens', { lens }), '/request/lens')
      expect(error.accepted).toBe('one of security, product, correctness, clarity')
    },
  )

  test.each(['DELETE', 'publish', 'toString', '__proto__', '', 7])(
    '[LANE-008] an approval of %j, which is not configured, is refused and the configured ones are named',
    async action => {
      const error = await refusedField(approval('bad-action', { action }), '/request/action')
      if (typeof action === 'string') expect(error.accepted).toBe('one of PUBLISH, EXPORT, PROMOTE')
    },
  )

  test.each(['', '   ', '\u2800', 5, null])(
    '[LANE-009] a question whose impact is %j is refused',
    async impact => {
      await refusedField(question('bad-impact', { impact }), '/request/impact')
    },
  )

  const BLOBS = [
    'the diff itself',
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'a'.repeat(63)}`,
    `sha256:${'a'.repeat(64)}\n`,
    'data:text/plain;base64,aGVsbG8=',
    'https://example.org/diff',
    'doc:../../etc/passwd',
    `doc:${'a'.repeat(129)}`,
    { content: 'inline' },
    7,
  ]
  test.each(BLOBS)('[LANE-010] %j is no pointer, and is refused wherever a handle belongs', async blob => {
    await refusedField(
      question('bad-handle', { context_handles: [HASH, blob] }),
      '/request/context_handles/1',
    )
    await refusedField(review('bad-handle', { target_handles: [blob] }), '/request/target_handles/0')
    await refusedField(approval('bad-handle', { parameters: { diff: blob } }), '/request/parameters/diff')
  })

  test('[LANE-010] a name whose content is not fixed may be looked at, never approved', async () => {
    expect((await submit(review('named', { target_handles: ['diff:release-42'] }))).status).toBe(201)
    await refusedField(
      approval('bad-name', { parameters: { diff: 'diff:release-42' } }),
      '/request/parameters/diff',
    )
  })

  test('[LANE-010] there are at most 20 handles, at least one to review, and at least one parameter', async () => {
    const many = Array.from({ length: 21 }, () => HASH)
    await refusedField(question('bad-many', { context_handles: many }), '/request/context_handles')
    await refusedField(review('bad-many', { target_handles: many }), '/request/target_handles')
    await refusedField(review('bad-none', { target_handles: [] }), '/request/target_handles')
    await refusedField(approval('bad-none', { parameters: {} }), '/request/parameters')
    const named = Object.fromEntries(many.map((hash, index) => [`p${index}`, hash]))
    await refusedField(approval('bad-many', { parameters: named }), '/request/parameters')
  })

  const BLOB = 'x'.repeat(20_000)
  test.each([
    ['/request/question_text', question('bad-blob', { question_text: BLOB })],
    ['/request/impact', question('bad-blob', { impact: BLOB })],
    ['/request/context_handles/0', question('bad-blob', { context_handles: [BLOB] })],
    ['/request/question_id', question(BLOB)],
    ['/request/lens', review('bad-blob', { lens: BLOB })],
    ['/request/target_handles/0', review('bad-blob', { target_handles: [BLOB] })],
    ['/request/action', approval('bad-blob', { action: BLOB })],
    ['/request/parameters/p', approval('bad-blob', { parameters: { p: BLOB } })],
    ['/request/default_action', question('bad-blob', { default_action: BLOB })],
  ])('[LANE-011] a blob at %s is refused, and not repeated in the refusal', async (field, request) => {
    const answer = await refused(() => submit(request), 422, 'invalid_request')
    expect(errorsOf(answer).map(one => one.field)).toContain(field)
    expect(answer.text.length).toBeLessThan(4_000)
  })

  test('[LANE-011] what is larger than any request is refused before it is read', async () => {
    const answer = await refused(
      () => submit(question('bad-huge', { impact: 'x'.repeat(70_000) })),
      413,
      'too_large',
    )
    expect(answer.json.detail).toContain('PUT /v1/blobs')
  })

  test('[LANE-012] no field takes free prose to be sent: people read what the typed object says, and only that', async () => {
    for (const extra of ['message', 'text', 'body', 'subject', 'html', 'template', 'note']) {
      await refusedField({ ...question('bad-prose'), [extra]: 'Dear all' }, `/request/${extra}`)
      const beside = await refused(
        () => submit(question('bad-prose'), { [extra]: 'Dear all' }),
        422,
        'invalid_request',
      )
      expect(errorsOf(beside)[0]?.field).toBe(`/${extra}`)
    }
    expect((await submit(question('prose-1', { impact: 'Only this impact' }))).status).toBe(201)
    const page = await lane.call('GET', (await lane.link('prose-1')).link, { key: null })
    expect(page.text).toContain('Ship the release today?')
    expect(page.text).toContain('Only this impact')
  })

  test.each([
    ['\u202e', 'U+202E'],
    ['\u200b', 'U+200B'],
    ['\u2066', 'U+2066'],
    ['\u0007', 'U+0007'],
    ['\n', 'U+000A'],
    ['\ufeff', 'U+FEFF'],
    ['\u{e0041}', 'U+E0041'],
  ])('text that is shown refuses %j, and says which character it is', async (character, name) => {
    const text = `Ship${character} it?`
    const asked = await refusedField(question('bad-bidi', { question_text: text }), '/request/question_text')
    expect(asked.accepted).toContain(name)
    await refusedField(question('bad-bidi', { impact: text }), '/request/impact')
    const options = [
      { value: 'a', label: text },
      { value: 'b', label: 'B' },
    ]
    await refusedField(
      question('bad-bidi', { reply_schema: { kind: 'choice', options } }),
      '/request/reply_schema/options/0/label',
    )
  })

  test.each(['', '.', '../x', 'a b', 'ä', 'a/b', 'a'.repeat(129), 7, null])(
    'an id that could not stand in a URL is refused: %j',
    async id => {
      await refusedField({ ...question('x'), question_id: id }, '/request/question_id')
    },
  )
})

describe('silence is safe', () => {
  const UNSAFE = ['APPROVE', 'YES', 'PUBLISH', 'CONTINUE', 'ALLOW', 'EXPORT', 'RETRY', 'halt', '', null, true]
  test.each(UNSAFE)(
    '[LANE-017] a default of %j is refused at submit for every type',
    async default_action => {
      for (const make of [question, review, approval]) {
        const error = await refusedField(make('bad-default', { default_action }), '/request/default_action')
        expect(error.accepted).toContain('HALT')
      }
    },
  )

  test('[LANE-016] a question without a default has no escape hatch and is refused', async () => {
    await refusedField(without(question('bad-nodefault'), 'default_action'), '/request/default_action')
  })

  const DEFAULTS = [
    'HALT',
    'SPLIT',
    'DOWNGRADE_TO_HYPOTHESIS',
    'QUARANTINE_OUTPUTS',
    'DENY',
    'DO_NOT_PUBLISH',
    'DO_NOT_EXPORT',
  ]
  test.concurrent.each(DEFAULTS)(
    '[LANE-018] [LANE-066] the default %s is accepted, shown, recorded and held',
    async default_action => {
      const id = `default-${default_action}`
      const opened = await submit(question(id, { default_action, deadline_seconds: 2 }))
      expect(opened.status).toBe(201)
      expect(opened.json.default_action).toBe(default_action)
      expect((await lane.story(id))[0]?.body.request).toMatchObject({ default_action, deadline_seconds: 2 })
      const settled = await lane.outcome(id)
      expect(settled.json).toMatchObject({
        state: 'defaulted',
        default_action,
        default_applied: true,
        answer: null,
      })
    },
  )

  test.each([
    ['PUBLISH', 'DO_NOT_PUBLISH', 201],
    ['PUBLISH', 'DENY', 201],
    ['PUBLISH', 'QUARANTINE_OUTPUTS', 201],
    ['EXPORT', 'DO_NOT_EXPORT', 201],
    ['EXPORT', 'HALT', 201],
    ['PUBLISH', 'DO_NOT_EXPORT', 422],
    ['EXPORT', 'DO_NOT_PUBLISH', 422],
    ['PUBLISH', 'SPLIT', 422],
    ['PUBLISH', 'DOWNGRADE_TO_HYPOTHESIS', 422],
  ])(
    '[LANE-017] [LANE-018] an approval of %s may default to %s: %i',
    async (action, default_action, status) => {
      const request = approval(`fits-${action}-${default_action}`, { action, default_action })
      if (status === 201) expect((await submit(request)).status).toBe(201)
      else await refusedField(request, '/request/default_action')
    },
  )

  test('[LANE-066] the deadline is the opening plus deadline_seconds, to the millisecond', async () => {
    const opened = await submit(question('exact-due', { deadline_seconds: 2_592_000 }))
    const { opened_at, deadline_at } = opened.json as { opened_at: string; deadline_at: string }
    expect(Date.parse(deadline_at) - Date.parse(opened_at)).toBe(2_592_000_000)
    const [entry] = await lane.story('exact-due')
    expect(entry?.at).toBe(opened_at)
    expect(entry?.body.deadline_at).toBe(deadline_at)
  })
})

describe('a reply schema is bounded', () => {
  const two = [
    { value: 'a', label: 'A' },
    { value: 'b', label: 'B' },
  ]
  test.each<[string, unknown, string]>([
    ['text without max_chars', { kind: 'text' }, '/max_chars'],
    ['text of 501', { kind: 'text', max_chars: 501 }, '/max_chars'],
    ['text of 0', { kind: 'text', max_chars: 0 }, '/max_chars'],
    ['a number without max', { kind: 'number', min: 0 }, '/max'],
    ['a number without min', { kind: 'number', max: 9 }, '/min'],
    ['a number from 9 to 0', { kind: 'number', min: 9, max: 0 }, '/max'],
    ['a number with step 0', { kind: 'number', min: 0, max: 9, step: 0 }, '/step'],
    ['a number up to 1e300', { kind: 'number', min: 0, max: 1e300 }, '/max'],
    ['a unit that is markup', { kind: 'number', min: 0, max: 9, unit: '<b>' }, '/unit'],
    ['a choice without options', { kind: 'choice' }, '/options'],
    ['a choice of one', { kind: 'choice', options: two.slice(1) }, '/options'],
    [
      'a choice of 27',
      { kind: 'choice', options: [...Array(27)].map((_, i) => ({ value: `v${i}`, label: 'L' })) },
      '/options',
    ],
    [
      'two options of one value',
      {
        kind: 'choice',
        options: [
          { value: 'x', label: '1' },
          { value: 'X', label: '2' },
        ],
      },
      '/options/1/value',
    ],
    [
      "a value that is another's letter",
      {
        kind: 'choice',
        options: [
          { value: 'B', label: '1' },
          { value: 'x', label: '2' },
        ],
      },
      '/options/0/value',
    ],
    ['many without max', { kind: 'multi_choice', options: two, min: 1 }, '/max'],
    ['more than there are', { kind: 'multi_choice', options: two, min: 1, max: 3 }, '/max'],
    ['a date that is none', { kind: 'date', min: '2026-02-30' }, '/min'],
    ['an unknown kind', { kind: 'regex', pattern: '.*' }, ''],
    ['an unknown field', { kind: 'yes_no', max_chars: 5 }, '/max_chars'],
    ['nothing', {}, ''],
    ['a list', [], ''],
  ])('[LANE-027] %s is refused at submit', async (_, reply_schema, place) => {
    const answer = await refused(
      () => submit(question('bad-schema', { reply_schema })),
      422,
      'invalid_request',
    )
    const fields = errorsOf(answer).map(one => one.field)
    expect(
      fields.some(field => field.startsWith(`/request/reply_schema${place}`)),
      answer.text,
    ).toBe(true)
  })

  test('an approval is answered YES or NO, and in no other way', async () => {
    await refusedField(
      approval('bad-reply', { reply_schema: { kind: 'text', max_chars: 5 } }),
      '/request/reply_schema/kind',
    )
  })

  test('a form and a callback are known, and refused as not available yet', async () => {
    const form = question('bad-form', { reply_schema: { kind: 'form', decisions: [] } })
    await refused(() => submit(form), 422, 'not_available')
    await refused(
      () => submit(question('bad-cb'), { callback_url: 'https://example.org/' }),
      422,
      'not_available',
    )
  })
})

describe('JSON has one meaning', () => {
  const raw = (body: string | Uint8Array, type = 'application/json'): Promise<Answer> =>
    lane.call('POST', '/v1/requests', { raw: body, headers: { 'content-type': type } })
  const whole = (id: string): string =>
    JSON.stringify({
      request: question(id),
      run: { run_id: 'run-json', mood: 'DEFERENTIAL' },
      recipients: ['operator'],
    })
  const good = whole('bad-json')

  test.each<[string, string]>([
    ['nothing', ''],
    ['half', good.slice(0, -1)],
    ['two in a row', `${good}${good}`],
    ['a comma too many', good.replace(/\}$/, ',}')],
    ['single quotes', good.replaceAll('"', "'")],
    ['NaN', good.replace('600', 'NaN')],
    ['a number too large', good.replace('600', '1e999')],
    ['a comment', `/* hello */${good}`],
    [
      'the same key twice',
      good.replace('"default_action":"HALT"', '"default_action":"HALT","default_action":"DENY"'),
    ],
    [
      'the same key twice, once escaped',
      good.replace('"default_action":', '"default_actio\\u006e":"DENY","default_action":'),
    ],
    [
      'the same key twice in the envelope',
      good.replace('"recipients":', '"recipients":["second"],"recipients":'),
    ],
    ['a lone surrogate', good.replace('Ship', '\\ud800Ship')],
    ['a bare control character', good.replace('Ship', '\u0001Ship')],
    ['__proto__', good.replace('"type"', '"__proto__":{"x":1},"type"')],
    ['constructor', good.replace('"type"', '"constructor":{"x":1},"type"')],
    ['__proto__, escaped', good.replace('"type"', '"\\u005f_proto__":{"x":1},"type"')],
    ['arrays a thousand deep', `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['objects a thousand deep', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`],
    ['sixty thousand brackets', '['.repeat(60_000)],
    ['a thousand and one keys', `{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join(',')}}`],
    ['a byte order mark', `\ufeff${good}`],
  ])('%s is malformed_json', async (_, body) => {
    const answer = await refused(() => raw(body), 400, 'malformed_json')
    expect(answer.json.detail).not.toBe('')
  })

  test('bytes that are not UTF-8 are refused, not repaired', async () => {
    const bytes = Buffer.from(good.replace('Ship', 'S\u00ffhip'), 'latin1')
    const answer = await refused(() => raw(bytes), 400, 'malformed_json')
    expect(answer.json.detail).toContain('UTF-8')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'multipart/form-data',
  ])('a submission sent as %s is refused with the type that is taken', async type => {
    const answer = await refused(() => raw(good, type), 415, 'unsupported_media_type')
    expect(answer.json.detail).toContain('application/json')
  })

  test.each(['null', '[]', '"x"', '7', 'true', '{}'])('%s is JSON, and no submission', async body => {
    await refused(() => raw(body), 422, 'invalid_request')
  })

  test.each<[string, Json]>([
    ['/request', { request: 'ship it' }],
    ['/request', { request: null }],
    ['/run', { run: 'run-1' }],
    ['/run/run_id', { run: { mood: 'DEFERENTIAL' } }],
    ['/run/mood', { run: { run_id: 'r' } }],
    ['/run/agent', { run: { run_id: 'r', mood: 'DEFERENTIAL', agent: 'me' } }],
    ['/run/sub_mode', { run: { run_id: 'r', mood: 'DEFERENTIAL', sub_mode: 'review' } }],
    ['/recipients', { recipients: 'operator' }],
    ['/recipients', { recipients: [] }],
    ['/recipients', { recipients: ['operator', 'operator'] }],
    ['/recipients/0', { recipients: [7] }],
    ['/recipients/0/address', { recipients: [{ user_id: 'operator', address: 'x' }] }],
    ['/recipients/0/channels/0', { recipients: [{ user_id: 'operator', channels: ['fax'] }] }],
    ['/recipients/0/channels', { recipients: [{ user_id: 'operator', channels: [] }] }],
    ['/sender_identity', { sender_identity: { user_id: 'operator', proof: 'slack_signed' } }],
    ['/answer', { answer: { parsed_choice: 'YES' } }],
  ])('a wrong type or unknown field at %s is refused by that name: %j', async (field, envelope) => {
    const answer = await refused(() => submit(question('bad-envelope'), envelope), 422, 'invalid_request')
    expect(
      errorsOf(answer).map(one => one.field),
      answer.text,
    ).toContain(field)
  })

  test('many errors at once are told, but not without end', async () => {
    const junk = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`junk${index}`, 1]))
    const answer = await refused(() => submit({ ...question('bad-all'), ...junk }), 422, 'invalid_request')
    expect(errorsOf(answer).length).toBeLessThanOrEqual(50)
    expect(answer.text.length).toBeLessThan(20_000)
  })
})
