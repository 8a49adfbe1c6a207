// One POST, and what every way it can go means: a refusal is told as one, silence is never repeated.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { send } from '../../adapters/sms/send.js'
import { readVariables } from '../../adapters/sms/variables.js'
import type { Outbound } from '../../src/adapter/contract.js'
import { approval, HANDLE, question } from '../web/samples.js'
import { type Fault, NUMBER, OWNER, SID, says, TOKEN } from './provider.js'

const HOOK = 'https://lane.example.org/hooks/sms'
const POOL = `MG${'0'.repeat(32)}`
const outbound: Outbound = {
  delivery_id: 'd-1',
  attempt: 1,
  recipient: { user_id: 'owner', name: 'Owner' },
  address: OWNER,
  reply: { handle: HANDLE, code: '7K3FQ2M' },
  page: { link: 'https://lane.example.org/r/zyxwvtsrqpnmkjhgfedcba9876', code: null },
  at: '2026-02-17T13:00:05.000Z',
}

let server: Server
let api = ''
let act: Fault = null
let asked: { readonly request: IncomingMessage; readonly form: URLSearchParams }[] = []

beforeEach(async () => {
  asked = []
  server = createServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    asked.push({ request, form: new URLSearchParams(body) })
    act?.(reply)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

const account = (more: Record<string, string> = {}) =>
  readVariables({
    SMS_ACCOUNT_SID: SID,
    SMS_AUTH_TOKEN: TOKEN,
    SMS_FROM: NUMBER,
    SMS_API_URL: api,
    ...more,
  })
/** Long enough for a busy machine, short enough to wait for. */
const PATIENCE_MS = 1_000
const sendNow = (from = account()) => send(from, HOOK, question(), outbound, PATIENCE_MS)

const created =
  (body: string): Fault =>
  reply =>
    void reply.writeHead(201).end(body)
const broken =
  (begin: (reply: ServerResponse) => void): Fault =>
  reply => {
    begin(reply)
    setTimeout(() => reply.destroy(), 20)
  }

describe('what is asked of the provider', () => {
  test('names the number, the words, where to report, and how long it is of use', async () => {
    act = created('{"sid":"SM1"}')
    await sendNow()
    const [{ request, form } = { request: null, form: new URLSearchParams() }] = asked
    expect(request?.url).toBe(`/2010-04-01/Accounts/${SID}/Messages.json`)
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`)
    expect(Object.fromEntries(form)).toMatchObject({
      To: OWNER,
      From: NUMBER,
      StatusCallback: `${HOOK}?handle=${HANDLE}`,
      ValidityPeriod: '3600',
    })
    expect(form.get('Body')).toContain('7K3F')
  })

  test('is nothing where the message could be answered and cannot show all of what is decided', async () => {
    const long = { ...approval, handles: Array(20).fill(approval.handles[0]) }
    expect(await send(account(), HOOK, long, outbound, PATIENCE_MS)).toEqual({
      kind: 'failed',
      code: 'too_long_here',
      retryable: false,
    })
    expect(asked).toEqual([])
  })

  test('of an announcement names the handle of its page, which the message holds: it has no other', async () => {
    act = created('{"sid":"SM1"}')
    await send(account(), HOOK, question(), { ...outbound, reply: null }, PATIENCE_MS)
    const handle = outbound.page.link.split('/').at(-1)
    expect(asked[0]?.form.get('StatusCallback')).toBe(`${HOOK}?handle=${handle}`)
    expect(asked[0]?.form.get('Body')).not.toContain('Reply')
  })

  test('names a messaging service as one, below whatever path the API has', async () => {
    act = created('{"sid":"SM1"}')
    await sendNow(account({ SMS_FROM: POOL, SMS_API_URL: `${api}/gateway/` }))
    expect(asked[0]?.request.url).toBe(`/gateway/2010-04-01/Accounts/${SID}/Messages.json`)
    expect(Object.fromEntries(asked[0]?.form ?? [])).toMatchObject({ MessagingServiceSid: POOL })
    expect(asked[0]?.form.has('From')).toBe(false)
  })
})

describe('sent', () => {
  test('is what the provider has given a name', async () => {
    act = created('{"sid":"SM1","status":"queued"}')
    expect(await sendNow()).toEqual({ kind: 'sent', ref: 'SM1' })
  })

  test.each([
    ['no JSON', 'thanks'],
    ['no name', '{"status":"queued"}'],
    ['nothing', ''],
  ])('but %s came back: uncertain, and not repeated', async (_name, body) => {
    act = created(body)
    expect(await sendNow()).toEqual({ kind: 'uncertain' })
  })
})

describe('failed', () => {
  test.each([
    ['too many, with a time', says(429, 20_429, { 'retry-after': '7' }), 'rate_limited', 7_000],
    ['too many, by its code', says(400, 20_429), 'rate_limited', undefined],
    ['an absurd time', says(429, 20_429, { 'retry-after': '99999999' }), 'rate_limited', 3_600_000],
    ['a time that is none', says(429, 20_429, { 'retry-after': 'soon' }), 'rate_limited', undefined],
    ['an error of its own', says(500, 20_500), 'provider_unavailable', undefined],
    ['a pause', says(503, 20_503, { 'retry-after': '2' }), 'provider_unavailable', 2_000],
    ['a wrong token', says(401, 20_003), 'unauthorized', undefined],
    ['a way elsewhere', says(302, 0, { location: 'http://127.0.0.1:1/' }), 'unexpected_answer', undefined],
  ] as const)('for now: %s', async (_name, fault, code, retry_after_ms) => {
    act = fault
    expect(await sendNow()).toEqual({
      kind: 'failed',
      code,
      retryable: true,
      ...(retry_after_ms !== undefined && { retry_after_ms }),
    })
  })

  test.each([
    ['the person has opted out', says(400, 21_610), 'opted_out'],
    ['no such number', says(400, 21_211), 'invalid_number'],
    ['no mobile number', says(400, 21_614), 'invalid_number'],
    ["a sender that is not the account's", says(400, 21_606), 'sender_refused'],
    ['a country that is not enabled', says(400, 21_408), 'region_not_allowed'],
    ['another reason', says(400, 30_999), 'refused_30999'],
    ['no account', says(404, 20_404), 'refused_20404'],
    [
      'no reason',
      ((reply: ServerResponse) => void reply.writeHead(400).end('no')) as Fault,
      'refused_http_400',
    ],
  ] as const)('for good: %s', async (_name, fault, code) => {
    act = fault
    expect(await sendNow()).toEqual({ kind: 'failed', code, retryable: false })
  })

  test('for now, where nobody answers at all: nothing has left', async () => {
    const gone = account()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    expect(await sendNow(gone)).toEqual({ kind: 'failed', code: 'provider_unreachable', retryable: true })
    const nowhere = account({ SMS_API_URL: 'http://no-such-host.invalid' })
    expect(await sendNow(nowhere)).toMatchObject({ kind: 'failed', retryable: true })
    server = createServer().listen(0)
  })
})

describe('uncertain', () => {
  test.each([
    ['it hangs', (() => undefined) as Fault],
    ['it breaks off', broken(() => undefined)],
    [
      'it hangs within its answer',
      ((reply: ServerResponse) => void reply.writeHead(201).write('{"si')) as Fault,
    ],
    ['it breaks off within its answer', broken(reply => void reply.writeHead(201).write('{"si'))],
  ])('when %s after it was asked', async (_name, fault) => {
    act = fault
    expect(await sendNow()).toEqual({ kind: 'uncertain' })
    expect(asked).toHaveLength(1)
  })
})

describe('an account', () => {
  test.each([
    [{ SMS_ACCOUNT_SID: 'AC12' }, /^SMS_ACCOUNT_SID must be/],
    [{ SMS_AUTH_TOKEN: 'guessable' }, /^SMS_AUTH_TOKEN must be/],
    [{ SMS_FROM: 'MyCompany' }, /^SMS_FROM must be a number/],
    [{ SMS_FROM: '15559990000' }, /^SMS_FROM must be a number/],
    [{ SMS_API_URL: 'ftp://api.example.org' }, /^SMS_API_URL must be/],
    [{ SMS_API_URL: 'https://user:secret@api.example.org' }, /^SMS_API_URL must be/],
    [{ SMS_API_URL: 'https://api.example.org?x=1' }, /^SMS_API_URL must be/],
  ])('%j is refused in words that repeat nothing', (wrong, words) => {
    const reading = () => account(wrong)
    expect(reading).toThrow(words)
    for (const value of Object.values(wrong)) expect(reading).not.toThrow(value)
  })

  test('may be a short code', () => expect(account({ SMS_FROM: '72345' }).from).toBe('72345'))
})
