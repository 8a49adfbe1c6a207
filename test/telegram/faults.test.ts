// What Telegram does when it does not do what it is asked, and what the lane makes of it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { question } from '../lane-under-test.js'
import { until } from '../until.js'
import { BLOCKED, type Fault, NO_CHAT } from './faults.js'
import { OWNER, on, raise, type Scene } from './scene.js'

let scene: Scene
beforeEach(async () => {
  scene = await raise()
})
afterEach(() => scene.close())

const open = async (id: string) => {
  const { status, text } = await scene.lane.submit(question(id), { recipients: ['owner'] })
  if (status !== 201) throw new Error(text)
}
const sends = () => scene.server.calls.filter(({ method }) => method === 'sendMessage').length

describe('a send', () => {
  test.each<[string, Fault, string]>([
    ['to somebody who has blocked the bot', BLOCKED, 'telegram_blocked'],
    ['to somebody who never started a chat', NO_CHAT, 'telegram_chat_not_found'],
    [
      'that Telegram finds wrong',
      { kind: 'refuse', status: 400, description: 'Bad Request: BUTTON_DATA_INVALID' },
      'telegram_other',
    ],
  ])('%s fails for good, and the next channel is used', async (_name, fault, code) => {
    scene.server.faults.next('sendMessage', fault)
    await open('q')
    const link = await scene.lane.link('q', 'owner')
    expect(await scene.comes('q', 'DELIVERY_FAILED')).toMatchObject([
      { channel: 'telegram', code, final: true },
    ])
    expect((await scene.lane.answer(link, 'YES')).status).toBe(200)
    expect(sends()).toBe(1)
  })

  test('that comes too fast waits as long as it is told, and so does everything else', async () => {
    scene.server.faults.next('sendMessage', { kind: 'limit', seconds: 3 })
    await open('q')
    const [failed] = await scene.comes('q', 'DELIVERY_FAILED')
    expect(failed).toMatchObject({ code: 'telegram_limited', final: false })
    const entry = (await scene.lane.story('q')).find(({ type }) => type === 'DELIVERY_FAILED')
    expect(Date.parse(String(failed?.retry_at)) - Date.parse(entry?.at ?? '')).toBeGreaterThanOrEqual(3_000)
    await scene.comes('q', 'OUTBOUND_REQUEST_SENT')
    expect(sends()).toBe(2)
  })

  test.each<[string, Fault, string]>([
    ['500', { kind: 'break', status: 500 }, 'telegram_broken'],
    ['a page of a network that is not Telegram', { kind: 'page' }, 'telegram_broken'],
    [
      'a token that is not known',
      { kind: 'refuse', status: 401, description: 'Unauthorized' },
      'telegram_unauthorized',
    ],
  ])('that is answered by %s is repeated', async (_name, fault, code) => {
    scene.server.faults.next('sendMessage', fault)
    await open('q')
    expect(await scene.comes('q', 'DELIVERY_FAILED')).toMatchObject([{ code, final: false }])
    expect(await scene.comes('q', 'OUTBOUND_REQUEST_SENT')).toMatchObject([{ attempt: 2 }])
  })

  test.each<[string, Fault]>([
    ['a reset after it was taken', { kind: 'reset', after: true }],
    ['a gateway that gave up waiting', { kind: 'break', status: 504 }],
  ])('that ends in %s is uncertain: it stands, and is not repeated', async (_name, fault) => {
    scene.server.faults.next('sendMessage', fault)
    await open('q')
    expect(await scene.comes('q', 'OUTBOUND_REQUEST_SENT')).toMatchObject([{ uncertain: true, attempt: 1 }])
    expect(sends()).toBe(1)
  })

  test('that was taken though nobody heard so can be answered by its button', async () => {
    scene.server.faults.next('sendMessage', { kind: 'reset', after: true })
    await open('q')
    await scene.comes('q', 'OUTBOUND_REQUEST_SENT')
    const card = scene.server.shown(OWNER)[0]
    if (card === undefined) throw new Error('it was not taken')
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect((await scene.lane.outcome('q')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })

  test('that hangs is uncertain after its time, and holds up nobody else', {
    timeout: 30_000,
    skip: !ALL,
  }, async () => {
    scene.server.faults.next('sendMessage', { kind: 'hang' })
    await open('hung')
    await scene.lane.submit(question('other'), { recipients: ['deputy'] })
    await scene.comes('other', 'OUTBOUND_REQUEST_SENT')
    expect(await scene.comes('hung', 'OUTBOUND_REQUEST_SENT')).toMatchObject([{ uncertain: true }])
  })

  test('when nothing listens there is repeated, because nothing left', async () => {
    await scene.server.stop()
    await open('q')
    expect(await scene.comes('q', 'DELIVERY_FAILED')).toMatchObject([
      { code: 'telegram_unreachable', final: false },
    ])
  })
})

describe('a person who blocks the bot after a card was sent', () => {
  test('is asked on the next channel: the card no longer stands', async () => {
    await scene.ask(question('q'))
    await scene.comes('q', 'OUTBOUND_REQUEST_SENT')
    const from = { id: OWNER, is_bot: false, first_name: 'O' }
    const chat = { id: OWNER, type: 'private' }
    scene.server.inject({ my_chat_member: { from, chat, date: 1, new_chat_member: { status: 'kicked' } } })
    expect(await scene.comes('q', 'DELIVERY_STATUS')).toMatchObject([{ status: 'blocked', stands: false }])
    expect(await scene.lane.link('q', 'owner')).toMatchObject({ user_id: 'owner' })
  })
})

describe('closing a copy', () => {
  test('that Telegram asks to wait with is repeated once it may', async () => {
    const card = await scene.ask(question('q'))
    scene.server.faults.next('editMessageText', { kind: 'limit', seconds: 1 })
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect(await scene.comes('q', 'DELIVERY_CLOSED')).toMatchObject([{ edited: true }])
    expect(scene.now(card).text).toContain('answered YES')
  })

  test('that says already what it should is done', async () => {
    const card = await scene.ask(question('q'))
    const description =
      'Bad Request: message is not modified: specified new message content is exactly the same'
    scene.server.faults.next('editMessageText', { kind: 'refuse', status: 400, description })
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect(await scene.comes('q', 'DELIVERY_CLOSED')).toMatchObject([{ edited: true }])
  })

  test('that cannot be done leaves the answer standing', async () => {
    const card = await scene.ask(question('q'))
    scene.server.faults.next('editMessageText', { kind: 'break', status: 500 })
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect(await scene.comes('q', 'DELIVERY_CLOSED')).toMatchObject([{ edited: false }])
    expect((await scene.lane.outcome('q')).json.state).toBe('answered')
  })
})

describe('telling the person', () => {
  test.each<[string, Fault]>([
    ['is too late for', { kind: 'refuse', status: 400, description: 'Bad Request: query is too old' }],
    ['breaks on', { kind: 'reset' }],
  ])('an answer that Telegram %s is recorded all the same', async (_name, fault) => {
    const card = await scene.ask(question('q'))
    scene.server.faults.next('answerCallbackQuery', fault)
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect((await scene.lane.outcome('q')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })
})

describe('polling', () => {
  test.each<[string, Fault]>([
    ['429', { kind: 'limit', seconds: 1 }],
    ['500', { kind: 'break', status: 500 }],
    ['a reset', { kind: 'reset' }],
    [
      'a second poller',
      { kind: 'refuse', status: 409, description: 'Conflict: terminated by other getUpdates request' },
    ],
  ])('goes on after %s, and what was said meanwhile is taken', async (_name, fault) => {
    const card = await scene.ask(question('q'))
    scene.server.faults.next('getUpdates', fault)
    scene.server.inject({})
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect((await scene.lane.outcome('q')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })

  test('asks for what follows only after what came is kept, so that nothing waits in the end', async () => {
    const card = await scene.ask(question('q'))
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    await scene.lane.outcome('q')
    await until('it is confirmed', async () => scene.server.waiting().length === 0)
    const asked = scene.server.calls.findLast(({ method }) => method === 'getUpdates')?.payload
    expect(asked).toMatchObject({
      allowed_updates: ['message', 'callback_query', 'my_chat_member'],
      timeout: 25,
    })
  })

  test('takes what was pressed while the lane was down, once', async () => {
    const card = await scene.ask(question('q'))
    await scene.comes('q', 'OUTBOUND_REQUEST_SENT')
    const { lane } = scene
    const again = await lane.restart(() => scene.server.press(OWNER, scene.button(card, 'Yes'), on(card)))
    try {
      expect((await again.outcome('q')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
      expect((await again.story('q')).filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
    } finally {
      await again.close()
    }
  })
})

test('an update that comes twice is one answer', async () => {
  const card = await scene.ask(question('q'))
  await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
  await scene.lane.outcome('q')
  scene.server.repeat()
  expect(await scene.comes('q', 'INBOUND_REPLY_REJECTED')).toMatchObject([{ reason: 'duplicate_message' }])
  expect(await scene.comes('q', 'HUMAN_REPLY_EVENT')).toHaveLength(1)
})
