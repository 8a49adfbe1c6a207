// A task of MCP is a request: driven by the Tasks extension's own client package over standard input and over HTTP.
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, lane, operatorOf } from '../cli/command-line.js'
import { type Gateway, start } from '../cli/gateway.js'
import { ALL } from '../faults/rig.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { asked, entries, sent, startAgent } from './agent.js'
import { startTaskAgent, type TaskAgent, type Way } from './task-agent.js'

const CONFIG = `recipients:
  operator: { name: Operator, web: true }
actions:
  PUBLISH: { approvers: [operator], proofs: [console] }
  USE_TOOL: { approvers: [operator], proofs: [console] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`
/** Each task is asked about every two seconds, so one way is enough for every day. */
const WAYS: readonly Way[] = ALL ? ['stdio', 'http'] : ['http']
const COMMON = { deadline_seconds: 600, default_action: 'HALT', recipients: ['operator'] }
const QUESTION = { ...COMMON, question_text: 'Which way?', impact: 'Decides what is done next' }
const REVIEW = { ...COMMON, target_texts: ['diff --git a b'], lens: 'security' }
const APPROVAL = {
  ...COMMON,
  default_action: 'DENY',
  action: 'PUBLISH',
  parameter_texts: { page: 'the page' },
}

describe.each(WAYS)('tasks over %s', way => {
  let gateway: Gateway
  let agent: TaskAgent
  beforeAll(async () => {
    gateway = await start({ config: CONFIG })
    agent = await startTaskAgent(way, gateway, ['--permission-deadline', '10m'])
  })
  afterAll(async () => {
    await agent.close()
    await gateway.kill()
  })

  const settled = async (execution: Awaited<ReturnType<TaskAgent['session']['callTool']>>) => {
    const { outcome } = await execution.settle()
    return resultFromTaskOutcome(outcome) as {
      readonly content: readonly { readonly text: string }[]
      readonly structuredContent?: Readonly<Record<string, unknown>>
    }
  }
  const get = (taskId: string) => agent.send('tasks/get', { taskId })

  test.each([
    ['ask_question', QUESTION, 'yes', 'YES'],
    ['request_review', REVIEW, 'no', 'NO'],
    ['request_approval', APPROVAL, 'yes', 'YES'],
  ])(
    '%s gives a handle at once, and later the same result as a call that waits',
    async (tool, args, said, meant) => {
      const key = `${way}-${tool}`
      const execution = await agent.session.callTool(tool, { ...args, key })
      expect(execution).toMatchObject({ kind: 'task' })
      expect(await answer(gateway, key, said)).toBe(200)
      const result = await settled(execution)
      expect(result.structuredContent).toMatchObject({
        state: 'answered',
        request_id: key,
        answer: meant,
        answered_by: 'operator',
      })
      const waiting = await startAgent(gateway)
      const waited = await waiting.call('await_outcome', { request_id: key })
      await waiting.close()
      expect(result.structuredContent).toEqual(waited.data)
      expect(result.content[0]?.text).toBe(waited.text)
    },
  )

  test('the handle and the task have the shapes of the extension: the id, and the time to the deadline', async () => {
    const key = `${way}-shape`
    const { result } = await agent.send('tools/call', {
      name: 'ask_question',
      arguments: { ...QUESTION, key },
    })
    expect(isCreateTaskResultV2(result)).toBe(true)
    expect(result).toMatchObject({ resultType: 'task', taskId: key, status: 'working', ttlMs: 600_000 })
    expect(result?.structuredContent).toMatchObject({ state: 'pending', request_id: key })
    const { result: task } = await get(key)
    expect(isDetailedTaskV2(task)).toBe(true)
    expect(task).toMatchObject({ resultType: 'complete', taskId: key, status: 'working' })
    expect(task).not.toHaveProperty('result')
  })

  test('permission_prompt: the task is completed with the agent’s own JSON, and the input as it was', async () => {
    const { length } = await asked(gateway)
    const use = {
      tool_name: 'Bash',
      input: { command: 'ls', long: 'x'.repeat(99), n: [1] },
      tool_use_id: `u-${way}`,
    }
    const handle = await agent.send('tools/call', { name: 'permission_prompt', arguments: use })
    expect(handle.result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(handle.result?.content).toMatchObject([{ text: expect.stringContaining('"behavior":"deny"') }])
    const id = await until('the request', async () => (await asked(gateway))[length])
    expect(handle.result?.taskId).toBe(id)
    const execution = await agent.session.callTool('permission_prompt', use)
    expect(await asked(gateway)).toHaveLength(length + 1)
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect(JSON.parse((await settled(execution)).content[0]?.text ?? '')).toEqual({
      behavior: 'allow',
      updatedInput: use.input,
    })
  })

  test('without an id of the use a yes is good for one use', async () => {
    const use = { tool_name: 'Edit', input: { file: way } }
    const first = await agent.send('tools/call', { name: 'permission_prompt', arguments: use })
    expect(await answer(gateway, String(first.result?.taskId), 'yes')).toBe(200)
    const second = await agent.send('tools/call', { name: 'permission_prompt', arguments: use })
    expect(second.result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(second.result?.taskId).not.toBe(first.result?.taskId)
  })

  test('silence is a completed result that says so, never a failure', async () => {
    const key = `${way}-silence`
    const execution = await agent.session.callTool('ask_question', { ...QUESTION, key, deadline_seconds: 1 })
    const result = await settled(execution)
    expect(result.structuredContent).toMatchObject({ state: 'defaulted', default_action: 'HALT' })
    expect(result).not.toHaveProperty('isError')
  })

  test('an input of a megabyte is denied in the prompt’s own words, and nobody is asked', async () => {
    const before = await asked(gateway)
    const use = { tool_name: 'Bash', input: { command: 'x'.repeat(1024 * 1024) }, tool_use_id: `big-${way}` }
    const { result } = await agent.send('tools/call', { name: 'permission_prompt', arguments: use })
    expect(result?.resultType).not.toBe('task')
    expect(result?.content).toMatchObject([{ text: expect.stringMatching(/"behavior":"deny".*too_large/) }])
    expect(await asked(gateway)).toEqual(before)
  })

  test('cancelling withdraws, and the task is cancelled; an answer that was faster stands, and is said', async () => {
    const taken = `${way}-taken-back`
    const execution = await agent.session.callTool('ask_question', { ...QUESTION, key: taken })
    await execution.cancel()
    expect((await get(taken)).result).toMatchObject({ status: 'cancelled' })
    const withdrawn = (await entries(gateway)).find(
      ({ type, request_id }) => type === 'REQUEST_WITHDRAWN' && request_id === taken,
    )
    expect(withdrawn?.body).toMatchObject({ reason: 'the agent cancelled the task' })

    const faster = `${way}-faster`
    await agent.session.callTool('ask_question', { ...QUESTION, key: faster })
    expect(await answer(gateway, faster, 'yes')).toBe(200)
    expect((await agent.send('tasks/cancel', { taskId: faster })).result).toMatchObject({
      resultType: 'complete',
    })
    expect((await get(faster)).result).toMatchObject({
      status: 'completed',
      statusMessage: 'operator answered over web: YES. Act on exactly this answer.',
      result: { structuredContent: { state: 'answered', answer: 'YES' } },
    })
  })

  test('the same call again is the same task; once it is resolved, the result at once', async () => {
    const key = `${way}-again`
    const call = { name: 'ask_question', arguments: { ...QUESTION, key } }
    const first = await agent.send('tools/call', call)
    expect((await agent.send('tools/call', call)).result?.taskId).toBe(first.result?.taskId)
    expect(await answer(gateway, key, 'no')).toBe(200)
    expect((await agent.send('tools/call', call)).result).toMatchObject({
      resultType: 'complete',
      structuredContent: { state: 'answered', answer: 'NO' },
    })
    expect((await asked(gateway)).filter(id => id === key)).toHaveLength(1)
  })

  test('what is refused is a result with its reason, and no task', async () => {
    const { result } = await agent.send('tools/call', {
      name: 'ask_question',
      arguments: { ...QUESTION, question_text: 'Ship? Or wait?', key: `${way}-two` },
    })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    expect((await get(`${way}-two`)).error?.code).toBe(-32602)
  })

  test('a task of another key, and one that is none, are the same: not found', async () => {
    const key = `${way}-mine`
    await agent.session.callTool('ask_question', { ...QUESTION, key })
    const made = await lane(['keys', 'add', '--name', 'other', '--scopes', 'request', '--json'], {
      env: operatorOf(gateway),
    })
    const other = await startTaskAgent(way, { url: gateway.url, agentKey: JSON.parse(made.stdout).key })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { error } = await other.send(method, { taskId: key, inputResponses: {} })
      const { error: none } = await other.send(method, { taskId: `${way}-none`, inputResponses: {} })
      expect([error?.code, none?.code]).toEqual([-32602, -32602])
      expect(error?.message.replace(key, '')).toBe(none?.message.replace(`${way}-none`, ''))
    }
    await other.close()
    expect((await get(key)).result).toMatchObject({ status: 'working' })
  })

  test.each<[string, object]>([
    ['nothing', {}],
    ['more than the extension knows', { 'io.modelcontextprotocol/tasks': { list: {} } }],
    ['another extension', { 'io.modelcontextprotocol/ui': {} }],
  ])('a client that declares %s keeps the bounded wait, and may not speak of tasks', async (_, declared) => {
    const key = `${way}-undeclared`
    const call = { name: 'ask_question', arguments: { ...QUESTION, key, wait_seconds: 1 } }
    const { result } = await agent.send('tools/call', call, declared)
    expect(result).toMatchObject({ structuredContent: { state: 'pending', request_id: key } })
    expect(result?.resultType).not.toBe('task')
    const { error } = await agent.send('tasks/get', { taskId: key }, declared)
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  test.each([{}, { taskId: 7 }, { taskId: '../keys/self' }, { taskId: 'x'.repeat(200) }])(
    'a task id that is none is invalid: %o',
    async params => {
      expect((await agent.send('tasks/get', params)).error?.code).toBe(-32602)
    },
  )

  test('the task outlives the agent, the server and the lane', async () => {
    const key = `${way}-outlived`
    const execution = await agent.session.callTool('ask_question', { ...QUESTION, key })
    const reference = execution.serializeReference()
    await execution.detach()
    await agent.close()
    await sent(gateway, key)
    await gateway.kill()
    const { agentKey, operatorKey, dataDir, port } = gateway
    gateway = { ...(await start({ config: CONFIG, dataDir, port })), agentKey, operatorKey }
    agent = await startTaskAgent(way, gateway)
    const resumed = await agent.session.resumeTask(reference)
    expect(await answer(gateway, key, 'yes')).toBe(200)
    expect((await settled(resumed)).structuredContent).toMatchObject({ state: 'answered', answer: 'YES' })
    expect((await asked(gateway)).filter(id => id === key)).toHaveLength(1)
  })
})

test('a request that reached nobody is a completed result that says so, never a failure', async () => {
  const unreached = await start({
    config: 'recipients:\n  operator: { name: Operator, email: operator@example.org }\n',
    env: {
      SMTP_URL: `smtp://127.0.0.1:${await freePort()}?tls=off`,
      EMAIL_FROM: 'lane@example.org',
      EMAIL_WEBHOOK_SECRET: 'no-mail-will-ever-come-here',
    },
  })
  const agent = await startTaskAgent('http', unreached)
  const asking = { ...QUESTION, key: 'unreached', deadline_seconds: 1 }
  await agent.send('tools/call', { name: 'ask_question', arguments: asking })
  const task = await until('the task to end', async () => {
    const { result } = await agent.send('tasks/get', { taskId: 'unreached' })
    return result?.status === 'working' ? undefined : result
  })
  expect(task).toMatchObject({
    status: 'completed',
    result: { structuredContent: { state: 'undelivered', default_action: 'HALT' } },
  })
  expect(task.result).not.toHaveProperty('isError')
  await agent.close()
  await unreached.kill()
})
