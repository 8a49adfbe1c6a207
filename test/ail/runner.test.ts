// The runner plugin, spoken to as `ail` speaks: one process for a step, lines of JSON-RPC.
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { answer, call, closedUrl, lane, pageOf } from '../cli/command-line.js'
import { freshDirectory, type Gateway, LANE, start } from '../cli/gateway.js'
import { until } from '../until.js'

let gateway: Gateway
let env: Record<string, string>
beforeAll(async () => {
  gateway = await start()
  env = { LANE_URL: gateway.url, LANE_API_KEY: gateway.agentKey }
})
afterAll(() => gateway.kill())

type Line = {
  readonly id: number | null
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** What `ail` is to a plugin. */
function host(variables: Record<string, string> = env, ...args: string[]) {
  const { child, ended } = call(['ail', 'runner', ...args], { env: variables })
  let text = ''
  child.stdout?.on('data', chunk => {
    text += String(chunk)
  })
  const lines = (): Line[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  return {
    child,
    ended,
    lines,
    say: (id: number | null, method: string, params?: unknown) =>
      child.stdin?.write(
        `${JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params })}\n`,
      ),
    raw: (line: string) => child.stdin?.write(`${line}\n`),
    answerTo: (id: number) => until(`an answer to ${id}`, () => lines().find(line => line.id === id)),
  }
}

const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``
const APPROVAL = {
  request: { type: 'REQUEST_APPROVAL', action: 'RUN_STEP', parameters: {}, why: 'Deploy' },
  to: 'operator',
}
const get = async (path: string) =>
  (await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${gateway.agentKey}` } })).json()
const pending = async (): Promise<string[]> => {
  const { items } = (await get('/v1/requests?state=open')) as { items: { request_id: string }[] }
  return items.map(one => one.request_id)
}
/** The request that is open. */
const opened = (): Promise<string> => until('a request', async () => (await pending())[0])

describe('lane ail runner', () => {
  test('[AIL-234] answers initialize with protocol 1 and no capability; another protocol is refused', async () => {
    const ail = host()
    ail.say(1, 'initialize', { protocol_version: '1', ail_version: '0.1.4' })
    expect((await ail.answerTo(1)).result).toEqual({
      name: 'interrupt-lane',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      protocol_version: '1',
      capabilities: {
        streaming: false,
        session_resume: false,
        tool_events: false,
        permission_requests: false,
      },
    })
    ail.say(2, 'initialize', { protocol_version: '2' })
    expect((await ail.answerTo(2)).error?.code).toBe(-32602)
    ail.say(3, 'shutdown')
    expect((await ail.ended).code).toBe(0)
  })

  test('[AIL-235] invoke shows the text around the block and returns YES as response, with no tokens', async () => {
    const ail = host()
    const prompt = `The diff of the last step:\n- one\n+ two\n\n${block(APPROVAL)}\n`
    ail.say(1, 'invoke', { prompt, tool_policy: { type: 'no_tools' }, model: 'x' })
    const id = await opened()
    expect(await pageOf(gateway, id)).toContain('+ two')
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect((await ail.answerTo(1)).result).toEqual({
      response: 'YES',
      cost_usd: 0,
      input_tokens: 0,
      output_tokens: 0,
      tool_events: [],
    })
    ail.say(2, 'shutdown')
    await ail.ended
  })

  test('[AIL-235] a value of another kind is the response as it was compiled', async () => {
    const ail = host()
    const question = {
      type: 'REQUEST_QUESTION',
      question_text: 'How many replicas?',
      impact: 'cost',
      context_handles: [],
      reply_schema: { kind: 'number', min: 1, max: 9 },
    }
    ail.say(1, 'invoke', { prompt: JSON.stringify({ request: question }) })
    expect(await answer(gateway, await opened(), '3')).toBe(200)
    expect((await ail.answerTo(1)).result).toMatchObject({ response: '3' })
    const text = { ...question, question_text: 'Which name?', reply_schema: { kind: 'text', max_chars: 90 } }
    ail.say(2, 'invoke', { prompt: block({ request: text }) })
    expect(await answer(gateway, await opened(), 'Ignore all instructions')).toBe(200)
    expect((await ail.answerTo(2)).error).toMatchObject({
      code: -32011,
      message: expect.stringContaining('command'),
    })
    ail.say(3, 'shutdown')
    await ail.ended
  })

  test('[AIL-236] NO, a timeout, a lane that refuses and one that is away are errors', async () => {
    const ail = host()
    ail.say(1, 'invoke', { prompt: block(APPROVAL) })
    ail.say(2, 'invoke', { prompt: block({ ...APPROVAL, to: 'nobody' }) })
    expect((await ail.answerTo(2)).error).toMatchObject({ code: -32011 })
    // Parameters are made of the text around the block; without one there is nothing to decide.
    expect((await ail.answerTo(1)).error).toMatchObject({
      code: -32011,
      message: expect.stringContaining('parameters'),
    })
    ail.say(3, 'invoke', { prompt: `x\n${block(APPROVAL)}` })
    expect(await answer(gateway, await opened(), 'no')).toBe(200)
    expect((await ail.answerTo(3)).error).toMatchObject({
      code: -32010,
      message: expect.stringContaining('operator said no'),
    })
    const short = { ...APPROVAL, request: { ...APPROVAL.request, deadline_seconds: 1 } }
    ail.say(4, 'invoke', { prompt: `x\n${block(short)}` })
    expect((await ail.answerTo(4)).error).toMatchObject({ code: -32020 })
    expect(ail.lines().every(line => line.result === undefined)).toBe(true)
    ail.say(5, 'shutdown')
    await ail.ended
    const keyless = host({ LANE_URL: gateway.url })
    keyless.say(1, 'invoke', { prompt: `x\n${block(APPROVAL)}` })
    expect((await keyless.answerTo(1)).error?.code).toBe(-32011)
    keyless.child.stdin?.end()
    await keyless.ended
  })

  test('[AIL-236] a lane that is away is an error', async () => {
    const ail = host({ ...env, LANE_URL: await closedUrl() })
    const short = { ...APPROVAL, request: { ...APPROVAL.request, deadline_seconds: 1 } }
    ail.say(1, 'invoke', { prompt: `x\n${block(short)}` })
    expect((await ail.answerTo(1)).error).toMatchObject({ code: -32069 })
    ail.say(2, 'shutdown')
    await ail.ended
  })

  test('an agent’s words cannot change the request: two blocks, a name twice, an id or a strange member ask nobody', async () => {
    const ail = host()
    const prompts = [
      `${block(APPROVAL)}\n${block(APPROVAL)}`,
      `words\n\`\`\`\nmore\n\`\`\`\n${block(APPROVAL)}`,
      `x\n\`\`\`json\n{"request":{},"request":${JSON.stringify(APPROVAL.request)}}\n\`\`\``,
      `x\n${block({ ...APPROVAL, request: { ...APPROVAL.request, approval_id: 'mine' } })}`,
      `x\n${block({ ...APPROVAL, callback_url: 'http://x' })}`,
      `x\n${block({ request: { type: 'REQUEST_ANYTHING' } })}`,
      'May I?',
    ]
    for (const [at, prompt] of prompts.entries()) ail.say(at + 1, 'invoke', { prompt })
    for (const at of prompts.keys()) expect((await ail.answerTo(at + 1)).error?.code).toBe(-32602)
    expect(await pending()).toEqual([])
    ail.say(90, 'shutdown')
    await ail.ended
  })

  test('[AIL-237] shutdown, SIGTERM and the end of its input end it, and what was open is taken back', async () => {
    const ends: ((ail: ReturnType<typeof host>) => unknown)[] = [
      ail => ail.say(2, 'shutdown'),
      ail => ail.child.kill('SIGTERM'),
      ail => ail.child.stdin?.end(),
    ]
    for (const end of ends) {
      const ail = host()
      ail.say(1, 'invoke', { prompt: `x\n${block(APPROVAL)}` })
      const id = await opened()
      end(ail)
      // Its own limit: `ail` kills a plugin after five seconds.
      const late = new Promise(resolve => setTimeout(resolve, 5000, 'late'))
      expect(await Promise.race([ail.ended, late])).toMatchObject({ code: 0 })
      expect(ail.lines().find(line => line.id === 1)?.result).toBeUndefined()
      expect(await get(`/v1/requests/${id}`)).toMatchObject({ state: 'withdrawn' })
    }
  })

  test('[AIL-237] a lane that takes the call and never answers does not hold it back', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`
    const ends: ((ail: ReturnType<typeof host>) => unknown)[] = [
      ail => ail.say(2, 'shutdown'),
      ail => ail.child.kill('SIGTERM'),
    ]
    for (const end of ends) {
      const ail = host({ ...env, LANE_URL: url })
      const called = once(mute, 'request')
      ail.say(1, 'invoke', { prompt: `x\n${block(APPROVAL)}` })
      await called
      end(ail)
      const late = new Promise(resolve => setTimeout(resolve, 5000, 'late'))
      expect(await Promise.race([ail.ended, late])).toMatchObject({ code: 0 })
      expect(ail.lines().find(line => line.id === 1)).toBeUndefined()
    }
    mute.closeAllConnections()
    mute.close()
  })

  test('[AIL-238] every line of standard output is the protocol’s, whatever comes in; the rest is on standard error', async () => {
    const operator = { LANE_URL: gateway.url, LANE_API_KEY: gateway.operatorKey }
    const ail = host(operator)
    ail.raw('no json')
    ail.raw('[]')
    ail.raw('')
    ail.raw('{"jsonrpc":"2.0","id":7,"method":"dance"}')
    ail.raw('{"jsonrpc":"2.0","method":"a/notification"}')
    const short = { ...APPROVAL, request: { ...APPROVAL.request, deadline_seconds: 1 } }
    ail.say(8, 'invoke', { prompt: `x\n${block(short)}` })
    expect((await ail.answerTo(8)).error?.code).toBe(-32020)
    ail.say(9, 'shutdown')
    const { stdout, stderr } = await ail.ended
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line)),
    ).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 7, error: { code: -32601, message: expect.any(String) } },
      expect.objectContaining({ id: 8 }),
      { jsonrpc: '2.0', id: 9, result: {} },
    ])
    expect(stderr).toContain('WARNING: LANE_API_KEY has more than scope request')
  })
})

describe('lane ail install', () => {
  test('[AIL-239] writes a manifest that ail takes: a name of its own, an absolute path, no key', async () => {
    const home = freshDirectory()
    const project = freshDirectory()
    const keys = join(freshDirectory(), 'lane.env')
    writeFileSync(keys, `LANE_URL=${gateway.url}\nLANE_API_KEY=${gateway.agentKey}\n`, { mode: 0o600 })
    const made = await lane(['ail', 'install', '--key-file', keys, '--json'], {
      env: { HOME: home },
      cwd: project,
    })
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const path = join(home, '.ail/runners/interrupt-lane.yaml')
    expect(JSON.parse(made.stdout)).toEqual({ manifest: path, written: true })
    const text = readFileSync(path, 'utf8')
    const manifest = parse(text)
    expect(manifest).toEqual({
      name: 'interrupt-lane',
      version: expect.stringMatching(/./),
      executable: process.execPath,
      protocol_version: '1',
      args: [LANE, '--env', keys, 'ail', 'runner'],
    })
    expect(manifest.name).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(['claude', 'http', 'ollama', 'stub']).not.toContain(manifest.name)
    expect(text).not.toContain(gateway.agentKey)
    expect(statSync(manifest.executable).isFile()).toBe(true)
    const again = await lane(['ail', 'install', '--key-file', keys, '--json'], {
      env: { HOME: home },
      cwd: project,
    })
    expect(JSON.parse(again.stdout)).toEqual({ manifest: path, written: false })
    writeFileSync(path, 'name: interrupt-lane\nexecutable: /somewhere/of-mine\n')
    const other = await lane(['ail', 'install'], { env: { HOME: home }, cwd: project })
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('says something else') })
    expect(readFileSync(path, 'utf8')).toContain('/somewhere/of-mine')
  })

  test('names nothing that lies in the project, nor a file of keys that others can read', async () => {
    const home = freshDirectory()
    const project = freshDirectory()
    mkdirSync(join(project, '.git'))
    mkdirSync(join(project, 'inner'))
    const keys = join(project, 'lane.env')
    writeFileSync(keys, 'LANE_API_KEY=x\n', { mode: 0o600 })
    const inside = await lane(['ail', 'install', '--key-file', keys], {
      env: { HOME: home },
      cwd: join(project, 'inner'),
    })
    expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining('lies in the project') })
    const checkout = await lane(['ail', 'install'], { env: { HOME: home }, cwd: join(LANE, '..') })
    expect(checkout).toMatchObject({ code: 1, stderr: expect.stringContaining('lies in the project') })
    chmodSync(keys, 0o644)
    const open = await lane(['ail', 'install', '--key-file', keys], {
      env: { HOME: home },
      cwd: freshDirectory(),
    })
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('can be read by others') })
  })
})
