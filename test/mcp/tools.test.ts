// The lane's tools, driven by the MCP project's own client over the built command.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOCTRINE } from '../../src/director/doctrine.js'
import { answer, lane, operatorOf } from '../cli/command-line.js'
import { type Gateway, start } from '../cli/gateway.js'
import { CONFIG } from '../lane-under-test.js'
import { type Agent, asked, entries, sent, startAgent } from './agent.js'

const QUESTION = {
  question_text: 'Which region takes the release first?',
  impact: 'Decides where a fault would show first',
  reply_schema: {
    kind: 'choice',
    options: [
      { value: 'eu', label: 'Europe' },
      { value: 'us', label: 'United States' },
    ],
  },
  deadline_seconds: 600,
  default_action: 'HALT',
  recipients: ['operator'],
  wait_seconds: 20,
}

let gateway: Gateway
let agent: Agent
beforeAll(async () => {
  gateway = await start({ config: CONFIG.replace('open_questions_per_run: 3', 'open_questions_per_run: 4') })
  agent = await startAgent(gateway, { env: { LANE_RUN_ID: 'run-of-this-test' } })
})
afterAll(async () => {
  await agent.close()
  await gateway.kill()
})

const handleOf = async (text: string): Promise<string> => {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `sha256:${Buffer.from(bytes).toString('hex')}`
}

describe('what an agent finds', () => {
  test('the tools, each described, and each naming its fields', async () => {
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'ask_question',
      'request_review',
      'request_approval',
      'await_outcome',
      'withdraw',
      'list_pending',
      'permission_prompt',
    ])
    const ask = tools.find(({ name }) => name === 'ask_question')
    expect(ask?.description).toContain('the one question whose')
    expect(ask?.inputSchema.required).toEqual([
      'question_text',
      'impact',
      'deadline_seconds',
      'default_action',
    ])
    expect(agent.client.getInstructions()).toContain('one transformative question')
  })

  test('[LANE-086] the doctrine as a prompt, word for word as the lane serves it', async () => {
    const { prompts } = await agent.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['doctrine'])
    const { messages } = await agent.client.getPrompt({ name: 'doctrine' })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: DOCTRINE } }])
    expect(await (await fetch(`${gateway.url}/v1/doctrine`)).text()).toBe(DOCTRINE)
    for (const line of [
      'HUMANS ARE INTERRUPTS, NOT CO-PROCESSORS.',
      '- OUTBOUND: TYPED REQUESTS ONLY',
      '- INBOUND: STRING → COMPILE → TYPED EVENT',
      '- NO IMPLICIT AUTHORITY',
      '- TIMEOUTS ARE SAFE',
      'DEFERENTIAL MOOD ONLY.',
    ])
      expect(DOCTRINE.split('\n')).toContain(line)
  })
})

