// A client that gives up, comes back, calls twice or starts anew: nothing is lost and nobody is asked twice.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, closedUrl, lane as command } from '../cli/command-line.js'
import { cleanEnv, freshDirectory, type Gateway, LANE, start } from '../cli/gateway.js'
import { until } from '../until.js'
import { asked, sent, startAgent } from './agent.js'

const QUESTION = {
  question_text: 'Ship the release today?',
  impact: 'Decides whether the pipeline goes on',
  deadline_seconds: 600,
  default_action: 'HALT',
  wait_seconds: 20,
}

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

const openedIn = (): Promise<string> => until('a request', async () => (await asked(gateway)).at(-1))

describe('the same call again', () => {
  test('a client that gives up after a second and comes back with the same words gets the one outcome', async () => {
    const agent = await startAgent(gateway)
    await expect(agent.call('ask_question', QUESTION, { timeout: 1000 })).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    })
    const id = await openedIn()
    expect(await answer(gateway, id, 'yes')).toBe(200)
    const { data } = await agent.call('ask_question', { ...QUESTION, wait_seconds: 5 })
    expect(data).toMatchObject({ state: 'answered', request_id: id, answer: 'YES' })
    expect(await asked(gateway)).toEqual([id])
    await agent.close()
  })

  test('after a restart of the server the key is enough; and with a run of its own, the words are', async () => {
    const before = await startAgent(gateway)
    const first = await before.call('ask_question', { ...QUESTION, key: 'kept', wait_seconds: 1 })
    expect(first.data).toMatchObject({ state: 'pending', request_id: 'kept' })
    await before.close()
    const env = { LANE_RUN_ID: 'run-7' }
    const second = await startAgent(gateway, { env })
    const worded = await second.call('ask_question', { ...QUESTION, wait_seconds: 1 })
    await second.close()
    const after = await startAgent(gateway, { env })
    const count = (await asked(gateway)).length
    expect((await after.call('ask_question', { ...QUESTION, wait_seconds: 1 })).data.request_id).toBe(
      worded.data.request_id,
    )
    await after.close()
    const keyed = await startAgent(gateway)
    expect(await answer(gateway, 'kept', 'no')).toBe(200)
    const { data } = await keyed.call('ask_question', { ...QUESTION, key: 'kept' })
    expect(data).toMatchObject({ state: 'answered', answer: 'NO' })
    expect(await asked(gateway)).toHaveLength(count)
    await keyed.close()
  })

  test('two calls at once are one request, and both are told', async () => {
    const agent = await startAgent(gateway)
    const count = (await asked(gateway)).length
    const twice = [1, 2].map(() => agent.call('ask_question', { ...QUESTION, key: 'doubled' }))
    expect(await answer(gateway, 'doubled', 'yes')).toBe(200)
    for (const { data } of await Promise.all(twice))
      expect(data).toMatchObject({ state: 'answered', request_id: 'doubled', answer: 'YES' })
    expect(await asked(gateway)).toHaveLength(count + 1)
    await agent.close()
  })

  test('another question under a used key is refused, and shows nothing of the first', async () => {
    const agent = await startAgent(gateway)
    const { text, isError } = await agent.call('ask_question', {
      ...QUESTION,
      impact: 'another',
      key: 'doubled',
    })
    expect(isError).toBe(true)
    expect(text).toContain('Use a new key for a new request')
    expect(text).not.toContain('YES')
    await agent.close()
  })

  test('another session without a run of its own asks anew: an old answer is not taken for a new one', async () => {
    const agent = await startAgent(gateway)
    const count = (await asked(gateway)).length
    expect((await agent.call('ask_question', { ...QUESTION, wait_seconds: 1 })).data.state).toBe('pending')
    expect(await asked(gateway)).toHaveLength(count + 1)
    await agent.close()
  })
})

describe('the lane goes away', () => {
  test('in the middle of a call: it comes back, and so does the answer', async () => {
    const own = await start()
    const agent = await startAgent(own)
    const waiting = agent.call('ask_question', { ...QUESTION, key: 'outage' })
    await sent(own, 'outage')
    await own.kill()
    const again = await start({ dataDir: own.dataDir, port: own.port })
    expect(await answer(again, 'outage', 'yes')).toBe(200)
    expect((await waiting).data).toMatchObject({ state: 'answered', answer: 'YES' })
    await agent.close()
    await again.kill()
  })

  test('before a call: it is said that the outcome is unknown, and how to go on', async () => {
    const agent = await startAgent({ url: await closedUrl(), agentKey: 'k'.repeat(30) })
    const { data, text, isError } = await agent.call('ask_question', { ...QUESTION, wait_seconds: 1 })
    expect(isError).toBe(true)
    expect(data).toMatchObject({ state: 'unknown', code: 'unreachable' })
    expect(text).toContain('nobody is asked twice')
    expect((await agent.call('await_outcome', { request_id: 'x', wait_seconds: 1 })).data.state).toBe(
      'unknown',
    )
    await agent.close()
  })
})

describe('lane mcp', () => {
  test('without a key says so on standard error and exits 1; an option it does not have exits 2', async () => {
    const { code, stdout, stderr } = await command(['mcp'], {
      env: cleanEnv({ LANE_URL: 'http://lane.example.org' }),
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('LANE_API_KEY')
    expect((await command(['mcp', '--permission-deadline', 'soon'])).code).toBe(2)
  })

  const HELLO = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      ...{ protocolVersion: '2025-06-18', capabilities: {} },
      clientInfo: { name: 'a-file', version: '1.0.0' },
    },
  }
  const hello = join(freshDirectory(), 'hello.ndjson')
  writeFileSync(hello, `${JSON.stringify(HELLO)}\n`)

  test.each([
    ['/dev/null', []],
    [hello, [1]],
  ])('whose standard input is the file %s answers what is in it and exits 0', (file, answered) => {
    const stdin = openSync(file, 'r')
    const { status, stdout, stderr } = spawnSync(process.execPath, [LANE, 'mcp'], {
      stdio: [stdin, 'pipe', 'pipe'],
      cwd: freshDirectory(),
      env: cleanEnv({ LANE_URL: 'http://lane.example.org', LANE_API_KEY: 'k'.repeat(30) }),
      encoding: 'utf8',
    })
    closeSync(stdin)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const ids = stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line).id)
    expect(ids).toEqual(answered)
  })
})
