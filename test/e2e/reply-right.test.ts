// Who may answer, once: tokens, codes and proofs, two people at the same moment, and what is recorded of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, CONFIG, type LaneUnderTest, startLane, UNLIMITED } from '../lane-under-test.js'
import { csrfOf, HTML, visitor, wrongCode } from './visitor.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())
const { asked, open, post, rejectionsOf, stateOf } = visitor(() => lane)

describe('the right to answer', () => {
  test('[LANE-044] an accepted token answers once: every later use is refused, and the first answer stands', async () => {
    const reply = await asked('spent')
    const form = new URLSearchParams({
      reply: 'yes',
      code: reply.code,
      csrf: csrfOf(await open(reply)),
    }).toString()
    expect((await post(reply, form)).status).toBe(200)
    const again = await post(reply, form)
    expect([again.status, again.json.code]).toEqual([409, 'already_resolved'])
    const other = await post(reply, form.replace('reply=yes', 'reply=no'))
    expect([other.status, other.json.code]).toEqual([409, 'already_resolved'])
    expect((await lane.call('GET', '/v1/requests/spent')).json.answer).toMatchObject({ parsed_choice: 'YES' })
    const story = await lane.story('spent')
    expect(story.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
    expect(story.filter(({ type }) => type === 'REQUEST_RESOLVED')).toHaveLength(1)
    expect((await rejectionsOf('spent')).map(({ body }) => body.reason)).toEqual([
      'already_resolved',
      'already_resolved',
    ])
  })

  test('[LANE-044] twenty uses of one token at once: one is accepted', async () => {
    const reply = await asked('raced')
    const csrf = csrfOf(await open(reply))
    const forms = Array.from({ length: 20 }, (_, n) => ({
      reply: n % 2 ? 'yes' : 'no',
      code: reply.code,
      csrf,
    }))
    const all = await Promise.all(forms.map(form => post(reply, new URLSearchParams(form).toString())))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    const story = await lane.story('raced')
    expect(story.filter(({ type }) => type === 'REQUEST_RESOLVED')).toHaveLength(1)
    expect(story.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
  })

  test('[LANE-045] words that do not fit burn no token, but count toward the limit', async () => {
    const reply = await asked('typo')
    expect((await lane.answer(reply, 'yess')).status).toBe(422)
    expect((await lane.answer(reply, 'yes', wrongCode(reply))).status).toBe(403)
    expect((await lane.answer(reply, 'yes')).status).toBe(200)

    const patient = await asked('typos')
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await lane.answer(patient, 'yess')).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429])
    expect((await lane.answer(patient, 'yes')).status).toBe(429)
    expect(await stateOf('typos')).toBe('pending')
  })

  test('[LANE-038] the code and the csrf of one request are nothing to another', async () => {
    const [x, y] = [await asked('bound-x'), await asked('bound-y')]
    const code = x.code === y.code ? wrongCode(y) : x.code
    expect((await lane.answer(y, 'yes', code)).json.code).toBe('code_mismatch')
    const crossed = new URLSearchParams({ reply: 'yes', code: y.code, csrf: csrfOf(await open(x)) })
    const answer = await post(y, crossed.toString())
    expect([answer.status, answer.json.code]).toEqual([403, 'csrf_mismatch'])
    expect([await stateOf('bound-x'), await stateOf('bound-y')]).toEqual(['pending', 'pending'])
  })

  test('a code is read as people type it, and nothing near it is taken', async () => {
    const reply = await asked('code-1')
    for (const code of ['', wrongCode(reply), `${reply.code}0`, reply.code.slice(1)]) {
      expect((await lane.answer(reply, 'yes', code)).json.code).toBe('code_mismatch')
    }
    expect((await lane.answer(reply, 'yes', ` ${reply.code.toLowerCase()} `)).status).toBe(200)
  })

  test('[LANE-075] a refused reply is recorded with its reason and the hash of what was said, and not with the words', async () => {
    const reply = await asked('recorded')
    await lane.answer(reply, 'perhaps, says the reader')
    await lane.answer(reply, 'yes', wrongCode(reply))
    const [words, code] = await rejectionsOf('recorded')
    expect([words?.body.reason, code?.body.reason]).toEqual(['reply_not_in_schema', 'code_mismatch'])
    expect(words?.body).toMatchObject({
      channel: 'web',
      delivery_id: reply.delivery_id,
      raw_text_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
    const checks = words?.body.token_validation as { check: string; ok: boolean }[]
    expect(checks.at(-1)).toEqual({ check: 'reply_not_in_schema', ok: false })
    expect(checks.slice(0, -1).every(({ ok }) => ok)).toBe(true)
    expect(JSON.stringify(await lane.ledger())).not.toContain('perhaps, says')
  })

  test('an approval that nobody asked could give in a way that is enough is not asked for', async () => {
    const refused = await lane.submit(approval('weak', { action: 'PROMOTE' }))
    expect([refused.status, refused.json.code]).toEqual([422, 'cannot_be_shown'])
    expect(refused.json).toMatchObject({
      detail: 'No channel of anybody asked gives a proof that is enough for this request.',
      errors: [
        { field: '/recipients', read: 'asked on web', accepted: 'somebody who can answer by slack_signed' },
      ],
    })
    expect((await lane.call('GET', '/v1/requests/weak')).status).toBe(404)
  })

  test('a reply whose proof is not enough any more is refused, and says why', async () => {
    const before = await startLane()
    const { dataDir, agentKey, operatorKey } = before
    await before.submit(approval('weak'))
    const reply = await before.link('weak')
    await before.stop()
    const config = CONFIG.replace(
      'PUBLISH: { approvers: [operator, second], proofs: [console, link_code] }',
      'PUBLISH: { approvers: [operator, second], proofs: [slack_signed] }',
    )
    const narrower = await startLane({ config, dataDir, owned: true, keys: { agentKey, operatorKey } })
    try {
      for (let time = 0; time < 8; time++) {
        const answer = await narrower.answer(reply, 'yes')
        expect([answer.status, answer.json.code]).toEqual([403, 'reply_rejected'])
        expect(answer.json.detail).toContain('not enough for this request')
      }
      expect((await narrower.call('GET', '/v1/requests/weak')).json.state).toBe('pending')
      expect((await narrower.story('weak')).at(-1)?.body).toMatchObject({
        reason: 'proof_insufficient',
        proof: 'console',
      })
    } finally {
      await narrower.close()
    }
  })

  test('[LANE-081] two people asked: the first accepted reply wins, the second hears that it is decided', async () => {
    await lane.submit(approval('two'), { recipients: ['operator', 'second'] })
    const [first, second] = [await lane.link('two', 'operator'), await lane.link('two', 'second')]
    expect(first.link).not.toBe(second.link)
    expect((await lane.answer(second, 'no')).status).toBe(200)
    const late = await lane.answer(first, 'yes')
    expect([late.status, late.json.code]).toEqual([409, 'already_resolved'])
    const page = await lane.answer(first, 'yes', first.code, HTML)
    expect(page.status).toBe(409)
    // What a person reads of it; the style sheet has words of its own.
    expect(page.text.replace(/<style>.*?<\/style>/s, '')).not.toMatch(/second|Second person/)
    const { json } = await lane.call('GET', '/v1/requests/two')
    expect(json).toMatchObject({ state: 'answered', answer: { parsed_choice: 'NO', answered_by: 'second' } })
  })

  test('[LANE-081] two people answer at the same moment, again and again: one answer each time', async () => {
    for (let n = 0; n < 8; n++) {
      await lane.submit(approval(`both-${n}`), { recipients: ['operator', 'second'] })
      const links = [await lane.link(`both-${n}`, 'operator'), await lane.link(`both-${n}`, 'second')]
      const answers = await Promise.all(links.map((link, who) => lane.answer(link, who === 0 ? 'yes' : 'no')))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })
})

test('[LANE-051] [LANE-073] [LANE-074] what the ledger keeps of an answer has every part it must have', async () => {
  const reply = await asked('parts')
  await lane.answer(reply, 'Yes.')
  const story = await lane.story('parts')
  const [opened, , sent, received, event, resolved] = story
  expect(sent).toMatchObject({
    type: 'OUTBOUND_REQUEST_SENT',
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    body: {
      request_hash: opened?.body.request_hash,
      channel: 'web',
      recipient: 'operator',
      token_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    },
  })
  expect(received?.type).toBe('INBOUND_REPLY_RECEIVED')
  expect(received?.request_id).toBe('parts')
  const checks = received?.body.token_validation as { check: string; ok: boolean }[]
  expect(checks.every(({ ok }) => ok)).toBe(true)
  expect(checks.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'token_bad_signature',
      'request_mismatch',
      'wrong_recipient',
      'deadline_passed',
      'code_mismatch',
    ]),
  )
  expect(event).toMatchObject({
    type: 'HUMAN_REPLY_EVENT',
    body: {
      request_id: 'parts',
      channel: 'web',
      sender_identity: { user_id: 'operator', proof: 'console' },
      raw_text_hash: expect.stringMatching(/^sha256:/),
      grammar: '2',
      parsed_choice: 'YES',
      parsed_payload: null,
      receipts: { token_hash: sent?.body.token_hash, received_at: expect.any(String) },
    },
  })
  expect(resolved).toMatchObject({
    type: 'REQUEST_RESOLVED',
    body: { outcome: 'answered', causes: [event?.seq] },
  })
  const { createHash } = await import('node:crypto')
  const { default: canonicalize } = await import('canonicalize')
  const hash = createHash('sha256')
    .update(canonicalize(event?.body) ?? '')
    .digest('hex')
  expect(received?.body.event_hash).toBe(`sha256:${hash}`)
})
