// What a stranger's program does that has nothing but /openapi.json.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { type Client, generate } from './generated-client.js'

let lane: LaneUnderTest
let client: Client
let operator: Client
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  client = await generate(lane.url, lane.agentKey)
  operator = await generate(lane.url, lane.operatorKey)
})
afterAll(() => lane.close())

const run = { run_id: 'generated', mood: 'DEFERENTIAL' }
const to = ['operator']

const REPLIES: readonly [schema: object, said: string, answer: object][] = [
  [{ kind: 'yes_no' }, 'yes', { parsed_choice: 'YES', parsed_payload: null }],
  [
    {
      kind: 'choice',
      options: [
        { value: 'eu', label: 'Europe' },
        { value: 'us', label: 'America' },
      ],
    },
    'eu',
    { parsed_choice: 'eu' },
  ],
  [
    {
      kind: 'multi_choice',
      options: [
        { value: 'eu', label: 'Europe' },
        { value: 'us', label: 'America' },
      ],
      min: 1,
      max: 2,
    },
    'eu, us',
    { parsed_payload: { selected: ['eu', 'us'] } },
  ],
  [{ kind: 'text', max_chars: 40 }, 'after lunch', { parsed_payload: { text: 'after lunch' } }],
  [{ kind: 'number', min: 0, max: 9, unit: 'days' }, '3', { parsed_payload: { number: 3, unit: 'days' } }],
  [{ kind: 'date', min: '2026-01-01' }, '2026-02-17', { parsed_payload: { date: '2026-02-17' } }],
]

describe('a client that is generated from the description', () => {
  test.each(REPLIES)('asks with %j, waits, and reads the answer', async (reply_schema, said, answer) => {
    const id = `g-${JSON.stringify(reply_schema).length}`
    const body = { request: question(id, { reply_schema }), run, recipients: to }
    const opened = await client('openRequest', { body })
    expect(opened).toMatchObject({ status: 201, data: { state: 'pending' } })
    const waiting = client('awaitOutcome', { path: { id }, query: { timeout_seconds: 60 } })
    await lane.answer(await lane.link(id), said)
    expect(await waiting).toMatchObject({ status: 200, data: { state: 'answered', answer } })
  })

  test('lists, shows and takes back what it asked', async () => {
    const made = await client('openRequest', { body: { request: question('g-back'), run, recipients: to } })
    const id = String(made.data.request_id)
    const listed = await client('listRequests', { query: { state: 'pending', run_id: 'generated' } })
    expect(listed.data.items).toMatchObject([{ request_id: id }])
    expect((await client('showRequest', { path: { id } })).data).toMatchObject({ request_id: id })
    const reason = 'no longer needed'
    expect(await client('withdrawRequest', { path: { id }, body: { reason } })).toMatchObject({
      data: { state: 'withdrawn' },
    })
  })

  test('is approved, and spends the right', async () => {
    const request = approval('g-ship')
    await client('openRequest', { body: { request, run, recipients: to } })
    await lane.answer(await lane.link('g-ship'), 'yes')
    const ended = await client('awaitOutcome', { path: { id: 'g-ship' } })
    const { policy_token: token } = ended.data.decision as { policy_token: string }
    const { action, parameters } = request
    const spent = await client('spendPolicyToken', { body: { token, action, parameters, spend_id: 's-1' } })
    expect(spent).toMatchObject({ status: 200, data: { action: 'PUBLISH', spend_id: 's-1' } })
  })

  test('is refused in the words that are described, and told of a body that it must not send', async () => {
    const unknown = { request: question('g-x'), run, recipients: ['nobody'] }
    expect(await client('openRequest', { body: unknown })).toMatchObject({
      status: 422,
      data: { code: 'invalid_request' },
    })
    expect(await client('listKeys')).toMatchObject({ status: 403, data: { code: 'scope_missing' } })
    const empty = { request: question('g-x', { question_text: '' }), run, recipients: to }
    await expect(client('openRequest', { body: empty })).rejects.toThrow(TypeError)
  })

  test("does an operator's work", async () => {
    const made = await operator('makeKey', { body: { name: 'generated', scopes: ['request'] } })
    expect(made).toMatchObject({ status: 201, data: { name: 'generated' } })
    const id = String(made.data.key_id)
    expect(await operator('revokeKey', { path: { id } })).toMatchObject({ status: 200, data: { key_id: id } })
    expect((await operator('isReady')).data).toMatchObject({ status: 'ready' })
  })
})
