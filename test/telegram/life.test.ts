// A request's life over Telegram: a card with buttons, a prompt for words, ticks, and how each ends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, question } from '../lane-under-test.js'
import { until } from '../until.js'
import { asking, below, DEPUTY, OWNER, on, raise, type Scene } from './scene.js'

let scene: Scene
beforeAll(async () => {
  scene = await raise()
})
afterAll(() => scene.close())

const rejected = async (id: string) =>
  (await scene.comes(id, 'INBOUND_REPLY_REJECTED')).map(({ reason }) => reason)

describe('a card with buttons', () => {
  test('[LANE-034] is delivered by the bot, and a press on it is the answer, vouched for by Telegram', async () => {
    const card = await scene.ask(approval('ship'))
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    const { json } = await scene.lane.outcome('ship')
    expect(json).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', answered_by: 'owner', channel: 'telegram', proof: 'telegram_id' },
    })
    const [event] = await scene.comes('ship', 'HUMAN_REPLY_EVENT')
    expect(event?.provider_message_id).toMatch(/^4242\/c\d+$/)
  })

  test('is edited to its outcome, and its buttons are gone', async () => {
    const card = await scene.ask(question('edited'))
    await scene.server.press(OWNER, scene.button(card, 'No'), on(card))
    await scene.comes('edited', 'DELIVERY_CLOSED')
    const { text, reply_markup } = scene.now(card)
    expect(text).toContain('owner answered NO on ')
    expect(reply_markup).toBeUndefined()
    expect(await scene.comes('edited', 'DELIVERY_CLOSED')).toMatchObject([{ edited: true }])
  })

  test('tells whoever pressed what was recorded, after it was', async () => {
    const card = await scene.ask(question('toast'))
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    await until('a word', async () => scene.told().includes('Recorded: YES'))
    expect((await scene.lane.outcome('toast')).json.state).toBe('answered')
  })

  test('can be answered in words too, by replying to it', async () => {
    const card = await scene.ask(question('words'))
    await scene.server.write(OWNER, 'no', below(card))
    expect((await scene.lane.outcome('words')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
  })

  test('offers each option by letter and label, and takes the one that was pressed', async () => {
    const options = [
      { value: 'eu', label: 'Europe' },
      { value: 'us', label: 'America' },
    ]
    const card = await scene.ask(asking('where', { kind: 'choice', options }))
    await scene.server.press(OWNER, scene.button(card, 'B · America'), on(card))
    expect((await scene.lane.outcome('where')).json).toMatchObject({ answer: { parsed_choice: 'us' } })
  })

  test('[LANE-044] that was used refuses a second press, whatever it says, and tells what holds', async () => {
    const card = await scene.ask(question('used'))
    const [yes, no] = [scene.button(card, 'Yes'), scene.button(card, 'No')]
    await scene.server.press(OWNER, yes, on(card))
    await scene.lane.outcome('used')
    await scene.server.press(OWNER, no, on(card))
    expect(await rejected('used')).toEqual(['already_resolved'])
    await until('a word', async () =>
      scene.told().at(-1)?.startsWith('Too late: this is settled. owner answered YES'),
    )
  })

  test('[LANE-046] that left before the signing key was rotated can still be answered', async () => {
    const card = await scene.ask(question('rotated'))
    await scene.lane.call('POST', '/v1/signing-keys/rotate', { key: scene.lane.operatorKey })
    await scene.server.press(OWNER, scene.button(card, 'Yes'), on(card))
    expect((await scene.lane.outcome('rotated')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })

  test('gives a modified client nothing: data that no button had is compiled like any words', async () => {
    const card = await scene.ask(question('forged'))
    const handle = scene.button(card, 'Yes').split(':')[0] ?? ''
    await scene.server.press(OWNER, `${handle}:MAYBE`, on(card))
    await scene.server.press(OWNER, `${handle}=zzzzzz`, on(card))
    const reasons = (await scene.comes('forged', 'INBOUND_REPLY_REJECTED', 2)).map(({ reason }) => reason)
    expect(reasons).toEqual(['reply_not_in_schema', 'reply_not_in_schema'])
    expect((await scene.lane.call('GET', '/v1/requests/forged')).json.state).toBe('pending')
  })

  test('tells whoever pressed no more than Telegram shows, however much there is to say', async () => {
    const options = Array.from({ length: 26 }, (_, at) => ({
      value: `v${at}`,
      label: 'long '.repeat(14) + at,
    }))
    const card = await scene.ask(asking('many', { kind: 'choice', options }))
    const handle = scene.button(card, 'A · ').split(':')[0] ?? ''
    await scene.server.press(OWNER, `${handle}:none of these`, on(card))
    const told = await until('a word', () =>
      scene.told().find(words => words.startsWith('Not understood: “none')),
    )
    expect([...told]).toHaveLength(200)
  })

  test('[LANE-047] of one person answers nothing for another who was asked nothing', async () => {
    const card = await scene.ask(question('others'))
    await scene.server.press(DEPUTY, scene.button(card, 'Yes'), on(card))
    expect(await rejected('others')).toEqual(['wrong_recipient'])
    expect(scene.told().at(-1)).toBe('This cannot be answered from here.')
  })

  test('[LANE-047] answered by a forwarded, borrowed, edited or anonymous message, or from a group, stays open', async () => {
    const card = await scene.ask(question('second-hand'))
    const from = { id: OWNER, is_bot: false, first_name: 'O' }
    const said = {
      message_id: 60_000,
      date: 1,
      from,
      chat: { id: OWNER, type: 'private' },
      text: 'YES',
      ...below(card),
    }
    const group = { id: -5, type: 'supergroup' }
    scene.server.inject({ message: { ...said, forward_origin: { type: 'user', date: 1 } } })
    scene.server.inject({ message: { ...said, via_bot: { id: 9, is_bot: true } } })
    scene.server.inject({ edited_message: { ...said, edit_date: 2 } })
    scene.server.inject({ message: { ...said, sender_chat: { id: -5, type: 'supergroup' } } })
    scene.server.inject({
      callback_query: {
        id: '9',
        from,
        data: scene.button(card, 'Yes'),
        message: { ...on(card).message, chat: group },
      },
    })
    const reasons = (await scene.comes('second-hand', 'INBOUND_REPLY_REJECTED', 5)).map(
      ({ reason }) => reason,
    )
    expect(reasons).toEqual(Array(5).fill('sender_unauthenticated'))
    expect((await scene.lane.call('GET', '/v1/requests/second-hand')).json.state).toBe('pending')
    await scene.server.press(OWNER, scene.button(card, 'No'), on(card))
    expect((await scene.lane.outcome('second-hand')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
  })

  test('a handle that was never given out is told the same as one that is somebody else’s', async () => {
    await scene.server.press(OWNER, `${'0'.repeat(26)}:YES`)
    await until('a word', async () => scene.told().at(-1) === 'This cannot be answered from here.')
  })
})

describe('a prompt for words', () => {
  test('[LANE-034] asks for a reply and takes the one to its own message', async () => {
    const card = await scene.ask(
      asking('spend', { kind: 'number', min: 1, max: 100, unit: 'chips', lead: 'max spend' }),
    )
    expect(card.reply_markup).toEqual({
      force_reply: true,
      input_field_placeholder: 'A number from 1 to 100',
    })
    await scene.server.write(OWNER, 'max spend 50 chips', below(card))
    expect((await scene.lane.outcome('spend')).json).toMatchObject({
      answer: { parsed_payload: { number: 50, unit: 'chips' }, answered_by: 'owner', proof: 'telegram_id' },
    })
    const [event] = await scene.comes('spend', 'HUMAN_REPLY_EVENT')
    expect(event?.provider_message_id).toMatch(/^4242\/\d+$/)
  })

  test('cannot be edited, so its outcome is shown below it, without a sound', async () => {
    const card = await scene.ask(asking('note', { kind: 'text', max_chars: 20 }))
    await scene.server.write(OWNER, 'after lunch', below(card))
    expect(await scene.comes('note', 'DELIVERY_CLOSED')).toMatchObject([{ edited: true }])
    const sent = scene.server.calls.findLast(({ method }) => method === 'sendMessage')?.payload
    expect(sent).toMatchObject({
      disable_notification: true,
      reply_parameters: { message_id: card.message_id },
      text: expect.stringContaining('owner answered after lunch'),
    })
  })

  test('[LANE-045] says once what would have been understood, and takes the next reply', async () => {
    const card = await scene.ask(asking('when', { kind: 'date', min: '2026-01-01' }))
    await scene.server.write(OWNER, 'next week', below(card))
    expect(await scene.comes('when', 'NOTICE_SENT')).toMatchObject([{ reason: 'reply_not_in_schema' }])
    await until('a notice', async () =>
      /Not understood: .*next week/.test(scene.server.shown(OWNER).at(-1)?.text ?? ''),
    )
    await scene.server.write(OWNER, '2026-02-17', below(card))
    expect((await scene.lane.outcome('when')).json).toMatchObject({
      answer: { parsed_payload: { date: '2026-02-17' } },
    })
  })

  test('[LANE-045] counts what was not understood, until no more is taken by that copy and a new one comes', async () => {
    const card = await scene.ask(asking('tries', { kind: 'number', min: 1, max: 9 }))
    for (let index = 0; index < 6; index++) await scene.server.write(OWNER, `none ${index}`, below(card))
    const reasons = (await scene.comes('tries', 'INBOUND_REPLY_REJECTED', 6)).map(({ reason }) => reason)
    expect(reasons).toEqual([...Array(5).fill('reply_not_in_schema'), 'rate_limited'])
    await scene.comes('tries', 'OUTBOUND_REQUEST_SENT', 2)
    const fresh = scene.server.shown(OWNER).findLast(({ text }) => text.includes('Ship the release'))
    if (fresh === undefined) throw new Error('no new copy')
    expect(fresh.message_id).not.toBe(card.message_id)
    await scene.server.write(OWNER, '7', below(fresh))
    expect((await scene.lane.outcome('tries')).json).toMatchObject({
      answer: { parsed_payload: { number: 7 } },
    })
  })

  test('a photograph or a sticker is no answer, and no error', async () => {
    const card = await scene.ask(asking('photo', { kind: 'text', max_chars: 20 }))
    scene.server.inject({
      message: {
        message_id: 70_001,
        date: 1,
        from: { id: OWNER, is_bot: false, first_name: 'O' },
        chat: { id: OWNER, type: 'private' },
        ...below(card),
        photo: [],
        caption: 'YES',
      },
    })
    expect(await rejected('photo')).toEqual(['reply_not_in_schema'])
  })

  test('words that answer no card are told how to answer one, once in a while', async () => {
    const hints = () =>
      scene.server.shown(DEPUTY).filter(({ text }) => text.includes('not clear which request'))
    await scene.server.write(DEPUTY, 'YES')
    await until('a hint', async () => hints().length === 1)
    await scene.server.write(DEPUTY, 'YES!!')
    await scene.ask(question('after-hint'), 'deputy')
    expect(hints()).toHaveLength(1)
  })
})

describe('options to tick', () => {
  const options = ['Alpha', 'Beta', 'Gamma'].map(label => ({ value: label.toLowerCase(), label }))
  const multi = { kind: 'multi_choice', options, min: 2, max: 2 }

  test('are drawn as they are ticked, and sent when they are enough', async () => {
    const card = await scene.ask(asking('ticks', multi))
    await scene.server.press(OWNER, scene.button(card, '☐ A · Alpha'), on(card))
    await until('a tick', async () => JSON.stringify(scene.now(card).reply_markup).includes('☑ A · Alpha'))
    expect(() => scene.button(scene.now(card), 'Send')).toThrow('no button says Send')
    await scene.server.press(OWNER, scene.button(scene.now(card), '☐ C · Gamma'), on(card))
    await until('two ticks', async () => JSON.stringify(scene.now(card).reply_markup).includes('☑ C · Gamma'))
    expect((await scene.lane.story('ticks')).map(({ type }) => type)).not.toContain('INBOUND_REPLY_REJECTED')
    await scene.server.press(OWNER, scene.button(scene.now(card), 'Send A, C'), on(card))
    expect((await scene.lane.outcome('ticks')).json).toMatchObject({
      answer: { parsed_payload: { selected: ['alpha', 'gamma'] } },
    })
  })

  test('are not drawn for somebody else, and not once it is over', async () => {
    const card = await scene.ask(asking('ticks-2', multi))
    const tick = scene.button(card, 'Alpha')
    const edits = () => scene.server.calls.filter(({ method }) => method === 'editMessageReplyMarkup').length
    const before = edits()
    await scene.server.press(DEPUTY, tick, on(card))
    await until('a word', async () => scene.told().at(-1) === 'This cannot be answered from here.')
    await scene.lane.call('POST', '/v1/requests/ticks-2/withdraw', { body: { reason: 'not needed' } })
    await scene.server.press(OWNER, tick, on(card))
    await until('a word', async () =>
      scene.told().at(-1)?.startsWith('Too late: this is settled. It was withdrawn on '),
    )
    expect(edits()).toBe(before)
  })
})

test('every message is protected, unformatted and without a preview', () => {
  const sent = scene.server.calls.filter(({ method }) => /^(?:sendMessage|editMessageText)$/.test(method))
  expect(sent.length).toBeGreaterThan(10)
  for (const { method, payload } of sent) {
    expect(payload.parse_mode).toBeUndefined()
    expect(payload.link_preview_options).toEqual({ is_disabled: true })
    expect(payload.protect_content).toBe(method === 'sendMessage' ? true : undefined)
  }
})
