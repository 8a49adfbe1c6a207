// The providers' door, with small adapters behind it: what came is handed over as it came, what is answered is what the
// adapter says, and nothing is acknowledged that could not be recorded.
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { webAdapter } from '../../adapters/web/index.js'
import type { Adapter, Hook, HookAnswer } from '../../src/adapter/contract.js'
import { openNotary } from '../../src/checkpoint/notary.js'
import { Enrolment } from '../../src/enrolment/enrolment.js'
import { Guesses } from '../../src/http/guesses.js'
import { type Metrics, startMetrics } from '../../src/http/metrics.js'
import { buildServer } from '../../src/http/server.js'
import { Watch } from '../../src/http/watch.js'
import { KeyBook } from '../../src/keys/key-book.js'
import { LedgerUnavailable } from '../../src/ledger/contract.js'
import { Accounts } from '../../src/people/accounts.js'
import type { Channel } from '../../src/request/channel.js'
import { stamper } from '../../src/token/stamp.js'
import { startWaiters } from '../../src/waiter/wait.js'
import { raise, SECRET, type Stage } from '../lane/stage.js'

const TAKEN: HookAnswer = { status: 200, headers: { 'content-type': 'text/xml' }, body: '<Response/>' }

let stage: Stage
let app: FastifyInstance
let metrics: Metrics
let port = 0
let seen: Hook[] = []
/** What the adapter does with what it is given. */
let act: (hook: Hook) => Promise<HookAnswer> = async () => TAKEN

const taking = (channel: Channel): Adapter => ({
  channel,
  shows: () => true,
  send: async () => ({ kind: 'sent' }),
  async receive(hook) {
    seen.push(hook)
    return act(hook)
  },
})

