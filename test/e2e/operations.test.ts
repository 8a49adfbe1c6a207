// Running it: the description of the door, health, rotation, sub-paths, a second process, and what a start must refuse.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DoorParts } from '../../src/http/door.js'
import { buildServer } from '../../src/http/server.js'
import { serve } from '../../src/main.js'
import { CONFIG, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import type { OpenApi } from './openapi.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())

const described = async (): Promise<OpenApi> =>
  (await lane.call('GET', '/openapi.json', { key: null })).json as unknown as OpenApi

/** The routes alone, with nothing behind them but what is given. */
function bareDoor(more: object = {}): FastifyInstance {
  const closing = new AbortController().signal
  const limits = { open_requests_per_key: 0, waits_per_key: 0, streams_per_key: 0 }
  const config = { actions: {}, recipients: {}, limits }
  const parts = { closing, config, adapters: new Map(), ...more } as unknown as DoorParts
  return buildServer(parts, { trustProxy: false, prefix: '', isHttps: false }, pino({ level: 'silent' }))
}

/** `METHOD /path/{}` of every route that is registered, read off the router's own drawing. */
async function registered(): Promise<string[]> {
  const app = bareDoor()
  await app.ready()
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent = '', path = '', methods = ''] =
        /^([│ ]*(?:├──|└──) )(\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? []
      if (indent === '') return []
      const depth = indent.length / 4 - 1
      above.splice(depth, above.length, path)
      const whole = above.join('').replaceAll('//', '/').replace(/:\w+/g, '{}')
      return methods
        .split(', ')
        .filter(method => method !== '' && method !== 'HEAD' && method !== 'OPTIONS')
        .map(method => `${method} ${whole}`)
    })
}

test('what is asked of a lane that is being stopped is refused as everything is, and told when to try again', async () => {
  const closing = new AbortController()
  const app = bareDoor({ closing: closing.signal })
  expect((await app.inject('/healthz')).statusCode).toBe(200)
  closing.abort()
  const answer = await app.inject('/healthz')
  expect([answer.statusCode, answer.headers['content-type'], answer.headers['retry-after']]).toEqual([
    503,
    'application/problem+json; charset=utf-8',
    '1',
  ])
  expect(answer.json()).toMatchObject({ code: 'ledger_unavailable', status: 503 })
})

test('/readyz does not wait for a ledger that says nothing: it is not ready, and that is said', async () => {
  const silent = { probe: () => new Promise(() => undefined), suspect: () => false }
  const store = { ledger: silent, seals: { broken: () => [] } }
  const answer = await bareDoor({ store, alarmTroubles: () => [] }).inject('/readyz')
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ status: 'not ready', checks: { ledger: 'it does not answer' } })
})

describe('the description of the door', () => {
  test('every route that is registered is described, and every described one exists', async () => {
    const { paths, openapi } = await described()
    expect(openapi).toBe('3.1.0')
    const told = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
    )
    expect(told.length).toBeGreaterThan(20)
    expect(told.toSorted()).toEqual((await registered()).toSorted())
  })

  test('every described route answers, with and without a key, as it says it does', async () => {
    const { paths } = await described()
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        const filled = path.replace('{hash}', `sha256:${'0'.repeat(64)}`).replace(/\{\w+\}/g, 'none')
        if (path === '/v1/events') continue
        for (const key of [null, lane.operatorKey]) {
          const answer = await lane.call(method.toUpperCase(), filled, { key })
          const detail = String(answer.json.detail)
          expect([method, path, detail]).not.toEqual([method, path, 'There is nothing at this address.'])
          expect(answer.status).toBeLessThan(500)
        }
      }
    }
  })

  test('every described query parameter is taken, and any other is refused by its name where a key opens the route', async () => {
    const { paths } = await described()
    const asked: string[] = []
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { security, parameters }] of Object.entries(operations)) {
        if (security.length === 0) continue
        const filled = path.replace(/\{\w+\}/g, 'none')
        const takes = parameters.flatMap(one => (one.in === 'query' ? [one.name] : []))
        const query = [...takes, 'form'].map(name => `${name}=0`).join('&')
        const answer = await lane.call(method.toUpperCase(), `${filled}?${query}`, { key: lane.operatorKey })
        expect([path, answer.status, answer.json.code]).toEqual([path, 400, 'malformed_query'])
        const list = takes.length === 0 ? 'none' : takes.join(', ')
        expect(answer.json.detail).toBe(`"form" is no query parameter of this address, which takes ${list}.`)
        asked.push(...takes)
      }
    }
    expect(new Set(asked)).toEqual(
      new Set([
        'state',
        'run_id',
        'cursor',
        'timeout_seconds',
        'request_id',
        'type',
        'from',
        'limit',
        'profile',
        'contents',
        'purpose',
        'to',
      ]),
    )
  })

  test('every problem has a type, and its code says the same', async () => {
    const answer = await lane.call('GET', '/nowhere', { key: null })
    expect(answer.json).toMatchObject({
      type: 'urn:interrupt-lane:not_found',
      status: 404,
      code: 'not_found',
    })
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })

  test.each([
    '/nowhere',
    '/v1',
    '/v1/requests/',
    '/V1/requests',
    '/r',
    '/r/',
    '//v1/requests',
    '/v1/requests/%zz',
    '/v1/requests/%00',
    `/v1/requests/${'a'.repeat(300)}`,
    '/../etc/passwd',
    '/.env',
    '/data/secret',
  ])('there is nothing at %s', async path => {
    const answer = await lane.call('GET', path, { headers: { accept: 'application/json' } })
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })
})

