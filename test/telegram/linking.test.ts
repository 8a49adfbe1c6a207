// A person links their own account: the operator hands out a link, Telegram vouches for who opens it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../../src/cli/commands.js'
import { terminal } from '../cli/terminal.js'
import { question } from '../lane-under-test.js'
import { until } from '../until.js'
import { BLOCKED } from './faults.js'
import { NEWCOMER, OWNER, on, raise, type Scene, STRANGER } from './scene.js'

let scene: Scene
beforeAll(async () => {
  scene = await raise()
})
afterAll(() => scene.close())

const invite = (user: string, body: unknown = { channel: 'telegram' }, key = scene.lane.operatorKey) =>
  scene.lane.call('POST', `/v1/recipients/${user}/invitations`, { key, body })
const codeOf = (url: unknown): string => new URL(String(url)).searchParams.get('start') ?? ''
const start = (user: number, code: string) => scene.server.write(user, `/start ${code}`)
const lastWords = (user: number): string => scene.server.shown(user).at(-1)?.text ?? ''
const invitings = async () =>
  (await scene.lane.ledger())
    .filter(({ type, body }) => type === 'OPERATOR_ACTED' && body.deed === 'recipient_invited')
    .map(({ body }) => body)
const linkings = async () => (await scene.lane.ledger()).filter(({ type }) => type === 'RECIPIENT_LINKED')

describe('before they have linked it', () => {
  test('a delivery fails as not linked, and the next channel is used', async () => {
    await scene.lane.submit(question('unlinked'), { recipients: ['newcomer'] })
    expect(await scene.comes('unlinked', 'DELIVERY_FAILED')).toMatchObject([
      { channel: 'telegram', recipient: 'newcomer', code: 'recipient_not_linked', final: true },
    ])
    expect(await scene.lane.link('unlinked', 'newcomer')).toMatchObject({ user_id: 'newcomer' })
    expect(scene.server.shown(NEWCOMER)).toEqual([])
  })
})

