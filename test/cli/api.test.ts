// What a network does: a plain server stands in for connections that fail, never for the lane itself.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { ask } from '../../src/cli/ask.js'
import { explain } from '../../src/cli/explain.js'
import { call, openStream } from '../../src/client/call.js'
import { waitForOutcome } from '../../src/client/wait.js'
import { closedUrl } from './command-line.js'
import { terminal } from './terminal.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(listener: RequestListener): Promise<{ url: string; key: string }> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'a-key' }
}

const nobody = async (): Promise<{ url: string; key: string }> => ({ url: await closedUrl(), key: 'a-key' })

const ASK = ['Ship it?', '--impact', 'x', '--yes-no', '--deadline', '1m', '--default', 'HALT']

describe('one call', () => {
  test('a refused connection says how to start a lane or where to look for one', async () => {
    const endpoint = await nobody()
    const trouble = await call(endpoint, { path: '/v1/recipients' })
    expect(trouble).toEqual({ kind: 'unreachable', why: 'refused', detail: 'ECONNREFUSED' })
    const said = trouble.kind === 'unreachable' ? explain(trouble, endpoint.url).join('\n') : ''
    expect(said).toContain('lane serve')
    expect(said).toContain('LANE_URL')
  })

  test('an unknown host is told apart from a lane that is down', () => {
    const lost = { kind: 'unreachable', why: 'unknown_host', detail: 'ENOTFOUND' } as const
    expect(explain(lost, 'http://lane.example.org').join()).toMatch(/not known.*LANE_URL/)
  })

  test('a server that never answers is left', async () => {
    const endpoint = await listen(() => undefined)
    expect(await call(endpoint, { path: '/', patienceMs: 50 })).toMatchObject({
      kind: 'unreachable',
      why: 'timeout',
    })
  })

  test('a connection that breaks in the body is no answer', async () => {
    const endpoint = await listen((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"state":"answered"')
      setImmediate(() => response.destroy())
    })
    expect(await call(endpoint, { path: '/' })).toMatchObject({ kind: 'unreachable', why: 'interrupted' })
  })

  test('a stream that breaks off does not end as if it were whole', async () => {
    const endpoint = await listen((_, response) => {
      response.writeHead(200)
      response.write('one\n')
      setTimeout(() => response.destroy(), 20)
    })
    const stream = await openStream(endpoint, '/v1/ledger')
    const read = async (): Promise<void> => {
      if (stream.kind === 'stream') for await (const _ of stream.chunks);
    }
    await expect(read()).rejects.toThrow()
  })

  test('a redirect is not followed: the key stays where the operator sent it', async () => {
    const keys: unknown[] = []
    const elsewhere = await listen((request, response) => {
      keys.push(request.headers.authorization)
      response.end('{}')
    })
    const endpoint = await listen((_, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/` }).end()
    })
    const trouble = await call(endpoint, { path: '/' })
    expect(trouble).toMatchObject({ kind: 'problem', status: 307 })
    expect(trouble.kind === 'problem' ? explain(trouble, endpoint.url).join() : '').toContain(elsewhere.url)
    expect(keys).toEqual([])
  })

  test("a proxy's error page is said to be no lane's", async () => {
    const endpoint = await listen((_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'))
    const trouble = await call(endpoint, { path: '/' })
    const said = trouble.kind === 'problem' ? explain(trouble, endpoint.url).join() : ''
    expect(said).toContain('502, and not as a lane does')
  })
})

describe('asking again', () => {
  test('a broken connection is tried again with the same id and run, and never with another', async () => {
    const bodies: { request: { question_id: string }; run: { run_id: string } }[] = []
    const endpoint = await listen((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
        response.destroy()
      })
    })
    const shell = terminal({ LANE_URL: endpoint.url, LANE_API_KEY: 'k'.repeat(30) })
    expect(await ask.run(ASK, shell)).toBe(1)
    expect(bodies).toHaveLength(5)
    expect(new Set(bodies.map(body => JSON.stringify(body))).size).toBe(1)
    const { request, run } = bodies[0] ?? { request: { question_id: '?' }, run: { run_id: '?' } }
    expect(shell.err()).toContain(`--id ${request.question_id} --run ${run.run_id}`)
    expect(shell.slept).toEqual([250, 500, 1000, 2000])
    expect(shell.out()).toBe('')
  })

  test('a lane that is not there is said at once', async () => {
    const { url } = await nobody()
    const shell = terminal({ LANE_URL: url, LANE_API_KEY: 'k'.repeat(30) })
    expect(await ask.run(ASK, shell)).toBe(1)
    expect(shell.slept).toEqual([])
    expect(shell.err()).toContain('lane serve')
  })

  test('a success that is no case is not an outcome', async () => {
    const endpoint = await listen((_, response) => response.end('{"state":"answered"}'))
    const shell = terminal({ LANE_URL: endpoint.url, LANE_API_KEY: 'k'.repeat(30) })
    expect(await ask.run([...ASK, '--wait'], shell)).toBe(1)
    expect(shell.out()).toBe('')
  })
})

describe('waiting', () => {
  test('goes on through an outage, pausing longer each time, and gives up long after the deadline', async () => {
    const endpoint = await nobody()
    const shell = terminal()
    const ended = await waitForOutcome(shell, endpoint, 'ask-1', 60_000)
    expect(ended).toMatchObject({ kind: 'unreachable', why: 'refused' })
    expect(shell.slept.slice(0, 8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    expect(shell.clock.monotonic()).toBeGreaterThanOrEqual(60_000)
  })

  test('a refusal of the key ends it at once', async () => {
    const endpoint = await listen((_, response) => response.writeHead(401).end('{"code":"unauthenticated"}'))
    const shell = terminal()
    expect(await waitForOutcome(shell, endpoint, 'ask-1', 60_000)).toMatchObject({
      kind: 'problem',
      status: 401,
    })
    expect(shell.slept).toEqual([])
  })

  test('Retry-After is kept to', async () => {
    let asked = 0
    const endpoint = await listen((_, response) => {
      asked += 1
      if (asked === 1) response.writeHead(503, { 'retry-after': '7' }).end('{}')
      else response.writeHead(404).end('{}')
    })
    const shell = terminal()
    await waitForOutcome(shell, endpoint, 'ask-1', 60_000)
    expect(shell.slept).toEqual([7000])
  })
})
