// Whoever asked is called: the message, its attempts in the ledger, and what is not called.
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Case } from '../../src/agenda/case.js'
import type { EntryOf } from '../../src/event.js'
import { messageOfCase, showCase } from '../../src/http/case.js'
import type { Lane } from '../../src/lane/lane.js'
import { allowanceOf } from '../../src/waiter/address.js'
import { type Calls, callBack, messageOf, readRetryAfter } from '../../src/waiter/callback.js'
import { hashUrl, readSecrets, webhookId } from '../../src/waiter/signature.js'
import { configure, question, raise, type Stage } from '../lane/stage.js'
import { admittedTo, KEY_1 } from '../terms.js'
import { until } from '../until.js'
import { type Act, hang, type Receiver, receive, reset, status } from './receiver.js'

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const calls: Calls = {
  keys: readSecrets(SECRET) ?? [],
  allow: allowanceOf(['127.0.0.1']),
  agent: 'interrupt-lane/test',
  show: async subject => messageOfCase(showCase(subject)),
  patienceMs: 200,
}
const RECIPIENTS = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const

let stage: Stage
let receiver: Receiver
beforeEach(async () => {
  stage = await raise(configure(), calls)
  receiver = await receive()
})
afterEach(async () => {
  await receiver.close()
  await stage.close()
})

const url = (): string => `${receiver.url}/cb?key=s3cret`
async function open(id: string, callback_url: string = url(), lane: Lane = stage.lane): Promise<Case> {
  const run = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
  const submission = { request: question(id), run, recipients: null, callback_url }
  const opened = await lane.open(admittedTo(RECIPIENTS, submission), KEY_1)
  if (opened.kind !== 'opened') throw new Error(`not opened: ${opened.kind}`)
  return opened.subject
}
async function resolve(id: string, lane: Lane = stage.lane): Promise<void> {
  await lane.withdraw(id, 'enough', 'key-1')
  await lane.drain()
}
type Attempt = EntryOf<'CALLBACK_ATTEMPTED'>
const attempts = async (id = 'q'): Promise<Attempt[]> =>
  (await stage.entries()).filter(
    (entry): entry is Attempt => entry.type === 'CALLBACK_ATTEMPTED' && entry.request_id === id,
  )
const told = async (id?: string) => (await attempts(id)).map(({ body }) => body)
/** Lets the time come at which the ledger has the next alarm, and rings it. */
async function alarm(): Promise<void> {
  const { ledger } = stage.store
  const next = await ledger.nextAlarm(ledger.now())
  if (next === null) throw new Error('nothing will ring')
  stage.clock.pass(next - ledger.now())
  for (const id of await ledger.due(ledger.now(), 100)) await stage.lane.advance(id)
  await stage.lane.drain()
}

describe('the message', () => {
  test('is the case as whoever asked reads it, signed, under an id of its request', async () => {
    await open('q')
    await resolve('q')
    const subject = await stage.current('q')
    const [call] = receiver.calls
    expect(receiver.calls).toHaveLength(1)
    expect(call).toMatchObject({ method: 'POST', path: '/cb?key=s3cret' })
    expect(JSON.parse(call?.body ?? '')).toEqual({
      type: 'request.resolved',
      timestamp: subject.resolved_at,
      data: { ...showCase(subject), deliveries: expect.any(Array) },
    })
    const seconds = String(Math.floor(stage.store.ledger.now() / 1000))
    expect(call?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'interrupt-lane/test',
      'webhook-id': webhookId('q'),
      'webhook-timestamp': seconds,
      'webhook-signature': new Webhook(SECRET).sign(
        webhookId('q'),
        new Date(Number(seconds) * 1000),
        call?.body ?? '',
      ),
    })
    expect(await told()).toEqual([{ attempt: 1, ok: true, status: 204, final: true }])
    expect(await stage.store.ledger.nextAlarm()).toBeNull()
    expect(await stage.problems()).toEqual([])
  })

  test('is sent only after the end', async () => {
    await open('q')
    await stage.lane.drain()
    await stage.lane.advance('q')
    await stage.lane.drain()
    expect(receiver.calls).toEqual([])
  })

  test('tells of a default too', async () => {
    await open('q')
    await stage.lane.drain()
    stage.clock.pass(600_000)
    await stage.lane.advance('q')
    await stage.lane.drain()
    expect(JSON.parse(receiver.calls[0]?.body ?? '').data).toMatchObject({
      state: 'defaulted',
      default_applied: true,
      answer: null,
    })
  })

  test('stays below 20 kB: a longer case comes without what whoever asked has or can ask for', async () => {
    const subject = await open('q')
    const shown = showCase(subject)
    expect(messageOf(messageOfCase(shown), subject)).toBe(
      JSON.stringify({ type: 'request.resolved', timestamp: null, data: shown }),
    )
    const deliveries = Array.from({ length: 200 }, (_, index) => ({ delivery_id: `d-${index}`.padEnd(100) }))
    const long = messageOf(messageOfCase({ ...shown, deliveries }), subject)
    const { request: _, deliveries: __, ...rest } = shown
    expect(JSON.parse(long).data).toEqual(JSON.parse(JSON.stringify({ ...rest, abridged: true })))
    expect(Buffer.byteLength(long)).toBeLessThan(20_000)
  })

  test('and the ledger holds the hash of its URL, not the URL', async () => {
    await open('q')
    await resolve('q')
    const entries = await stage.entries()
    expect(entries.find(({ type }) => type === 'CALLBACK_REGISTERED')?.body).toEqual({
      url_hash: hashUrl(url()),
    })
    expect(JSON.stringify(entries)).not.toContain('s3cret')
    expect(JSON.stringify(entries)).not.toContain(`:${receiver.port}`)
  })
})

