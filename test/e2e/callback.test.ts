// A caller that is called, over real HTTP: what it is told the real standardwebhooks package verifies.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import {
  approval,
  type Entry,
  type LaneUnderTest,
  question,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'
import { until } from '../until.js'
import { certificate } from '../waiter/certificate.js'
import { type Call, type Receiver, receive, reset, status } from '../waiter/receiver.js'
import { caller, errorsOf } from './caller.js'
import { API_KEY, running, spawnLane } from './spawned-lane.js'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OLD_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const CONFIG = `${UNLIMITED}callbacks: { allow: [127.0.0.1] }\n`
const OPTIONS = { config: CONFIG, env: { LANE_WEBHOOK_SECRET: `${SECRET} ${OLD_SECRET}` } }

type Message = { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> }
const verified = ({ body, headers }: Call, secret = SECRET): Message =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Message

let lane: LaneUnderTest
let receiver: Receiver
beforeAll(async () => {
  lane = await startLane(OPTIONS)
})
afterAll(() => lane.close())
beforeEach(async () => {
  receiver = await receive()
})
afterEach(() => receiver.close())

const { submit, refusedField, refused } = caller(() => lane)
const callback = (): { readonly callback_url: string } => ({ callback_url: `${receiver.url}/cb?key=s3cret` })

/** The attempts the ledger tells of, once there are so many. */
const attempts = (id: string, times: number): Promise<Entry[]> =>
  until(
    `${times} calls for ${id}`,
    async () => (await lane.story(id)).filter(({ type }) => type === 'CALLBACK_ATTEMPTED'),
    told => told.length >= times,
  )
const withdraw = (id: string) =>
  lane.call('POST', `/v1/requests/${id}/withdraw`, { body: { reason: 'enough' } })

describe('whoever asked is called', () => {
  test('with the answer, as they would read it, signed so that the standardwebhooks package takes it', async () => {
    expect((await submit(question('cb-answer'), callback())).status).toBe(201)
    await lane.answer(await lane.link('cb-answer'), 'yes')
    const [call] = await receiver.called(1)
    if (call === undefined) throw new Error('not called')
    const { type, timestamp, data } = verified(call)
    expect(verified(call, OLD_SECRET)).toEqual({ type, timestamp, data })
    const shown = (await lane.call('GET', '/v1/requests/cb-answer')).json
    expect({ type, timestamp, data }).toEqual({
      type: 'request.resolved',
      timestamp: shown.resolved_at,
      data: shown,
    })
    expect(data).toMatchObject({ state: 'answered', answer: { parsed_choice: 'YES' } })
    expect((await attempts('cb-answer', 1)).map(({ body }) => body)).toEqual([
      { attempt: 1, ok: true, status: 204, final: true },
    ])
  })

  test('with what silence led to, and with a withdrawal', async () => {
    await submit(question('cb-silence', { deadline_seconds: 3 }), callback())
    await submit(question('cb-withdrawn'), callback())
    await withdraw('cb-withdrawn')
    const states = (await receiver.called(2)).map(call => verified(call).data.state)
    expect(states.toSorted()).toEqual(['defaulted', 'withdrawn'])
  })

  test('about an approval without the right it gives, which is fetched by whom it belongs to', async () => {
    await submit(approval('cb-approval'), callback())
    await lane.answer(await lane.link('cb-approval'), 'yes')
    const [call] = await receiver.called(1)
    expect(call?.body).not.toMatch(/policy_token|eyJ/)
  })

  test('nowhere in ledger, story or console is their URL', async () => {
    await submit(question('cb-quiet'), callback())
    await withdraw('cb-quiet')
    await receiver.called(1)
    const { text } = await lane.call('GET', '/v1/ledger', { key: lane.operatorKey })
    for (const place of [
      text,
      (await lane.call('GET', '/v1/requests/cb-quiet')).text,
      lane.printed.join('\n'),
    ])
      expect(place).not.toMatch(/s3cret|\/cb\?/)
  })

  test('and not, who did not ask for it', async () => {
    await submit(question('cb-none'))
    await withdraw('cb-none')
    const story = await lane.story('cb-none')
    expect(story.some(({ type }) => type.startsWith('CALLBACK_'))).toBe(false)
  })
})

