// Telegram's webhook: a secret in a header, and nothing of the body believed before it.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { question } from '../lane-under-test.js'
import { until } from '../until.js'
import { OWNER, on, raise, type Scene } from './scene.js'

const SECRET = 'aSecretThatOnlyTelegramAndTheLaneKnow'
let scene: Scene
beforeAll(async () => {
  scene = await raise({ TELEGRAM_WEBHOOK_SECRET: SECRET })
})
afterAll(() => scene.close())

const HEADER = 'x-telegram-bot-api-secret-token'
const post = (raw: string | Uint8Array, headers: Record<string, string>) =>
  scene.lane.call('POST', '/hooks/telegram', {
    key: null,
    raw,
    headers: { 'content-type': 'application/json', ...headers },
  })

/** What a press looks like when it comes from Telegram. */
const update = (id: number, query: string, data: string) => ({
  update_id: id,
  callback_query: {
    id: query,
    from: { id: OWNER, is_bot: false, first_name: 'O' },
    message: { message_id: 1, date: 1, chat: { id: OWNER, type: 'private' } },
    data,
  },
})

describe('a webhook', () => {
  test('is set to the public address with the secret when the lane starts, and nothing is polled', async () => {
    await until('it is set', async () => scene.server.calls.some(({ method }) => method === 'setWebhook'))
    const set = scene.server.calls.find(({ method }) => method === 'setWebhook')?.payload
    expect(set).toEqual({
      url: `${scene.lane.url}/hooks/telegram`,
      secret_token: SECRET,
      allowed_updates: ['message', 'callback_query', 'my_chat_member'],
    })
    expect(scene.server.calls.map(({ method }) => method)).not.toContain('getUpdates')
  })

  test('[LANE-034] brings a press that is the answer', async () => {
    const card = await scene.ask(question('hooked'))
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect((await scene.lane.outcome('hooked')).json).toMatchObject({
      answer: { parsed_choice: 'YES', proof: 'telegram_id' },
    })
  })

  test.each<[string, Record<string, string>]>([
    ['no secret', {}],
    ['an empty secret', { [HEADER]: '' }],
    ['another secret', { [HEADER]: `${SECRET}x` }],
    ['part of the secret', { [HEADER]: SECRET.slice(0, -1) }],
    ['the secret in another case', { [HEADER]: SECRET.toUpperCase() }],
  ])('[LANE-037] with %s is refused before it is parsed, whatever it says', async (_name, headers) => {
    const id = `forged-${_name.replaceAll(' ', '-')}`
    const card = await scene.ask(question(id))
    await scene.comes(id, 'OUTBOUND_REQUEST_SENT')
    const yes = JSON.stringify(update(900_001, 'q1', scene.button(card, 'Yes')))
    const before = (await scene.lane.ledger()).length
    for (const raw of [yes, '{', '', new Uint8Array([0xff, 0xfe])]) {
      const { status, text } = await post(raw, headers)
      expect([status, text]).toEqual([401, 'unverified'])
    }
    expect(await scene.lane.ledger()).toHaveLength(before)
  })

  test('[LANE-037] with its secret given twice is refused: there is no one value', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asking = request(`${scene.lane.url}/hooks/telegram`, { method: 'POST' })
      asking.setHeader(HEADER, [SECRET, SECRET])
      asking.setHeader('content-type', 'application/json')
      asking.once('response', response => resolve(response.resume().statusCode)).once('error', reject)
      asking.end('{"update_id":1}')
    })
    expect(status).toBe(401)
  })

  test('counts who could not prove to be Telegram, and never records them', async () => {
    const count = async () => {
      const { text } = await scene.lane.call('GET', '/metrics', { key: scene.lane.operatorKey })
      return Number(/lane_strangers_total\{why="unverified_telegram"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    const before = await count()
    await post('{}', { [HEADER]: 'guess' })
    expect(await count()).toBe(before + 1)
  })

  test.each(['', '{', '[]', 'null', '{"update_id":"1"}', '{"message":{}}'])(
    'that is Telegram’s and says %j is no update',
    async raw => {
      expect((await post(raw, { [HEADER]: SECRET })).status).toBe(400)
    },
  )

  test('[LANE-044] that is posted again, byte for byte, is no second answer', async () => {
    const card = await scene.ask(question('again'))
    const raw = JSON.stringify(update(900_100, 'q-again', scene.button(card, 'Yes')))
    for (let round = 0; round < 3; round++) expect((await post(raw, { [HEADER]: SECRET })).status).toBe(200)
    expect((await scene.comes('again', 'INBOUND_REPLY_REJECTED')).map(({ reason }) => reason)).toEqual([
      'duplicate_message',
    ])
    expect(await scene.comes('again', 'HUMAN_REPLY_EVENT')).toHaveLength(1)
  })

  test('keeps characters whole however the bytes arrive', async () => {
    const card = await scene.ask(question('umlaut', { reply_schema: { kind: 'text', max_chars: 40 } }))
    const message = {
      message_id: 50_000,
      date: 1,
      from: { id: OWNER, is_bot: false, first_name: 'O' },
      chat: { id: OWNER, type: 'private' },
      text: 'später, größer, 木',
      reply_to_message: { message_id: card.message_id },
    }
    const bytes = Buffer.from(JSON.stringify({ update_id: 900_200, message }))
    await new Promise<void>((resolve, reject) => {
      const asking = request(`${scene.lane.url}/hooks/telegram`, {
        method: 'POST',
        headers: { [HEADER]: SECRET, 'content-type': 'application/json', 'content-length': bytes.length },
      })
      asking.once('response', response => response.resume().once('end', resolve)).once('error', reject)
      const send = (at: number): void => {
        if (at === bytes.length) return void asking.end()
        asking.write(bytes.subarray(at, at + 1), () => setImmediate(() => send(at + 1)))
      }
      send(0)
    })
    expect((await scene.lane.outcome('umlaut')).json).toMatchObject({
      answer: { parsed_payload: { text: 'später, größer, 木' } },
    })
  })

  test('is answered with nothing of ours: calls are made as calls', async () => {
    const card = await scene.ask(question('plain'))
    const { text, status } = await post(
      JSON.stringify(update(900_300, 'q-plain', scene.button(card, 'No'))),
      {
        [HEADER]: SECRET,
      },
    )
    expect([status, text]).toEqual([200, ''])
    await until('it was told', async () =>
      scene.server.calls.some(({ payload }) => payload.callback_query_id === 'q-plain'),
    )
  })
})

test('without a secret there is no webhook', async () => {
  const polled = await raise()
  try {
    const answer = await polled.lane.call('POST', '/hooks/telegram', { key: null, raw: '{"update_id":1}' })
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  } finally {
    await polled.close()
  }
})
