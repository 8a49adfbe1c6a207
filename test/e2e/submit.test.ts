// What may be asked: three types, field by field. Every refusal has its code and names its field.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, review, startLane } from '../lane-under-test.js'
import { caller, errorsOf, type Json, without } from './caller.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.close())
const { submit, refused, refusedField } = caller(() => lane)

const HASH = `sha256:${'c'.repeat(64)}`
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
      () => submit(question('bad-huge', { impact: 'x'.repeat(140_000) })),
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