describe('asking', () => {
  test('a question comes back answered, as data and as a sentence that says what to do', async () => {
    const result = agent.call('ask_question', { ...QUESTION, key: 'region' })
    expect(await answer(gateway, 'region', 'A')).toBe(200)
    const { text, data, isError } = await result
    expect(isError).toBe(false)
    expect(data).toMatchObject({
      state: 'answered',
      request_id: 'region',
      answer: 'eu',
      answered_by: 'operator',
    })
    expect(text).toBe('operator answered over web: eu. Act on exactly this answer.')
  })

  test('NO says not to do it', async () => {
    const { reply_schema: _, ...yesNo } = QUESTION
    const result = agent.call('ask_question', { ...yesNo, key: 'no' })
    expect(await answer(gateway, 'no', 'no')).toBe(200)
    expect((await result).text).toMatch(/NO\. Do not do what was asked about\.$/)
  })

  test('a review of a text: the person can open it, and only its hash is in the request', async () => {
    const diff = '- retries: 3\n+ retries: 30\n'
    const args = {
      ...{ key: 'looked-at', target_texts: [diff], lens: 'correctness', deadline_seconds: 600 },
      ...{ default_action: 'HALT', recipients: ['operator'], wait_seconds: 20 },
    }
    const result = agent.call('request_review', args)
    expect(await answer(gateway, 'looked-at', 'y')).toBe(200)
    expect((await result).data).toMatchObject({ state: 'answered', answer: 'YES' })
    const opened = (await entries(gateway)).find(entry => entry.request_id === 'looked-at')
    expect(opened?.body.request).toMatchObject({ target_handles: [await handleOf(diff)] })
  })

  test('an approval is of exactly the content that was given', async () => {
    const args = {
      ...{ key: 'publish-1', action: 'PUBLISH', parameter_texts: { page: 'Hello' }, deadline_seconds: 600 },
      ...{ default_action: 'DENY', recipients: ['operator'], wait_seconds: 20 },
    }
    const result = agent.call('request_approval', args)
    expect(await answer(gateway, 'publish-1', 'yes')).toBe(200)
    const { text, data } = await result
    expect(data).toMatchObject({
      state: 'answered',
      answer: 'YES',
      policy_token: expect.stringMatching(/^ey/),
    })
    expect(text).toContain('approved on exactly these parameters. Hand policy_token to whatever performs it')
    const opened = (await entries(gateway)).find(entry => entry.request_id === 'publish-1')
    expect(opened?.body.request).toMatchObject({ parameters: { page: await handleOf('Hello') } })
  })

  test('an approval that is taken back after YES is answered, and gives no right to act', async () => {
    const { text, data } = await agent.call('withdraw', {
      request_id: 'publish-1',
      reason: 'changed our mind',
    })
    expect(data).toMatchObject({ state: 'answered', answer: 'YES' })
    expect(data).not.toHaveProperty('policy_token')
    expect(text).toMatch(/No policy_token is there: .*Without one do not act\.$/)
  })

  test('nobody answers: the default holds, and the sentence says to stop', async () => {
    const { data, text, isError } = await agent.call('ask_question', {
      ...QUESTION,
      deadline_seconds: 3,
      key: 'silence',
    })
    expect(isError).toBe(false)
    expect(data).toMatchObject({ state: 'defaulted', default_action: 'HALT' })
    expect(text).toMatch(/^Nobody answered by \d{4}-.*; HALT holds\. Do not go on\.$/)
  })

  test('not answered yet: an id to await, listed as pending, then withdrawn; the answer of a faster person stands', async () => {
    const first = await agent.call('ask_question', { ...QUESTION, key: 'slow', wait_seconds: 1 })
    expect(first.data).toMatchObject({ state: 'pending', request_id: 'slow', default_action: 'HALT' })
    expect(first.text).toContain('Call await_outcome with this request_id')
    const listed = await agent.call('list_pending', { run_id: 'run-of-this-test' })
    expect(listed.data).toMatchObject({ items: [{ request_id: 'slow', asked: QUESTION.question_text }] })
    expect((await agent.call('await_outcome', { request_id: 'slow', wait_seconds: 1 })).data.state).toBe(
      'pending',
    )
    const back = await agent.call('withdraw', { request_id: 'slow', reason: 'found it out' })
    expect(back.data).toMatchObject({ state: 'withdrawn' })
    const again = await agent.call('withdraw', { request_id: 'region', reason: 'too late' })
    expect(again.data).toMatchObject({ state: 'answered', answer: 'eu' })
    expect((await agent.call('list_pending', {})).text).toBe('Nothing is pending.')
  })
})