describe('an invitation', () => {
  test('is a link to the bot with a code that fits it, good for a day', async () => {
    const { status, json } = await invite('newcomer')
    expect(status).toBe(201)
    expect(json).toEqual({
      url: expect.stringMatching(/^https:\/\/t\.me\/TestNameBot\?start=[A-Za-z0-9_-]{22}$/),
      expires_at: expect.any(String),
    })
    const { key_id } = (await scene.lane.call('GET', '/v1/keys/self', { key: scene.lane.operatorKey })).json
    expect((await invitings()).at(-1)).toEqual({ deed: 'recipient_invited', about: 'newcomer', by: key_id })
  })

  test.each<[string, string, unknown, number, string]>([
    ['for nobody', 'nobody', { channel: 'telegram' }, 404, 'not_found'],
    ['for a name of every object', 'constructor', { channel: 'telegram' }, 404, 'not_found'],
    ['without a channel', 'newcomer', {}, 422, 'invalid_request'],
    ['on a channel that is none', 'newcomer', { channel: 'pigeon' }, 422, 'invalid_request'],
    ['with more than it takes', 'newcomer', { channel: 'telegram', code: 'x' }, 422, 'invalid_request'],
    ['for an address the operator has written', 'owner', { channel: 'telegram' }, 422, 'not_linkable'],
    ['on a channel without linking', 'newcomer', { channel: 'web' }, 422, 'not_linkable'],
  ])('%s is refused by its code', async (_name, user, body, status, code) => {
    const answer = await invite(user, body)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  test('is not for an agent’s key', async () => {
    const answer = await invite('newcomer', { channel: 'telegram' }, scene.lane.agentKey)
    expect([answer.status, answer.json.code]).toEqual([403, 'scope_missing'])
  })

  test('says so when Telegram does not answer', async () => {
    scene.server.faults.next('getMe', { kind: 'break', status: 502 })
    const before = (await invitings()).length
    const answer = await invite('newcomer')
    expect([answer.status, answer.json.code]).toEqual([503, 'channel_unavailable'])
    expect(await invitings()).toHaveLength(before)
  })

  test('is printed by lane recipients link, and as it came with --json', async () => {
    const shell = terminal({ LANE_URL: scene.lane.url, LANE_API_KEY: scene.lane.operatorKey })
    expect(await main(['recipients', 'link', 'newcomer'], shell)).toBe(0)
    expect(shell.out()).toMatch(/^https:\/\/t\.me\/TestNameBot\?start=[A-Za-z0-9_-]{22}\n.*used once, until /)
    const plain = terminal({ LANE_URL: scene.lane.url, LANE_API_KEY: scene.lane.operatorKey })
    expect(await main(['recipients', 'link', 'newcomer', '--channel', 'telegram', '--json'], plain)).toBe(0)
    expect(Object.keys(JSON.parse(plain.out()))).toEqual(['url', 'expires_at'])
    const wrong = terminal({ LANE_URL: scene.lane.url, LANE_API_KEY: scene.lane.operatorKey })
    expect([await main(['recipients', 'link'], wrong), wrong.err()]).toEqual([
      2,
      expect.stringContaining('USER'),
    ])
    expect([await main(['recipients', 'link', 'owner'], wrong), wrong.err()]).toEqual([
      1,
      expect.stringContaining('422 (not_linkable)'),
    ])
  })
})

describe('opening it', () => {
  test('codes that are none link nobody; the answer tells nothing, and is given once in a while', async () => {
    await start(STRANGER, 'AAAAAAAAAAAAAAAAAAAAAA')
    await until('a word', async () => lastWords(STRANGER) !== '')
    for (const code of ['x', '0'.repeat(64), 'newcomer']) await start(STRANGER, code)
    await until('all are taken', async () => scene.server.waiting().length === 0)
    expect(scene.server.shown(STRANGER).map(({ text }) => text)).toEqual([
      'This link is not valid any more. Ask whoever gave it to you for a new one.',
    ])
    expect(await linkings()).toEqual([])
  })

  test('a forwarded or borrowed start links nobody', async () => {
    const code = codeOf((await invite('newcomer')).json.url)
    await scene.server.write(STRANGER, `/start ${code}`, { forward_origin: { type: 'user', date: 1 } })
    await scene.server.write(STRANGER, `/start ${code}`, { chat: { id: -5, type: 'group' } })
    await scene.server.write(STRANGER, '/start')
    await until('a greeting', async () => lastWords(STRANGER).startsWith('This bot puts requests'))
    expect(await linkings()).toEqual([])
  })

  test('an account that is somebody else’s already is not linked', async () => {
    await start(OWNER, codeOf((await invite('newcomer')).json.url))
    await until('a word', async () => lastWords(OWNER).startsWith('This link is not valid any more.'))
    expect(await linkings()).toEqual([])
  })

  test('links the account of whoever opens it first, once, and from then on they are asked there', async () => {
    const code = codeOf((await invite('newcomer')).json.url)
    await start(NEWCOMER, code)
    await until(
      'a word',
      async () =>
        lastWords(NEWCOMER) ===
        'This account is linked. What is asked of you comes to this chat, as newcomer.',
    )
    expect(await linkings()).toMatchObject([{ body: { user_id: 'newcomer', channel: 'telegram' } }])
    await start(STRANGER, code)
    await until('it is taken', async () => scene.server.waiting().length === 0)
    const card = await scene.ask(question('linked'), 'newcomer')
    await scene.server.press(NEWCOMER, scene.button(card, 'Yes'), on(card))
    expect((await scene.lane.outcome('linked')).json).toMatchObject({
      answer: { answered_by: 'newcomer', proof: 'telegram_id' },
    })
    expect(await linkings()).toHaveLength(1)
  })

  test('no entry of the ledger holds an account’s number', async () => {
    const { text } = await scene.lane.call('GET', '/v1/ledger', { key: scene.lane.operatorKey })
    for (const id of [OWNER, NEWCOMER]) expect(text).not.toMatch(new RegExp(`[":]${id}\\b`))
  })

  test('a linked person who blocks the bot is asked on the next channel', async () => {
    scene.server.faults.next('sendMessage', BLOCKED)
    await scene.lane.submit(question('gone'), { recipients: ['newcomer'] })
    expect(await scene.lane.link('gone', 'newcomer')).toMatchObject({ user_id: 'newcomer' })
    expect(await scene.comes('gone', 'DELIVERY_FAILED')).toMatchObject([
      { code: 'telegram_blocked', final: true },
    ])
  })
})
