// What a network does to a program that waits. A plain server stands in for connections that fail, never for the lane;
// the restart is a real one.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { connect } from '../../src/client/index.js'
import { answer, closedUrl } from '../cli/command-line.js'
import { start } from '../cli/gateway.js'
import { terminal } from '../cli/terminal.js'
import { sent } from '../mcp/agent.js'

const QUESTION = {
  question: 'Ship it?',
  impact: 'Decides what is done next',
  deadlineSeconds: 60,
  default: 'HALT',
  reply: { kind: 'yes_no' },
} as const

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('trouble', () => {
  test('a lane that is not there is tried until the deadline, and then the outcome is unknown: not a no, not a yes', async () => {
    const pace = terminal()
    const lane = connect({ url: await closedUrl(), key: 'k' }, pace)
    const asked = lane.ask({ ...QUESTION, id: 'nowhere' })
    expect(await asked.wait()).toMatchObject({ kind: 'unknown', id: 'nowhere', code: 'unreachable' })
    expect(pace.slept.slice(0, 8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    expect(pace.clock.monotonic()).toBe(60_000)
  })

  test('what is tried again is the same request, to the byte', async () => {
    const bodies: string[] = []
    const url = await listen((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString())
        response.destroy()
      })
    })
    const lane = connect({ url, key: 'k' }, terminal())
    await lane.ask({ ...QUESTION, deadlineSeconds: 5 }).wait()
    expect(bodies.length).toBeGreaterThan(3)
    expect(new Set(bodies).size).toBe(1)
  })

  test.each([
    ['a page of something else', 200, '<h1>Welcome</h1>'],
    ['an outcome without a case', 200, '{"state":"answered"}'],
    ['a refusal that is not in the words of a lane', 403, '<h1>Forbidden</h1>'],
  ])('%s is neither an outcome nor a refusal', async (_, status, body) => {
    const url = await listen((_, response) => response.writeHead(status).end(body))
    const outcome = await connect({ url, key: 'k' }, terminal()).ask(QUESTION).wait()
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'not_a_lane' })
  })

  test('an answer outside the schema is no answer', async () => {
    const url = await listen((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const sent = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : null
        const subject = {
          request_id: 'odd',
          request: sent?.request ?? { reply_schema: { kind: 'yes_no' } },
          run: {},
          receipt: {},
          deliveries: [],
          state: 'answered',
          deadline_at: '2026-02-17T12:00:00.000Z',
          resolved_at: '2026-02-17T12:00:00.000Z',
          answer: { parsed_choice: 'MAYBE', parsed_payload: null },
        }
        response.end(JSON.stringify(subject))
      })
    })
    const outcome = await connect({ url, key: 'k' }, terminal())
      .ask({ ...QUESTION, id: 'odd' })
      .wait()
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'not_a_lane' })
  })

  test('a handle that nobody waits on ends no process', async () => {
    connect({ url: await closedUrl(), key: 'k' }, terminal()).ask({ ...QUESTION, deadlineSeconds: 1 })
    await new Promise(resolve => setTimeout(resolve, 50))
  })
})

test('a wait outlives the sudden end of the lane and its restart; the person was asked once', async () => {
  const before = await start()
  const lane = connect({ url: before.url, key: before.agentKey })
  const asked = lane.ask({ ...QUESTION, id: 'outage', deadlineSeconds: 600 })
  expect((await asked.opened()).kind).toBe('opened')
  const outcome = asked.wait()
  await sent(before, 'outage')
  await before.kill()
  const early = lane.ask({ ...QUESTION, id: 'while-away', deadlineSeconds: 600 })
  await new Promise(resolve => setTimeout(resolve, 400))
  const after = await start({ dataDir: before.dataDir, port: before.port })
  expect(await answer(after, 'outage', 'yes')).toBe(200)
  expect(await outcome).toMatchObject({ kind: 'answered', answer: 'YES' })
  expect(await answer(after, 'while-away', 'no')).toBe(200)
  expect(await early.wait()).toMatchObject({ kind: 'answered', answer: 'NO' })
  const ledger = await fetch(`${after.url}/v1/ledger`, {
    headers: { authorization: `Bearer ${after.operatorKey}` },
  })
  expect((await ledger.text()).match(/"type":"REQUEST_OPENED"/g)).toHaveLength(2)
  await after.kill()
})
