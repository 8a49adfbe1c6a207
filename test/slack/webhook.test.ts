// The webhook's door: Slack's signature on the bytes as they came, timely and once, before anything is read.
import { verifySlackRequest } from '@slack/bolt'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { slackAdapter } from '../../adapters/slack/index.js'
import { verify } from '../../adapters/slack/signature.js'
import type { Desk, Hook } from '../../src/adapter/contract.js'
import { LedgerUnavailable } from '../../src/ledger/contract.js'
import type { Say } from '../../src/say.js'
import { nowSeconds, sign, submitted, written } from './person.js'
import { raise, type Scene } from './scene.js'
import { BOT_TOKEN, SIGNING_SECRET } from './workspace.js'

const hook = (body: string, headers: Record<string, string>): Hook => ({
  bytes: Buffer.from(body),
  headers,
  query: '',
  provider: null,
})
const NOW = 1_771_336_805
const ms = (seconds: number): number => seconds * 1000

describe('the signature', () => {
  test('is the published one', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'
    const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': '1531420618' }
    const secret = '8f742231b10e8888abcd99yyyzzz85a5'
    expect(verify(secret, hook(body, headers), ms(1531420618))?.once).toBe(signature)
    expect(verify(`${secret}x`, hook(body, headers), ms(1531420618))).toBeNull()
  })

  test('is judged as bolt judges it, and a changed body, secret or time is refused by both', () => {
    const theirs = (body: string, headers: Record<string, string>): boolean => {
      try {
        verifySlackRequest({
          signingSecret: SIGNING_SECRET,
          body,
          headers: {
            'x-slack-signature': headers['x-slack-signature'] ?? '',
            'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
          },
          nowMilliseconds: ms(NOW),
        })
        return true
      } catch {
        return false
      }
    }
    const change = fc.constantFrom('nothing', 'body', 'secret', 'time')
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: -300, max: 300 }),
        change,
        (body, age, what) => {
          const secret = what === 'secret' ? 'another-secret-of-some-length' : SIGNING_SECRET
          const signed = sign(body, NOW - age, secret)
          const headers =
            what === 'time' ? { ...signed, 'x-slack-request-timestamp': String(NOW - age + 1) } : signed
          const came = what === 'body' ? `${body} ` : body
          const ours = verify(SIGNING_SECRET, hook(came, headers), ms(NOW)) !== null
          expect([ours, theirs(came, headers)]).toEqual([what === 'nothing', what === 'nothing'])
        },
      ),
    )
  })

  test.each([
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
    [-3600, false],
    [3600, false],
  ])('[LANE-037] %i s away from now counts: %s', (away, counts) => {
    const body = 'payload=%7B%7D'
    expect(verify(SIGNING_SECRET, hook(body, sign(body, NOW + away)), ms(NOW)) !== null).toBe(counts)
  })

  test.each<[string, (headers: Record<string, string>) => Record<string, string | undefined>]>([
    ['no headers at all', () => ({})],
    ['no timestamp', ({ 'x-slack-signature': signature }) => ({ 'x-slack-signature': signature })],
    [
      'another version',
      headers => ({ ...headers, 'x-slack-signature': headers['x-slack-signature']?.replace('v0', 'v1') }),
    ],
    [
      'capitals',
      headers => ({
        ...headers,
        'x-slack-signature': headers['x-slack-signature']?.replace(/=.*/, hex => hex.toUpperCase()),
      }),
    ],
    [
      'a cut signature',
      headers => ({ ...headers, 'x-slack-signature': headers['x-slack-signature']?.slice(0, -2) }),
    ],
    ['a signed timestamp', headers => ({ ...headers, 'x-slack-request-timestamp': `+${NOW}` })],
    ['an empty signature', headers => ({ ...headers, 'x-slack-signature': '' })],
  ])('with %s is refused', (_name, spoil) => {
    const body = '{}'
    const headers = spoil(sign(body, NOW)) as Record<string, string>
    expect(verify(SIGNING_SECRET, hook(body, headers), ms(NOW))).toBeNull()
  })

  test.each([-300, 0, 300])(
    'signed %i s away from now is remembered for exactly as long as it would be believed',
    away => {
      const signed = hook('{}', sign('{}', NOW + away))
      const { until: last = 0 } = verify(SIGNING_SECRET, signed, ms(NOW)) ?? {}
      expect(verify(SIGNING_SECRET, signed, last)).not.toBeNull()
      expect(verify(SIGNING_SECRET, signed, last + 1)).toBeNull()
    },
  )
})