describe('what calling again does not mend', () => {
  const CALLS: readonly [string, Record<string, unknown>][] = [
    ['ask_question', { ...QUESTION, key: 'unheard', wait_seconds: 1 }],
    ['ask_question', { ...QUESTION, key: 'unheard', context_texts: ['a plan'], wait_seconds: 1 }],
    ['await_outcome', { request_id: 'region', wait_seconds: 1 }],
    ['withdraw', { request_id: 'region', reason: 'x' }],
    ['list_pending', {}],
  ]
  const AGAIN = /make the same call|call again later|correct this/i

  test('an id nobody asked: refused as not_found, and the model is sent elsewhere', async () => {
    for (const [tool, args] of [
      ['await_outcome', { request_id: 'nothing', wait_seconds: 1 }],
      ['withdraw', { request_id: 'nothing', reason: 'x' }],
    ] as const) {
      const { data, text, isError } = await agent.call(tool, args)
      expect({ isError, data }).toMatchObject({
        isError: true,
        data: { state: 'refused', code: 'not_found' },
      })
      expect(text).toMatch(/asked with ask_question, request_review or request_approval\.$/)
      expect(text).not.toMatch(AGAIN)
    }
  })

  test('a key that is not valid: each tool says so, and to report it', async () => {
    const stranger = await startAgent({ url: gateway.url, agentKey: `lane_${'0'.repeat(40)}` })
    for (const [tool, args] of CALLS) {
      const { text, data, isError } = await stranger.call(tool, args)
      expect({ tool, isError }).toEqual({ tool, isError: true })
      expect(text).toContain('unauthenticated')
      expect(text).toContain('Do not call again: report that it needs a valid key.')
      expect(text).not.toMatch(AGAIN)
      if (tool !== 'list_pending') expect(data).toMatchObject({ state: 'refused', code: 'unauthenticated' })
    }
    await stranger.close()
    expect(await asked(gateway)).not.toContain('unheard')
  })

  test('a key that is revoked after asking: await_outcome does not say that nobody was asked', async () => {
    const env = operatorOf(gateway)
    const made = await lane(['keys', 'add', '--name', 'brief', '--scopes', 'request'], { env })
    const [agentKey = '', rest = ''] = made.stdout.split('\n')
    const brief = await startAgent({ url: gateway.url, agentKey })
    const waiting = brief.call('ask_question', { ...QUESTION, key: 'revoked', wait_seconds: 2 })
    await sent(gateway, 'revoked')
    await lane(['keys', 'revoke', rest.split(',')[0] ?? ''], { env })
    await waiting
    const { text, data } = await brief.call('await_outcome', { request_id: 'revoked', wait_seconds: 1 })
    expect(data).toMatchObject({ state: 'refused', code: 'unauthenticated' })
    expect(text).toMatch(/^The lane refused this call about request revoked \(unauthenticated\)\./)
    await brief.close()
    await lane(['withdraw', 'revoked', '--reason', 'test is over'], { env })
  })
})