describe('health', () => {
  test('it says what it is, that it lives, and that it is ready', async () => {
    expect((await lane.call('GET', '/', { key: null })).json).toMatchObject({ name: 'interrupt-lane' })
    const page = await lane.call('GET', '/', { key: null, headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toContain('text/html')
    expect((await lane.call('GET', '/healthz', { key: null })).json).toEqual({ status: 'ok' })
    expect((await lane.call('GET', '/readyz', { key: null })).json).toMatchObject({
      status: 'ready',
      checks: { ledger: 'ok', clock: 'ok', alarms: 'ok' },
    })
  })

  test('[LANE-080] metrics count what was recorded, by outcome and by reason', async () => {
    await lane.submit(question('counted'))
    const reply = await lane.link('counted')
    await lane.answer(reply, 'hmm')
    await lane.answer(reply, 'yes')
    const { text } = await lane.call('GET', '/metrics', { key: lane.operatorKey })
    expect(text).toMatch(/lane_entries_total\{type="REQUEST_OPENED"\} \d+/)
    expect(text).toContain('lane_resolved_total{outcome="answered"} 1')
    expect(text).toContain('lane_replies_rejected_total{reason="reply_not_in_schema"} 1')
    expect(text).not.toContain(reply.link.split('/r/')[1])
  })

  test('bytes that are no HTTP end the connection, not the lane', async () => {
    const port = Number(new URL(lane.url).port)
    for (const bytes of [
      '\u0000\u0001\u0002\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    ]) {
      await new Promise<void>(resolve => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
        socket.on('data', () => undefined)
        socket.on('close', () => resolve())
        socket.on('error', () => undefined)
      })
    }
    expect((await lane.call('GET', '/healthz', { key: null })).status).toBe(200)
  })
})

describe('rotation', () => {
  test('after the signing key is changed old links still answer, new ones too, and both keys are published', async () => {
    const sample = await startLane({ config: UNLIMITED })
    await sample.submit(question('before'))
    const old = await sample.link('before')
    const kids = async (): Promise<unknown[]> =>
      (
        (await sample.call('GET', '/.well-known/jwks.json', { key: null })).json.keys as { kid: string }[]
      ).map(({ kid }) => kid)
    const [first] = await kids()
    const rotated = await sample.call('POST', '/v1/signing-keys/rotate', { key: sample.operatorKey })
    expect(rotated.status).toBe(201)
    expect(rotated.json.kid).not.toBe(first)
    expect(await kids()).toEqual([first, rotated.json.kid])
    await sample.submit(question('after'))
    expect((await sample.answer(old, 'yes')).status).toBe(200)
    expect((await sample.answer(await sample.link('after'), 'yes')).status).toBe(200)
    await sample.submit(question('third'))
    const kept = await sample.link('third')
    await sample.call('POST', '/v1/signing-keys/rotate', { key: sample.operatorKey })
    const again = await sample.restart()
    try {
      expect((await again.answer(kept, 'no')).status).toBe(200)
      const changes = (await again.ledger()).filter(
        ({ type, body }) => type === 'KEY_ROTATED' && body.purpose === 'reply-token',
      )
      expect(changes.map(({ body }) => body.kid).slice(0, 2)).toEqual([first, rotated.json.kid])
      expect(changes).toHaveLength(3)
    } finally {
      await again.close()
      rmSync(sample.dataDir, { recursive: true, force: true })
    }
  })
})

describe('a start', () => {
  test('two lanes on one data directory: the second says who is running, and the first goes on', async () => {
    const settings = {
      PORT: '0',
      LANE_DATA_DIR: lane.dataDir,
      LANE_CONFIG: join(lane.dataDir, 'lane.yaml'),
      LOG_LEVEL: 'silent',
    }
    await expect(serve(settings, () => undefined)).rejects.toThrow(`already running, pid ${process.pid}`)
    expect((await lane.submit(question('goes-on'))).status).toBe(201)
  })

  test('its directory is its own, and what is secret in it is readable by its owner alone', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'lane-'))
    const dataDir = join(parent, 'data')
    writeFileSync(join(parent, 'lane.yaml'), CONFIG)
    const running = await serve(
      { PORT: '0', LANE_DATA_DIR: dataDir, LANE_CONFIG: join(parent, 'lane.yaml'), LOG_LEVEL: 'silent' },
      () => undefined,
    )
    const mode = (path: string): number => statSync(path).mode & 0o777
    await running.close()
    expect(mode(dataDir)).toBe(0o700)
    for (const file of ['secret', 'operator.key', 'lane.pid'])
      expect([file, mode(join(dataDir, file))]).toEqual([file, 0o600])
    rmSync(parent, { recursive: true, force: true })
    await lane.submit(question('boxed'))
    await lane.link('boxed')
    expect(mode(join(lane.dataDir, 'outbox.ndjson'))).toBe(0o600)
  })

  test.each<[string, string, RegExp]>([
    ['a key nobody knows', `${CONFIG}\nrecipient_s: {}\n`, /recipient_s/],
    [
      'an approver who does not exist',
      CONFIG.replace('approvers: [operator, second]', 'approvers: [ghost]'),
      /ghost/,
    ],
    [
      'a channel without its secret',
      CONFIG.replace('web: true }', 'web: true, slack: { team: T1, user: U1 } }'),
      /slack/i,
    ],
    [
      'a proof that does not exist',
      CONFIG.replace('proofs: [slack_signed]', 'proofs: [trust_me]'),
      /trust_me|proofs/,
    ],
  ])('%s stops the start with a sentence', async (_, config, words) => {
    await expect(startLane({ config })).rejects.toThrow(words)
  })

  test('a lost secret is told, and not replaced by a new one', async () => {
    const sample = await startLane({ config: UNLIMITED })
    await sample.stop()
    writeFileSync(join(sample.dataDir, 'secret'), `${'0'.repeat(64)}\n`)
    await expect(startLane({ dataDir: sample.dataDir, config: UNLIMITED })).rejects.toThrow(/secret/)
    rmSync(sample.dataDir, { recursive: true, force: true })
  })

  test('it goes on where it stopped: no second link, nothing forgotten, one line more in the ledger', async () => {
    const sample = await startLane({ config: UNLIMITED })
    await sample.submit(question('kept-open'))
    const reply = await sample.link('kept-open')
    await sample.submit(question('kept-all'), { recipients: [{ user_id: 'operator', channels: ['web'] }] })
    await sample.link('kept-all')
    const sent = async () =>
      (await sample.ledger()).filter(({ type }) => type === 'OUTBOUND_REQUEST_SENT').length
    await until('both to be sent', sent, count => count >= 2)
    const before = await sample.ledger()
    const again = await sample.restart()
    try {
      await new Promise(resolve => setTimeout(resolve, 300))
      const after = await again.ledger()
      expect(after.slice(0, before.length)).toEqual(before)
      expect(after.slice(before.length).map(({ type }) => type)).toEqual(['LANE_STARTED'])
      const lines = readFileSync(join(sample.dataDir, 'outbox.ndjson'), 'utf8').trim().split('\n')
      expect(lines).toHaveLength(2)
      expect((await again.submit(question('kept-open'))).status).toBe(200)
      expect((await again.answer(reply, 'yes')).status).toBe(200)
    } finally {
      await again.close()
      rmSync(sample.dataDir, { recursive: true, force: true })
    }
  })
})