describe('an attempt that fails', () => {
  const failures: readonly [string, Act, object][] = [
    ['500', status(500), { status: 500, code: 'refused' }],
    ['a hanging endpoint', hang, { status: null, code: 'timed_out' }],
    ['a reset', reset, { status: null, code: 'connection_failed' }],
    ['a redirect', status(302, { location: 'http://169.254.169.254/' }), { status: 302, code: 'redirected' }],
    ['429', status(429), { status: 429, code: 'throttled' }],
  ]
  test.each(failures)('by %s is recorded, and repeated when its time has come', async (_, act, recorded) => {
    receiver.will(act)
    await open('q')
    await resolve('q')
    expect(await told()).toEqual([
      { attempt: 1, ok: false, final: false, next_at: expect.any(String), ...recorded },
    ])
    await alarm()
    const [first, second] = await attempts()
    expect(second?.body).toEqual({ attempt: 2, ok: true, status: 204, final: true })
    expect(Date.parse(second?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.body.next_at ?? ''))
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([webhookId('q')]),
    )
    expect(await stage.problems()).toEqual([])
  })

  test('again and again is given up after the tenth, three days later, and the outcome stands', async () => {
    receiver.will(...Array<Act>(20).fill(status(503)))
    await open('q')
    await resolve('q')
    for (let attempt = 2; attempt <= 10; attempt++) await alarm()
    const all = await attempts()
    expect(all.map(({ body }) => body.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(all.map(({ body }) => body.final)).toEqual([...Array(9).fill(false), true])
    const hours = (Date.parse(all[9]?.at ?? '') - Date.parse(all[0]?.at ?? '')) / 3_600_000
    expect(hours).toBeGreaterThan(75.5)
    expect(hours).toBeLessThan(75.6 * 1.1)
    expect(await stage.store.ledger.nextAlarm()).toBeNull()
    expect(receiver.calls).toHaveLength(10)
    expect((await stage.current('q')).state).toBe('withdrawn')
    expect(await stage.problems()).toEqual([])
  })

  test('because the endpoint is gone is the last', async () => {
    receiver.will(status(410))
    await open('q')
    await resolve('q')
    expect(await told()).toEqual([{ attempt: 1, ok: false, status: 410, code: 'gone', final: true }])
    expect(await stage.store.ledger.nextAlarm()).toBeNull()
  })

  test.each<[string, Record<string, string>, number, number]>([
    ['Retry-After in seconds', { 'retry-after': '3600' }, 3_600_000, 3_600_001],
    ['a Retry-After of a year', { 'retry-after': '31536000' }, 86_400_000, 86_400_001],
    ['a Retry-After shorter than the schedule', { 'retry-after': '1' }, 5_000, 5_501],
    ['a Retry-After that is nonsense', { 'retry-after': 'soon' }, 60_000, 60_001],
    ['no Retry-After', {}, 60_000, 60_001],
  ])('429 with %s waits accordingly', async (_, headers, least, most) => {
    receiver.will(status(429, headers))
    await open('q')
    await resolve('q')
    const [attempt] = await attempts()
    const pause = Date.parse(attempt?.body.next_at ?? '') - Date.parse(attempt?.at ?? '')
    expect(pause).toBeGreaterThanOrEqual(least)
    expect(pause).toBeLessThanOrEqual(most)
  })

  test('because the secret was taken away says so, calls nobody, and stays owed', async () => {
    const bare = await raise()
    await open('q', url(), bare.lane)
    await resolve('q', bare.lane)
    const attempt = (await bare.entries()).find(entry => entry.type === 'CALLBACK_ATTEMPTED')
    expect(attempt).toMatchObject({
      type: 'CALLBACK_ATTEMPTED',
      body: { ok: false, status: null, code: 'not_configured', final: false },
    })
    expect(await bare.store.ledger.nextAlarm()).toBeGreaterThan(bare.clock.wall())
    expect(receiver.calls).toEqual([])
    await bare.close()
  })

  test('because another URL was put on the shelf since is not made', async () => {
    const elsewhere = await receive()
    const subject = await open('q', 'https://hooks.example.org/')
    const caller = {
      record: stage.lane.recorder.record,
      now: () => stage.store.ledger.now(),
      calls,
    }
    for (const [index, found] of [elsewhere.url, null].entries())
      await callBack(
        caller,
        await stage.current(subject.request_id),
        { kind: 'call_back', attempt: index + 1 },
        found,
      )
    expect((await told()).map(({ code }) => code)).toEqual(['url_changed', 'url_changed'])
    expect(elsewhere.calls).toEqual([])
    await elsewhere.close()
  })

  test('because its host is no longer allowed is not made', async () => {
    await open('q', `http://127.0.0.2:${receiver.port}/`)
    await resolve('q')
    expect(await told()).toMatchObject([{ ok: false, status: null, code: 'address_refused', final: false }])
    expect(receiver.calls).toEqual([])
  })
})

describe('two who learn of the same duty', () => {
  test('may both call, under one id, and the attempt has one entry', async () => {
    const answers: (() => void)[] = []
    const held: Act = response => void answers.push(() => void response.writeHead(204).end())
    receiver.will(held, held)
    await open('q')
    await stage.lane.withdraw('q', 'enough', 'key-1')
    const other = stage.secondLane()
    await other.advance('q')
    await receiver.called(2)
    for (const answer of answers) answer()
    await Promise.all([stage.lane.drain(), other.drain()])
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await told()).toEqual([{ attempt: 1, ok: true, status: 204, final: true }])
    expect(await stage.problems()).toEqual([])
  })

  test('in one process call once', async () => {
    await open('q')
    await stage.lane.withdraw('q', 'enough', 'key-1')
    await Promise.all(Array.from({ length: 5 }, () => stage.lane.advance('q')))
    await stage.lane.drain()
    expect(receiver.calls).toHaveLength(1)
  })

  test('one of whom died before it told: the other calls again when the alarm rings', async () => {
    await open('q')
    await stage.lane.drain()
    // As if the process had died after the resolution: nobody tends it but the alarm in the ledger.
    await stage.lane.recorder.record('q', () => ({
      resolves: true,
      tell: ({ seq }) => ({
        events: [
          { type: 'REQUEST_WITHDRAWN', body: { reason: 'enough', by: 'key-1' } },
          { type: 'REQUEST_RESOLVED', body: { outcome: 'withdrawn', causes: [seq] } },
        ],
      }),
    }))
    expect(receiver.calls).toEqual([])
    await alarm()
    expect(receiver.calls).toHaveLength(1)
    expect(await told()).toEqual([{ attempt: 1, ok: true, status: 204, final: true }])
  })
})