describe('bad input', () => {
  const tooLong = 'x'.repeat(501)
  test.each<[string, string, Record<string, unknown>, RegExp]>([
    ['ask_question', 'no fields', {}, /question_text: the question.*deadline_seconds: an integer/s],
    [
      'ask_question',
      'a field it does not have',
      { ...QUESTION, urgent: true },
      /urgent: no such field: ask_question has only question_text, impact/,
    ],
    [
      'ask_question',
      'a wrong name for one it has',
      { ...QUESTION, question_text: undefined, question: 'Which region?' },
      /question_text: the question.*question: no such field: ask_question has only question_text/s,
    ],
    [
      'ask_question',
      'a field inside that is not there',
      { ...QUESTION, reply_schema: { kind: 'yes_no', choices: [] } },
      /reply_schema\.choices: no such field/,
    ],
    [
      'await_outcome',
      'a wrong name for the id',
      { id: 'region', wait_seconds: 1 },
      /[^.]id: no such field: await_outcome has only request_id, wait_seconds/,
    ],
    [
      'ask_question',
      'two questions',
      { ...QUESTION, question_text: 'A? B?' },
      /- question_text: read "A\? B\?"; accepted: one question/,
    ],
    [
      'ask_question',
      'a default that acts',
      { ...QUESTION, default_action: 'PUBLISH' },
      /default_action: what holds .* HALT/,
    ],
    [
      'ask_question',
      'a schema without bounds',
      { ...QUESTION, reply_schema: { kind: 'free' } },
      /kind is one of yes_no/,
    ],
    ['ask_question', 'nobody by that name', { ...QUESTION, recipients: ['ghost'] }, /ghost/],
    ['ask_question', 'a key with spaces', { ...QUESTION, key: 'a b' }, /key: 1 to 128 of/],
    ['ask_question', 'hidden characters', { ...QUESTION, impact: 'a\u202eb' }, /impact: .*accepted/],
    [
      'request_review',
      'nothing to review',
      { ...QUESTION, question_text: undefined, impact: undefined, lens: 'security' },
      /target_handles: .*accepted: a list of 1 to 20 handles/,
    ],
    [
      'request_review',
      'a lens nobody has',
      { lens: 'vibes', deadline_seconds: 60, default_action: 'HALT' },
      /lens: one of security/,
    ],
    [
      'request_approval',
      'an action nobody configured',
      {
        action: 'DROP_DATABASE',
        parameter_texts: { a: 'b' },
        deadline_seconds: 60,
        default_action: 'DENY',
        recipients: ['operator'],
      },
      /- action: read "DROP_DATABASE"/,
    ],
    [
      'request_approval',
      'a parameter that is not fixed',
      {
        action: 'PUBLISH',
        parameters: { a: 'doc:x' },
        deadline_seconds: 60,
        default_action: 'DENY',
        recipients: ['operator'],
      },
      /parameters\/a: read "doc:x"; accepted: sha256/,
    ],
    [
      'request_approval',
      'a person who may not approve',
      {
        action: 'EXPORT',
        parameter_texts: { a: 'b' },
        deadline_seconds: 60,
        default_action: 'DENY',
        recipients: ['second'],
      },
      /recipient_not_approver/,
    ],
    [
      'await_outcome',
      'an id nobody asked',
      { request_id: 'nothing', wait_seconds: 1 },
      /^There is no request nothing that was asked with this key \(not_found\)\. Do not call again/,
    ],
    [
      'await_outcome',
      'a wait beyond a client’s patience',
      { request_id: 'region', wait_seconds: 600 },
      /wait_seconds: an integer from 1 to 45/,
    ],
    [
      'withdraw',
      'an id nobody asked',
      { request_id: 'nothing', reason: 'x' },
      /^There is no request nothing that was asked with this key \(not_found\)\. Do not call again/,
    ],
    ['withdraw', 'no reason', { request_id: 'region', reason: '' }, /reason: one line/],
    [
      'withdraw',
      'a reason that is too long',
      { request_id: 'region', reason: tooLong },
      /reason: .*one visible line of 1 to 500/,
    ],
    ['list_pending', 'a cursor that is none', { cursor: 'x' }, /malformed_query/],
  ])('%s, %s: an answer to act on, and nobody was asked', async (tool, _, args, expected) => {
    const before = await asked(gateway)
    const { isError, text } = await agent.call(tool, args)
    expect(text).toMatch(expected)
    expect(isError).toBe(true)
    expect(await asked(gateway)).toEqual(before)
  })

  test('a tool says which fields it takes and needs, as it did before its refusals named them', async () => {
    const { tools } = await agent.client.listTools()
    const schema = tools.find(({ name }) => name === 'await_outcome')?.inputSchema
    expect(schema).toMatchObject({ required: ['request_id'], additionalProperties: false })
    expect(Object.keys(schema?.properties ?? {})).toEqual(['request_id', 'wait_seconds'])
  })

  test('no schema names its dialect: a client that knows another one would refuse it', async () => {
    const { tools } = await agent.client.listTools()
    const schemas = tools.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema ?? {}])
    expect(schemas.filter(schema => '$schema' in schema)).toEqual([])
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toHaveLength(6)
  })

  test('too many open questions are refused with the way out', async () => {
    const keys = ['open-1', 'open-2', 'open-3', 'open-4']
    for (const key of keys) await agent.call('ask_question', { ...QUESTION, key, wait_seconds: 1 })
    const { text, isError } = await agent.call('ask_question', {
      ...QUESTION,
      key: 'open-5',
      wait_seconds: 1,
    })
    expect(isError).toBe(true)
    expect(text).toMatch(/too_many_open_questions.*withdraw one/s)
    expect(await asked(gateway)).not.toContain('open-5')
    for (const request_id of keys) await agent.call('withdraw', { request_id, reason: 'test is over' })
  })
})