describe('under a sub-path', () => {
  test('links carry it, and both the page and its form work with and without it', async () => {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}/tools/lane`
    const sample = await startLane({ config: UNLIMITED, env: { PORT: String(port), PUBLIC_URL: base } })
    try {
      await sample.submit(question('deep-1'))
      const reply = await sample.link('deep-1')
      expect(reply.link.startsWith(`${base}/r/`)).toBe(true)
      const page = await fetch(reply.link)
      expect(page.status).toBe(200)
      expect(await page.text()).not.toContain('action=')
      expect((await fetch(`${base}/healthz`)).status).toBe(200)
      expect(
        (
          await fetch(`${base}/v1/requests/deep-1`, {
            headers: { authorization: `Bearer ${sample.agentKey}` },
          })
        ).status,
      ).toBe(200)
      expect((await fetch(`http://127.0.0.1:${port}/tools/laneX/healthz`)).status).toBe(404)
      // A browser names the origin alone, without the path.
      const answer = await sample.answer(reply, 'yes', reply.code, { origin: `http://127.0.0.1:${port}` })
      expect(answer.status).toBe(200)
      expect((await sample.call('GET', '/', { key: null })).json.api).toBe(`${base}/openapi.json`)
    } finally {
      await sample.close()
    }
  })

  test('behind a proxy whose public name differs, its own origin is taken and another is not', async () => {
    const sample = await startLane({ config: UNLIMITED, env: { PUBLIC_URL: 'https://lane.example/sub' } })
    try {
      await sample.submit(question('proxied'))
      const reply = await sample.link('proxied')
      expect(reply.link).toMatch(/^https:\/\/lane\.example\/sub\/r\/[0-9a-z]{26}$/)
      for (const origin of ['https://evil.example', 'http://lane.example', 'https://lane.example.evil']) {
        expect((await sample.answer(reply, 'yes', reply.code, { origin })).json.code).toBe('foreign_origin')
      }
      expect((await sample.answer(reply, 'yes', reply.code, { origin: 'https://lane.example' })).status).toBe(
        200,
      )
    } finally {
      await sample.close()
    }
  })
})