test('a host that hangs holds up eight calls of its own, and nobody else', async () => {
  const other = await receive()
  receiver.will(...Array<Act>(20).fill(hang))
  const ids = Array.from({ length: 20 }, (_, index) => `q-${index}`)
  for (const id of ids) await open(id)
  await open('else', `${other.url}/cb`)
  await stage.lane.drain()
  await Promise.all([...ids, 'else'].map(id => stage.lane.withdraw(id, 'enough', 'key-1')))
  await other.called(1)
  await until('eight calls at once', () => receiver.load.now, 8)
  await stage.lane.drain()
  expect(receiver.load.most).toBe(8)
  expect(receiver.calls).toHaveLength(20)
  for (const id of ids) expect(await told(id)).toMatchObject([{ ok: false, code: 'timed_out' }])
  await other.close()
})

describe('Retry-After', () => {
  const NOW = Date.parse('2026-11-01T12:00:00.000Z')
  test.each<[string | null, number | null]>([
    ['0', 0],
    ['120', 120_000],
    ['Sun, 01 Nov 2026 12:01:00 GMT', 60_000],
    ['Sun, 01 Nov 2026 11:00:00 GMT', 0],
    ['Sun, 99 Nov 2026 11:00:00 GMT', null],
    ['-5', null],
    ['1.5', null],
    ['1e9', null],
    ['99999999999', null],
    ['tomorrow', null],
    ['', null],
    [null, null],
  ])('%j is %s', (text, ms) => {
    expect(readRetryAfter(text, NOW)).toBe(ms)
  })
})
