// One key in a loop: it is told so, and takes nothing from the others.
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, CONFIG, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'

const BOUNDS = 'open_requests_per_key: 6, waits_per_key: 2, streams_per_key: 2'
let lane: LaneUnderTest
let other = ''
beforeAll(async () => {
  lane = await startLane({
    config: CONFIG.replace('open_questions_per_run: 3', `open_questions_per_run: 3, ${BOUNDS}`),
  })
  other = await lane.key('request')
})
afterAll(() => lane.close())

/** A stream that stands; ended by `end`. */
async function follow(key: string): Promise<{ readonly status: number; end(): void }> {
  const asking = request(`${lane.url}/v1/events`, {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    asking.once('response', resolve).once('error', reject).end(),
  )
  response.resume()
  asking.on('error', () => undefined)
  return { status: response.statusCode ?? 0, end: () => asking.destroy() }
}

describe('one key holds no more than its places', () => {
  test('of streams: the next is told to come later, another key is not, and one that ends leaves its place', async () => {
    const [first, second] = [await follow(lane.agentKey), await follow(lane.agentKey)]
    expect([first.status, second.status]).toEqual([200, 200])
    const refused = await lane.call('GET', '/v1/events')
    expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const others = await follow(other)
    expect(others.status).toBe(200)
    first.end()
    const again = await until('a place among the streams', async () => {
      const tried = await follow(lane.agentKey)
      if (tried.status === 200) return tried
      tried.end()
      return undefined
    })
    for (const stream of [second, others, again]) stream.end()
  })

  test('of waits: the next is told to come later, and one that ends leaves its place', async () => {
    await lane.submit(question('w-1'))
    const path = '/v1/requests/w-1/wait?timeout_seconds=60'
    const waiting = [lane.call('GET', path), lane.call('GET', path)]
    const refused = await until('no place to wait', async () => {
      const tried = await lane.call('GET', path.replace('60', '1'))
      return tried.status === 429 ? tried : undefined
    })
    expect(refused.json.code).toBe('rate_limited')
    expect(refused.headers.get('retry-after')).toBe('1')
    await lane.call('POST', '/v1/requests/w-1/withdraw', { body: { reason: 'tested' } })
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
    expect((await lane.call('GET', path)).status).toBe(200)
  })

  test('of open requests: the next is told to come later, the same one again is not, and a resolved one makes room', async () => {
    const open = (id: string, key = lane.agentKey) =>
      lane.call('POST', '/v1/requests', {
        key,
        body: {
          request: approval(id),
          run: { run_id: `run-${id}`, mood: 'DEFERENTIAL' },
          recipients: ['operator'],
        },
      })
    const ids = ['o-1', 'o-2', 'o-3', 'o-4', 'o-5', 'o-6']
    for (const id of ids) await until(`${id} to be opened`, async () => (await open(id)).status === 201)
    const refused = await until('no room', async () => {
      const tried = await open('o-7')
      return tried.status === 429 ? tried : undefined
    })
    expect([refused.json.code, refused.headers.get('retry-after')]).toEqual(['rate_limited', '1'])
    expect((await open('o-1')).status).toBe(200)
    expect((await open('o-8', other)).status).toBe(201)
    await lane.call('POST', '/v1/requests/o-1/withdraw', { body: { reason: 'tested' } })
    await until('room again', async () => (await open('o-7')).status === 201)
  })
})

test('a run of one key is not used up by another key that asks under the same name', async () => {
  const one = await lane.key('request')
  const ask = (id: string, key: string) =>
    lane.call('POST', '/v1/requests', {
      key,
      body: {
        request: question(id),
        run: { run_id: 'shared', mood: 'DEFERENTIAL' },
        recipients: ['operator'],
      },
    })
  for (const id of ['r-1', 'r-2', 'r-3']) expect((await ask(id, one)).status).toBe(201)
  const fourth = await ask('r-4', one)
  expect([fourth.status, fourth.json.code]).toEqual([429, 'too_many_open_questions'])
  expect(fourth.json.detail).toContain('This key has 3 open questions in run shared')
  expect((await ask('r-5', other)).status).toBe(201)
  // Ids are one namespace for all keys.
  expect((await ask('r-1', other)).json.code).toBe('id_conflict')
})
