// No response of the lane is kept, sniffed, run or framed, however it came about.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaneUnderTest, question, startLane } from '../lane-under-test.js'

let lane: LaneUnderTest
let link = ''
beforeAll(async () => {
  lane = await startLane({ env: { PUBLIC_URL: 'https://lane.example.org/sub' } })
  await lane.submit(question('q-1'))
  link = `/r/${(await lane.link('q-1')).link.split('/r/')[1]}`
})
afterAll(() => lane.close())

type Response = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

/** The head of the response to these bytes, as they are: no client of HTTP would send some of them. */
const told = (bytes: string, port = Number(new URL(lane.url).port)): Promise<Response> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let heard = ''
    socket.setEncoding('utf8').on('data', chunk => {
      heard += chunk
      const end = heard.indexOf('\r\n\r\n')
      if (end < 0) return
      socket.destroy()
      const [first = '', ...lines] = heard.slice(0, end).split('\r\n')
      const pairs = lines.map(line => line.split(/: (.*)/s, 2) as [string, string])
      resolve({ status: Number(first.split(' ')[1]), headers: Object.fromEntries(pairs) })
    })
    socket.once('error', reject).once('close', () => reject(new Error(`cut off: ${bytes.slice(0, 80)}`)))
  })

const ask = (method: string, path: string, more = '', body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nhost: lane\r\n${more}content-length: ${body.length}\r\n\r\n${body}`
const bearer = (key: string): string => `authorization: Bearer ${key}\r\n`
const JSON_TYPE = 'content-type: application/json\r\n'

describe('every response is kept nowhere, sniffed by nobody, run and framed nowhere', () => {
  test.each<[string, number, () => string]>([
    ['what this is', 200, () => ask('GET', '/')],
    ['health', 200, () => ask('GET', '/healthz')],
    ['readiness', 200, () => ask('GET', '/readyz')],
    ['the description', 200, () => ask('GET', '/openapi.json')],
    ['the public keys', 200, () => ask('GET', '/.well-known/jwks.json')],
    ['the doctrine', 200, () => ask('GET', '/v1/doctrine')],
    ['metrics', 200, () => ask('GET', '/metrics', bearer(lane.operatorKey))],
    ['the ledger', 200, () => ask('GET', '/v1/ledger', bearer(lane.operatorKey))],
    ['a backup', 200, () => ask('GET', '/v1/backup', bearer(lane.operatorKey))],
    ['a case', 200, () => ask('GET', '/v1/requests/q-1', bearer(lane.agentKey))],
    ['a stream', 200, () => ask('GET', '/v1/events', bearer(lane.agentKey))],
    ['HEAD', 200, () => ask('HEAD', '/healthz')],
    ['the reply page', 200, () => ask('GET', link)],
    ['an unknown link', 404, () => ask('GET', `/r/${'0'.repeat(26)}`)],
    ['nothing there', 404, () => ask('GET', '/nowhere')],
    ['a path that cannot be decoded', 404, () => ask('GET', '/%zz')],
    ['a method nobody takes', 404, () => ask('PATCH', '/healthz')],
    ['no key', 401, () => ask('GET', '/v1/requests')],
    ['a key without the scope', 403, () => ask('GET', '/v1/keys', bearer(lane.agentKey))],
    ['no JSON', 400, () => ask('POST', '/v1/requests', bearer(lane.agentKey) + JSON_TYPE, '{')],
    ['no request', 422, () => ask('POST', '/v1/requests', bearer(lane.agentKey) + JSON_TYPE, '{}')],
    ['too much', 413, () => ask('POST', link, JSON_TYPE, 'x'.repeat(140_000))],
    ['an unknown content type', 415, () => ask('POST', '/v1/requests', bearer(lane.agentKey), 'x')],
    ['a webhook of no channel', 404, () => ask('POST', '/hooks/slack', JSON_TYPE, '{}')],
    ['no host', 400, () => 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two hosts', 400, () => 'GET /healthz HTTP/1.1\r\nhost: lane\r\nHost: other\r\n\r\n'],
    ['an expectation', 417, () => ask('GET', '/healthz', 'expect: coffee\r\n')],
    ['headers without end', 431, () => ask('GET', '/healthz', `x: ${'a'.repeat(17_000)}\r\n`)],
    ['no HTTP', 400, () => 'hello lane\r\n\r\n'],
  ])('%s (%i)', async (_what, status, bytes) => {
    const response = await told(bytes())
    expect(response).toMatchObject({
      status,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
      },
    })
  })

  test('a page runs its own script and nothing else: its own policy stands in the place of the general one', async () => {
    const { headers } = await told(ask('GET', link))
    expect(headers['content-security-policy']).toMatch(/script-src 'sha256-.*form-action 'self'/)
  })

  test('no refusal is written into a stream that is under way', async () => {
    const heard = await new Promise<string>(resolve => {
      const socket = connect(Number(new URL(lane.url).port), '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', chunk => {
        if (text === '') socket.write('hello lane\r\n\r\n')
        text += chunk
      })
      socket.once('close', () => resolve(text))
      socket.write(ask('GET', '/v1/events', bearer(lane.agentKey)))
    })
    expect(heard.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200'])
  })

  test('a request of the time before there was a Host header is answered', async () => {
    expect((await told('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
  })
})

test('https is asked for only where people reach the lane by it', async () => {
  const plain = await startLane()
  try {
    const { headers } = await told(ask('GET', '/healthz'), Number(new URL(plain.url).port))
    expect(headers).toHaveProperty('x-content-type-options')
    expect(headers).not.toHaveProperty('strict-transport-security')
  } finally {
    await plain.close()
  }
})
