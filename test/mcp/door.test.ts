// The agents' door at the lane itself: who is let in, and from where; and the MCP project's own client through it.
import { request as httpRequest } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, lane, operatorOf } from '../cli/command-line.js'
import { type Gateway, start } from '../cli/gateway.js'
import { until } from '../until.js'
import { asked } from './agent.js'
import { VERSION } from './task-agent.js'

const QUESTION = {
  question_text: 'Which way?',
  impact: 'Decides what is done next',
  deadline_seconds: 600,
  default_action: 'HALT',
  wait_seconds: 20,
}

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

type Sent = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly json: Record<string, unknown>
}

const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** By node:http, which lets a test say whose Host it is. */
function send(
  headers: Record<string, string>,
  body: string = JSON.stringify(PING),
  method = 'POST',
): Promise<Sent> {
  const usual = {
    authorization: `Bearer ${gateway.agentKey}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${gateway.url}/mcp`,
      { method, headers: { ...usual, ...headers } },
      response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const json = /\{.*\}/s.exec(text)?.[0] ?? '{}'
          resolve({ status: response.statusCode ?? 0, headers: response.headers, json: JSON.parse(json) })
        })
      },
    )
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })
}

const connect = async (era: 'legacy' | 'modern', headers: Record<string, string> = {}): Promise<Client> => {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: VERSION }
  const client = new Client({ name: 'an-agent', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${gateway.agentKey}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }))
  return client
}

describe.each(['legacy', 'modern'] as const)('a client of the %s protocol', era => {
  test('finds the tools of lane mcp, asks, and is answered', async () => {
    const client = await connect(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'ask_question',
      'request_review',
      'request_approval',
      'await_outcome',
      'withdraw',
      'list_pending',
      'permission_prompt',
    ])
    const key = `http-${era}`
    const called = client.callTool({ name: 'ask_question', arguments: { ...QUESTION, key } })
    expect(await answer(gateway, key, 'yes')).toBe(200)
    expect((await called).structuredContent).toMatchObject({ state: 'answered', answer: 'YES' })
    const later = await client.callTool({ name: 'await_outcome', arguments: { request_id: key } })
    expect(later.structuredContent).toEqual((await called).structuredContent)
    await client.close()
  })

  test('a call that nothing names is not asked, and says what to add; a run by its header is enough', async () => {
    const before = await asked(gateway)
    const nameless = await connect(era)
    const refused = await nameless.callTool({ name: 'ask_question', arguments: QUESTION })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.content)).toContain('Call again with key')
    expect(await asked(gateway)).toEqual(before)
    await nameless.close()
    const named = await connect(era, { 'lane-run-id': `run-${era}` })
    const call = { name: 'ask_question', arguments: { ...QUESTION, wait_seconds: 1 } }
    const first = await named.callTool(call)
    expect(first.structuredContent).toMatchObject({ state: 'pending' })
    expect((await named.callTool(call)).structuredContent).toEqual(first.structuredContent)
    expect(await asked(gateway)).toHaveLength(before.length + 1)
    await named.close()
  })
})

describe('who is not let in', () => {
  test('without a key, and with a wrong one: 401, which says that there is no OAuth', async () => {
    for (const authorization of ['', 'Bearer lane_wrong_wrong_wrong']) {
      const { status, headers, json } = await send({ authorization })
      expect([status, json.code]).toEqual([401, 'unauthenticated'])
      expect(headers['www-authenticate']).toMatch(
        /^Bearer error="invalid_token", error_description="There is no OAuth here/,
      )
    }
    const metadata = await fetch(`${gateway.url}/.well-known/oauth-protected-resource`)
    expect(metadata.status).toBe(404)
  })

  test('a key that may do more than ask, and one that may not ask', async () => {
    const wide = await send({ authorization: `Bearer ${gateway.operatorKey}` })
    expect([wide.status, wide.json.code]).toEqual([403, 'scope_too_wide'])
    const made = await lane(['keys', 'add', '--name', 'auditor', '--scopes', 'audit', '--json'], {
      env: operatorOf(gateway),
    })
    const other = await send({ authorization: `Bearer ${JSON.parse(made.stdout).key}` })
    expect([other.status, other.json.code]).toEqual([403, 'scope_missing'])
  })

  test.each<[string, Record<string, string>]>([
    ['a page elsewhere', { origin: 'https://evil.example' }],
    ['a page that hides where it is', { origin: 'null' }],
    ['a name that was made to lead here', { host: 'evil.example' }],
    ['such a name, from its own page', { host: 'evil.example:8787', origin: 'http://evil.example:8787' }],
  ])('%s', async (_, headers) => {
    const { status, json } = await send(headers)
    expect([status, json.code]).toEqual([403, 'foreign_origin'])
  })

  test('its own origin is let in, and so is none', async () => {
    expect((await send({ origin: gateway.url })).status).toBe(200)
    expect((await send({})).status).toBe(200)
  })

  test.each<[string, Record<string, string>, string, number, string]>([
    ['half a message', {}, '{"jsonrpc":"2.0","id":1,"meth', 400, 'malformed_json'],
    ['a name twice', {}, '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, 'malformed_json'],
    ['a message of three megabytes', {}, `"${'x'.repeat(3 * 1024 * 1024)}"`, 413, 'too_large'],
    ['a run that is none', { 'lane-run-id': '../x' }, JSON.stringify(PING), 400, 'malformed_query'],
  ])('%s is refused with its reason', async (_, headers, body, status, code) => {
    const told = await send(headers, body)
    expect([told.status, told.json.code]).toEqual([status, code])
  })

  test('there is no stream to open: GET is 405', async () => {
    const { status, headers, json } = await send({}, '', 'GET')
    expect([status, headers.allow, json.code]).toEqual([405, 'POST', 'method_not_allowed'])
  })
})

test('a key has so many messages under way and no more; whoever leaves gives its place up', async () => {
  const config = `recipients:
  operator: { name: Operator, web: true }
limits: { waits_per_key: 2 }
`
  const narrow = await start({ config })
  const call = (key: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${narrow.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${narrow.agentKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'ask_question', arguments: { ...QUESTION, key, wait_seconds: 45 } },
      }),
      ...(signal && { signal }),
    })
  const leaving = new AbortController()
  const held = ['a', 'b'].map(key => call(key, leaving.signal).catch(() => null))
  await until('both to wait', async () => (await asked(narrow)).length === 2)
  const third = await call('c')
  expect([third.status, await third.json()]).toMatchObject([429, { code: 'rate_limited' }])
  leaving.abort()
  await Promise.all(held)
  await until('a place', async () => {
    const again = await fetch(`${narrow.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${narrow.agentKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(PING),
    })
    await again.text()
    return again.status === 200
  })
  await narrow.kill()
})
