// A caller cannot put into the ledger what must never be in it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, startLane } from '../lane-under-test.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.close())

const KEY = `lane_${'0123456789abcdefghjk'.repeat(2)}`
const JWS = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJvd25lciJ9.c2lnbmF0dXJl'
const LINK = '/r/0123456789abcdefghjkmnpqrs'

test.each([
  [
    'a token in the question',
    question('s-1', { question_text: `Is ${JWS} yours?` }),
    '/request/question_text',
  ],
  ['a reply link in the impact', question('s-2', { impact: `see ${LINK}` }), '/request/impact'],
  ['an API key as the id', question(KEY), '/request/question_id'],
  [
    'a key as the name of a parameter',
    approval('s-3', { parameters: { [KEY]: `sha256:${'b'.repeat(64)}` } }),
    expect.stringMatching(/^\/request\/parameters\/lane_/),
  ],
])('%s is refused by its field, and nothing is recorded', async (_name, request, field) => {
  const before = (await lane.ledger()).length
  const refused = await lane.submit(request)
  expect(refused.status).toBe(422)
  expect(refused.json).toMatchObject({ code: 'invalid_request' })
  expect(refused.json.errors).toContainEqual(
    expect.objectContaining({ field, accepted: 'text without a token, an API key or a reply link' }),
  )
  expect((await lane.ledger()).length).toBe(before)
})

test('a key in the reason of a withdrawal is refused, and the request stays open', async () => {
  await lane.submit(question('s-5'))
  const refused = await lane.call('POST', '/v1/requests/s-5/withdraw', { body: { reason: `used ${KEY}` } })
  expect(refused.json).toMatchObject({ status: 422, code: 'invalid_request' })
  expect((await lane.call('GET', '/v1/requests/s-5')).json.state).toBe('pending')
})
