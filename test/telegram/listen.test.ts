// An update is confirmed only after it is kept: no error of ours may lose an answer. A real store and a real desk, which
// fails on demand as it does when the disk is full, and the Bot API server that forgets what was confirmed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { botApi } from '../../adapters/telegram/bot-api.js'
import { Intake } from '../../adapters/telegram/intake.js'
import { listen } from '../../adapters/telegram/listen.js'
import { receive } from '../../adapters/telegram/receive.js'
import type { Desk } from '../../src/adapter/contract.js'
import { openDesk } from '../../src/channel/desk.js'
import { LedgerUnavailable } from '../../src/ledger/contract.js'
import { Directory } from '../../src/people/directory.js'
import type { Say } from '../../src/say.js'
import { handleOf, question, raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'
import { type BotServer, startBotServer, TOKEN } from './bot-server.js'

/** Of the stage's people, the one with a Telegram account. */
const DEPUTY = 77
const BOT = { id: '4242' }
const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const WEEKS = (3 * WEEK_MS) / 1000

let stage: Stage
let server: BotServer
let desk: Desk
let failures: number
let stop: (() => Promise<void>) | null
const said: unknown[] = []

beforeEach(async () => {
  stage = await raise()
  server = await startBotServer()
  failures = 0
  stop = null
  const { lane, store, config } = stage
  const directory = await Directory.open(config.recipients, store.shelf)
  const keyName = (id: string): string => id
  const real = openDesk('telegram', { lane, store, directory, keyName, onStranger: () => undefined })
  const failing =
    <A extends unknown[], R>(deed: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (failures > 0) {
        failures--
        throw new LedgerUnavailable('the disk is full')
      }
      return deed(...args)
    }
  desk = { ...real, take: failing(real.take), keep: failing(real.keep), link: failing(real.link) }
})
afterEach(async () => {
  await stop?.()
  await server.stop()
  await stage.close()
})

const begin = async (
  cursor: string | null = null,
  say: Say = (...line) => void said.push(line),
): Promise<void> => {
  const api = botApi(TOKEN, server.url)
  const intake = new Intake({ api, bot: BOT, say })
  stop = await listen({ api, intake, bot: BOT, say }, cursor, desk)
}

/** The handle of a card that went to the deputy. */
const asked = async (id: string, deadline_seconds = 600): Promise<string> => {
  await stage.open(question(id, { deadline_seconds }), [
    { user_id: 'deputy', channels: ['telegram'], route: 'first' },
  ])
  await until('a copy for the deputy', () => handleOf(stage.telegram, 'deputy', id))
  return handleOf(stage.telegram, 'deputy', id)
}
const stateOf = async (id: string) => (await stage.lane.current(id))?.state

test('a listener that is stopped in a failing round does not wait for the next', async () => {
  server.faults.always('getUpdates', { kind: 'limit', seconds: 3_600 })
  const stopped = new Promise<void>(resolve => {
    // Said after Telegram has failed and before the pause: the stop falls right between them.
    void begin(null, () => resolve(stop?.()))
  })
  await stopped
})

describe('an answer', () => {
  test('that could not be kept is given again, until it is', async () => {
    const handle = await asked('q')
    failures = 2
    await begin()
    await server.press(DEPUTY, `${handle}:YES`)
    await until('it failed', () => failures, 1)
    expect([await stateOf('q'), server.waiting().length]).toEqual(['pending', 1])
    await until('q is answered', () => stateOf('q'), 'answered')
    await until('all are taken', () => server.waiting().length, 0)
    expect((await stage.entries()).filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
    expect(await stage.store.shelf.cursor('telegram')).toMatch(/^4242:\d+$/)
  })

  test('that could not be kept is not overtaken by the next', async () => {
    const [first, second] = [await asked('first'), await asked('second')]
    await server.press(DEPUTY, `${first}:YES`)
    await server.press(DEPUTY, `${second}:NO`)
    failures = 1
    await begin()
    await until('second is answered', () => stateOf('second'), 'answered')
    const order = (await stage.entries()).filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
    expect(order.map(({ request_id }) => request_id)).toEqual(['first', 'second'])
  })

  test('is known again after a stop between keeping and confirming', async () => {
    const handle = await asked('q')
    await server.press(DEPUTY, `${handle}:YES`)
    const [update] = server.waiting()
    await begin()
    await until('q is answered', () => stateOf('q'), 'answered')
    await stop?.()
    const cursor = await stage.store.shelf.cursor('telegram')
    expect(cursor).toBe(`4242:${update?.update_id}`)
    await stage.lane.drain()
    const before = (await stage.entries()).length
    server.inject({ ...update })
    await begin(cursor)
    await until('all are taken', () => server.waiting().length, 0)
    expect(await stage.entries()).toHaveLength(before)
  })
})

describe('the cursor', () => {
  test('of another bot hides nothing', async () => {
    const handle = await asked('q')
    await server.press(DEPUTY, `${handle}:YES`)
    await begin('777:900000000')
    await until('q is answered', () => stateOf('q'), 'answered')
  })

  test('that is far above hides nothing: after a silent week Telegram counts from anywhere', async () => {
    const handle = await asked('q')
    await server.press(DEPUTY, `${handle}:YES`)
    await begin('4242:900000000')
    await until('q is answered', () => stateOf('q'), 'answered')
  })

  test('is forgotten after almost a week of silence: what is numbered below it is asked for too', async () => {
    const handle = await asked('q', WEEKS)
    await begin()
    await until('it is asked', () => server.calls.length > 1)
    server.faults.always('getUpdates', { kind: 'break', status: 500 })
    server.inject({ update_id: 800_000_000, channel_post: { message_id: 1 } })
    await until('it is confirmed', () => server.calls.some(({ payload }) => payload.offset === 800_000_001))
    stage.clock.pass(WEEK_MS)
    const from = { id: DEPUTY, is_bot: false, first_name: 'D' }
    const message = { message_id: 1, date: 1, chat: { id: DEPUTY, type: 'private' } }
    server.inject({ update_id: 7, callback_query: { id: '1', from, message, data: `${handle}:YES` } })
    server.faults.always('getUpdates', null)
    await until('q is answered', () => stateOf('q'), 'answered')
  })

  test('moves on over what means nothing, so that it does not come again', async () => {
    server.inject({ channel_post: { message_id: 1 } })
    await begin()
    await until('its place is kept', () => stage.store.shelf.cursor('telegram'))
    await until('all are taken', () => server.waiting().length, 0)
  })
})

test('a webhook that the lane has set before does not keep it from polling', async () => {
  const handle = await asked('q')
  await botApi(TOKEN, server.url).setWebhook('http://127.0.0.1:9/hooks/telegram', 'aSecretOfAnEarlierStart')
  await server.press(DEPUTY, `${handle}:YES`)
  await begin()
  await until('q is answered', () => stateOf('q'), 'answered')
})

test('a webhook is not acknowledged before what it says is kept, and the same may come again', async () => {
  const handle = await asked('q')
  const from = { id: DEPUTY, is_bot: false, first_name: 'D' }
  const message = { message_id: 1, date: 1, chat: { id: DEPUTY, type: 'private' } }
  const update = { update_id: 7, callback_query: { id: '1', from, message, data: `${handle}:YES` } }
  const intake = new Intake({ api: botApi(TOKEN, server.url), bot: BOT, say: () => undefined })
  const post = () =>
    receive(
      intake,
      'the-secret',
      {
        bytes: Buffer.from(JSON.stringify(update)),
        headers: { 'x-telegram-bot-api-secret-token': 'the-secret' },
        query: '',
        provider: null,
      },
      desk,
    )
  failures = 1
  await expect(post()).rejects.toBeInstanceOf(LedgerUnavailable)
  expect(await stateOf('q')).toBe('pending')
  expect([await post(), await stateOf('q')]).toEqual([{ status: 200 }, 'answered'])
  await intake.settle()
})

test('what is told of trouble names no address, handle or token', async () => {
  const handle = await asked('q')
  failures = 1
  server.faults.next('answerCallbackQuery', { kind: 'reset' })
  await begin()
  await server.press(DEPUTY, `${handle}:YES`)
  await until('q is answered', () => stateOf('q'), 'answered')
  await stop?.()
  const words = JSON.stringify(said)
  expect(words).toContain('the disk is full')
  expect(words).toContain('telegram_silent')
  for (const secret of [handle, TOKEN, TOKEN.split(':')[1] ?? '', String(DEPUTY)])
    expect(words).not.toContain(secret)
})