describe('an endpoint that does not take it', () => {
  test('is called again after five seconds, by a lane that was restarted in between, under the same id', {
    skip: !ALL,
  }, async () => {
    receiver.will(status(500))
    await submit(question('cb-restart'), callback())
    await withdraw('cb-restart')
    const [first] = await attempts('cb-restart', 1)
    expect(first?.body).toMatchObject({ attempt: 1, ok: false, status: 500, code: 'refused', final: false })
    lane = await lane.restart()
    const [before, after] = await receiver.called(2)
    if (before === undefined || after === undefined) throw new Error('not called twice')
    expect(after.headers['webhook-id']).toBe(before.headers['webhook-id'])
    expect(verified(after).data).toMatchObject({ request_id: 'cb-restart', state: 'withdrawn' })
    const [, second] = await attempts('cb-restart', 2)
    expect(second?.body).toEqual({ attempt: 2, ok: true, status: 204, final: true })
    expect(Date.parse(second?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(String(first?.body.next_at)))
  })

  test.each([
    ['gone', status(410), { status: 410, code: 'gone', final: true }],
    ['throttled', status(429, { 'retry-after': '7200' }), { status: 429, code: 'throttled', final: false }],
    ['reset', reset, { status: null, code: 'connection_failed', final: false }],
    [
      'redirecting inward',
      status(307, { location: 'http://127.0.0.1:1/' }),
      { status: 307, code: 'redirected', final: false },
    ],
  ])('but is %s leaves that in the ledger, and the case as it was', async (name, act, recorded) => {
    const id = `cb-${name.replaceAll(' ', '-')}`
    receiver.will(act)
    await submit(question(id), callback())
    await withdraw(id)
    const [attempt] = await attempts(id, 1)
    expect(attempt?.body).toMatchObject({ attempt: 1, ok: false, ...recorded })
    const pause = Date.parse(String(attempt?.body.next_at)) - Date.parse(attempt?.at ?? '')
    if (name === 'throttled') expect(pause).toBeGreaterThanOrEqual(7_200_000)
    expect((await lane.call('GET', `/v1/requests/${id}`)).json.state).toBe('withdrawn')
    expect(receiver.calls).toHaveLength(1)
  })
})

describe('a callback is part of the envelope', () => {
  test('the same again is the same request; another one, or none, under its id is a conflict', async () => {
    const run = { run: { run_id: 'run-cb', mood: 'DEFERENTIAL' } }
    const open = (more: object) => lane.submit(question('cb-envelope'), { ...run, ...more })
    expect((await open(callback())).status).toBe(201)
    expect((await open(callback())).status).toBe(200)
    await refused(() => open({ callback_url: `${receiver.url}/other` }), 409, 'id_conflict')
    await refused(() => open({}), 409, 'id_conflict')
    await withdraw('cb-envelope')
    expect((await receiver.called(1))[0]?.path).toBe('/cb?key=s3cret')
  })
})

describe('a callback that points inward is refused, and nothing is recorded', () => {
  test.each([
    ['https://127.0.0.2/'],
    ['https://localhost/'],
    ['https://10.0.0.1/'],
    ['https://169.254.169.254/latest/meta-data/'],
    ['https://metadata.google.internal/'],
    ['https://2130706433/'],
    ['https://[::1]/'],
    ['https://[::ffff:127.0.0.1]/'],
    ['https://[64:ff9b::7f00:1]/'],
    ['http://example.org/'],
    ['https://example.org:22/'],
    ['https://user:pass@example.org/'],
    ['https://example.org/#fragment'],
    [`https://example.org/${'a'.repeat(2_048)}`],
    ['not a url'],
    [''],
    [null],
    [17],
  ])('%j', async callback_url => {
    const error = await refusedField(question('cb-inward'), '/callback_url', { callback_url })
    expect(error.accepted).toContain('callbacks.allow')
  })

  test('beside everything else that is wrong with the request', async () => {
    const bad = question('cb-bad', { deadline_seconds: 0 })
    const answer = await refused(
      () => submit(bad, { callback_url: 'https://localhost/' }),
      422,
      'invalid_request',
    )
    expect(errorsOf(answer).map(({ field }) => field)).toEqual(['/request/deadline_seconds', '/callback_url'])
  })
})

test('a lane with a secret that is none does not start', async () => {
  for (const LANE_WEBHOOK_SECRET of ['hunter2hunter2hunter2hunter2', 'whsec_aHVudGVyMg=='])
    await expect(startLane({ env: { LANE_WEBHOOK_SECRET } })).rejects.toThrow(
      'LANE_WEBHOOK_SECRET must be whsec_',
    )
})

test('an https endpoint is called by its name, and only with a certificate that is trusted', async () => {
  const own = certificate('localhost')
  const secure = await receive(own)
  const dataDir = mkdtempSync(join(tmpdir(), 'lane-'))
  const [authority, config] = [join(dataDir, 'ca.pem'), join(dataDir, 'callbacks.yaml')]
  writeFileSync(authority, own.cert)
  writeFileSync(config, `${UNLIMITED}callbacks: { allow: [localhost, 127.0.0.1] }\n`)
  const env = { LANE_CONFIG: config, LANE_WEBHOOK_SECRET: SECRET, NODE_EXTRA_CA_CERTS: authority }
  const child = running(await spawnLane(dataDir, { env }))
  try {
    const ask = async (id: string, host: string): Promise<void> => {
      const callback_url = `https://${host}:${secure.port}/cb`
      const run = { run_id: 'run-tls', mood: 'DEFERENTIAL' }
      const body = { request: question(id), run, recipients: ['operator'], callback_url }
      expect((await child.call('POST', '/v1/requests', body)).status).toBe(201)
      await child.call('POST', `/v1/requests/${id}/withdraw`, { reason: 'enough' })
    }
    await ask('tls-address', '127.0.0.1')
    await ask('tls-name', 'localhost')
    const [call] = await secure.called(1)
    if (call === undefined) throw new Error('not called')
    expect(verified(call).data.request_id).toBe('tls-name')
    const codes = async (): Promise<unknown[]> => {
      const response = await fetch(`${child.url}/v1/ledger`, {
        headers: { authorization: `Bearer ${API_KEY}` },
      })
      const entries = (await response.text())
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Entry)
      return entries
        .filter(({ type }) => type === 'CALLBACK_ATTEMPTED')
        .map(({ body }) => body.code ?? 'taken')
    }
    const both = await until('both attempts', codes, told => told.length >= 2)
    expect(both.toSorted()).toEqual(['taken', 'tls_failed'])
    expect(secure.calls).toHaveLength(1)
  } finally {
    await child.kill()
    await secure.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