beforeEach(async () => {
  stage = await raise()
  seen = []
  act = async () => TAKEN
  const { store, config, lane } = stage
  const waiters = startWaiters(store.ledger)
  metrics = startMetrics(store, waiters.waiting)
  const page = webAdapter({ outbox: false, write: async () => undefined, print: () => undefined })
  const telegram: Adapter = { channel: 'telegram', shows: () => true, send: async () => ({ kind: 'sent' }) }
  const adapters = [taking('sms'), taking('email'), telegram, page]
  app = buildServer(
    {
      lane,
      store,
      config,
      adapters: new Map(adapters.map(adapter => [adapter.channel, adapter])),
      desk: channel => stage.desk(channel),
      keys: new KeyBook(store),
      notary: await openNotary({ store, secret: SECRET, publicUrl: 'https://lane.example.org/sub' }),
      keyring: stage.keyring,
      signing: {
        rotate: async () => ({ kid: '', not_before: '' }),
        rotateArtifacts: async () => ({ kid: '', not_before: '' }),
        artifacts: async () => () => '',
        revoke: async () => null,
      },
      waiters,
      page,
      printsLinks: false,
      csrf: stamper(stage.keyring().csrf),
      enrolment: new Enrolment({ ...stage, adapters: new Map(), onTrouble: () => undefined }),
      accounts: await Accounts.open(config.recipients, store.shelf),
      oidc: null,
      publicUrl: () => 'https://lane.example.org/sub',
      metrics,
      guesses: new Guesses(() => store.ledger.now()),
      watch: new Watch(
        () => store.ledger.now(),
        () => undefined,
      ),
      alarmTroubles: () => [],
      agents: async () => new Response(null, { status: 501 }),
      version: '0.0.0',
      now: () => store.ledger.now(),
      closing: new AbortController().signal,
    },
    { trustProxy: false, prefix: '/sub', isHttps: false },
    pino({ level: 'silent' }),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterEach(async () => {
  await app.close()
  await stage.close()
})

type Answer = { readonly status: number; readonly headers: Record<string, unknown>; readonly text: string }

/** As a provider does it; fetch would join or drop headers that are given twice. */
const post = (path: string, body: Uint8Array | string, headers: Record<string, string | string[]> = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, async response => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    asking.once('error', reject).end(body)
  })

const strangers = async () =>
  (await metrics.strangers.get()).values.map(({ labels, value }) => [labels.why, value])

describe('a webhook', () => {
  test('reaches its adapter byte for byte, with its query, whatever it says it is', async () => {
    const bytes = Uint8Array.from([0x7b, 0xff, 0x00, 0x22, 0x0d, 0x0a])
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain; charset=x']) {
      await post('/hooks/sms?handle=a%20b&x=1', bytes, { 'content-type': type })
    }
    expect(seen.map(({ bytes: got }) => Buffer.from(got).toString('hex'))).toEqual(
      Array(3).fill(Buffer.from(bytes).toString('hex')),
    )
    expect(seen[0]).toMatchObject({ query: '?handle=a%20b&x=1', provider: null })
    expect(seen[2]?.headers['content-type']).toBe('text/plain; charset=x')
  })

  test('without a body or a query is an empty one; below a sub-path it is the same', async () => {
    await post('/sub/hooks/sms', '')
    expect(seen).toMatchObject([{ query: '', provider: null }])
    expect(seen[0]?.bytes).toHaveLength(0)
  })

  test('of mail names its provider', async () => {
    await post('/hooks/email/postmark', '{}', { 'content-type': 'application/json' })
    expect(seen).toMatchObject([{ provider: 'postmark' }])
  })

  test('is answered as its adapter says, and never kept by a cache', async () => {
    const { status, headers, text } = await post('/hooks/sms', 'a=1')
    expect([status, text]).toEqual([200, '<Response/>'])
    expect(headers).toMatchObject({ 'content-type': 'text/xml', 'cache-control': 'no-store' })
  })

  test('with a header given twice has no such header', async () => {
    await post('/hooks/sms', '', { 'x-twilio-signature': ['one', 'two'], 'x-other': 'once' })
    expect([seen[0]?.headers['x-twilio-signature'], seen[0]?.headers['x-other']]).toEqual([undefined, 'once'])
  })

  test('[LANE-037] that its adapter could not verify is refused, and counted', async () => {
    act = async () => ({ status: 401, body: 'unverified' })
    expect(await post('/hooks/sms', 'a=1')).toMatchObject({ status: 401, text: 'unverified' })
    await post('/hooks/sms', 'a=1')
    await post('/hooks/email/postmark', '')
    expect(await strangers()).toEqual([
      ['unverified_sms', 2],
      ['unverified_email', 1],
    ])
  })

  test('that could not be recorded is not acknowledged: the provider is to come again', async () => {
    act = () => Promise.reject(new LedgerUnavailable('the disk is full'))
    const { status, headers, text } = await post('/hooks/sms', 'a=1')
    expect([status, headers['retry-after'], JSON.parse(text).code]).toEqual([503, '5', 'ledger_unavailable'])
    act = () => Promise.reject(new Error('a secret of ours'))
    const surprised = await post('/hooks/sms', 'a=1')
    expect([surprised.status, surprised.text.includes('secret')]).toEqual([500, false])
  })

  test('to a channel that is not there, or takes none, is not found', async () => {
    for (const path of ['/hooks/slack', '/hooks/telegram', '/hooks/email', '/hooks/fax']) {
      const { status, text } = await post(path, '')
      expect([path, status, JSON.parse(text).code]).toEqual([path, 404, 'not_found'])
    }
    expect(seen).toEqual([])
  })

  test('larger than one can be is refused unread; a mail may be larger', async () => {
    const large = new Uint8Array(256 * 1024 + 1)
    expect((await post('/hooks/sms', large)).status).toBe(413)
    expect((await post('/hooks/email/postmark', large)).status).toBe(200)
    expect(seen.map(({ bytes }) => bytes.length)).toEqual([large.length])
  })

  test('is a POST: GET decides nothing', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/hooks/sms?a=1`)
    expect([response.status, seen]).toEqual([404, []])
  })
})