describe('a lane', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await raise()
  })
  afterAll(() => scene.end())
  const post = (body: string, headers: Record<string, string>, type = 'application/json') =>
    scene.lane.call('POST', '/hooks/slack', {
      key: null,
      raw: body,
      headers: { 'content-type': type, ...headers },
    })

  test('[LANE-037] tells every webhook it cannot verify the same, before it parses anything', async () => {
    const event = JSON.stringify({ type: 'url_verification', challenge: 'c' })
    const unverified = [
      post('not even json', {}),
      post('', {}),
      post(event, {}),
      post(event, sign(event, nowSeconds(), 'another-secret-of-some-length')),
      post(event, sign(event, nowSeconds() - 400)),
      post(event, sign(event, nowSeconds() + 400)),
      post('ssl_check=1', {}, 'application/x-www-form-urlencoded'),
    ]
    for (const { status, text } of await Promise.all(unverified))
      expect([status, text]).toEqual([401, 'unverified'])
  })

  test('[LANE-037] takes a signed webhook once: the same bytes again are refused, and change nothing', async () => {
    const copy = await scene.asked('w-1')
    const body = JSON.stringify(written(scene.workspace.people.owner, copy, 'perhaps'))
    const headers = sign(body, nowSeconds())
    expect((await post(body, headers)).status).toBe(200)
    expect(await post(body, headers)).toMatchObject({ status: 401, text: 'unverified' })
    expect(await scene.reasons('w-1')).toEqual(['reply_not_in_schema'])
  })

  test('answers the challenge by which Slack makes sure of the address', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc', token: 'x' })
    expect(await post(body, sign(body, nowSeconds()))).toMatchObject({ status: 200, text: 'abc' })
  })

  test.each(['[]', '""', 'null', '{', '{"type":"url_verification"}'])(
    'says of signed nonsense (%s) that it cannot read it',
    async body => {
      expect((await post(body, sign(body, nowSeconds()))).status).toBe(400)
    },
  )

  test.each<[string, Record<string, unknown>]>([
    [
      'an event it did not ask for',
      {
        type: 'event_callback',
        team_id: 'T1',
        event: { type: 'reaction_added', user: 'U1', item: { type: 'message', channel: 'C1', ts: '1.1' } },
      },
    ],
    ['a command', { command: '/lane', team_id: 'T1' }],
    [
      'a press on a foreign button',
      {
        type: 'block_actions',
        team: { id: 'T1' },
        user: { id: 'U1' },
        actions: [{ type: 'button', action_id: 'other', block_id: 'b' }],
      },
    ],
    ['an object of no kind', {}],
  ])('acknowledges %s and does nothing', async (_name, said) => {
    const body = JSON.stringify(said)
    expect(await post(body, sign(body, nowSeconds()))).toMatchObject({ status: 200, text: '' })
  })

  test('reads interactions whatever charset the form names', async () => {
    const view = { private_metadata: '', callback_id: 'lane:answer' }
    const payload = JSON.stringify(submitted('U1', view, { value: 'x' }))
    const body = new URLSearchParams({ payload }).toString()
    const type = 'application/x-www-form-urlencoded; charset=utf-8'
    expect((await post(body, sign(body, nowSeconds()), type)).json).toMatchObject({
      response_action: 'errors',
    })
  })
})

const away = async (): Promise<never> => {
  throw new LedgerUnavailable('no disk')
}
const desk: Desk = {
  take: away,
  look: away,
  report: away,
  notice: away,
  link: away,
  keep: away,
  now: () => ms(NOW),
}
const made = (say: Say = () => undefined) =>
  slackAdapter({
    variables: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET },
    publicUrl: () => 'https://lane.example.org',
    say,
  })

test.each(['app_uninstalled', 'tokens_revoked'])('the operator is told of %s', async type => {
  const said: unknown[] = []
  const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', event: { type } })
  const handed = hook(body, { 'content-type': 'application/json', ...sign(body, NOW) })
  expect(await made((...line) => void said.push(line)).receive?.(handed, desk)).toEqual({ status: 200 })
  expect(said).toEqual([['error', 'Slack has taken the app’s rights', { channel: 'slack', why: type }]])
})

describe('when the ledger is away', () => {
  test('nothing is acknowledged, not even an event, and the same bytes may come again', async () => {
    const adapter = made()
    const copy = { channel: 'D1', message: { ts: '1.000001', text: '' } }
    const body = JSON.stringify(written('U1', copy, 'YES'))
    const handed = hook(body, { 'content-type': 'application/json', ...sign(body, NOW) })
    for (let times = 0; times < 2; times++)
      await expect(adapter.receive?.(handed, desk)).rejects.toBeInstanceOf(LedgerUnavailable)
  })
})
