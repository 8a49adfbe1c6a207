// Answers to reminders, changed answers, and the buttons of copies that stand for nothing any more.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { question } from '../lane-under-test.js'
import { until } from '../until.js'
import type { Shown } from './bot-server.js'
import { asking, below, DEPUTY, OWNER, on, raise, type Scene, STRANGER } from './scene.js'

let scene: Scene
beforeAll(async () => {
  scene = await raise()
})
afterAll(() => scene.close())

const reasons = async (id: string): Promise<unknown[]> =>
  (await scene.lane.story(id)).flatMap(({ type, body }) =>
    type === 'INBOUND_REPLY_REJECTED' ? [body.reason] : [],
  )
const from = { id: OWNER, is_bot: false, first_name: 'O' }
const said = (card: Shown, text: string) => ({
  message_id: 70_000,
  date: 1,
  from,
  chat: { id: OWNER, type: 'private' },
  text,
  ...below(card),
})

describe('an answer', () => {
  test('that is changed afterwards is not the changed one', async () => {
    const card = await scene.ask(question('edited-1'))
    scene.server.inject({ message: said(card, 'perhaps') })
    scene.server.inject({ edited_message: said(card, 'YES') })
    await scene.comes('edited-1', 'INBOUND_REPLY_REJECTED', 2)
    expect(await reasons('edited-1')).toEqual(['reply_not_in_schema', 'sender_unauthenticated'])
    scene.server.inject({ message: said(card, 'NO') })
    expect((await scene.lane.outcome('edited-1')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
    scene.server.inject({ edited_message: { ...said(card, 'YES'), edit_date: 5 } })
    await scene.comes('edited-1', 'INBOUND_REPLY_REJECTED', 3)
    expect((await scene.lane.outcome('edited-1')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
  })

  test('that Telegram sent by itself, as an absence or at a set time, is nobody’s', async () => {
    const card = await scene.ask(question('offline-1'))
    scene.server.inject({ message: { ...said(card, 'YES'), is_from_offline: true } })
    await scene.comes('offline-1', 'INBOUND_REPLY_REJECTED')
    expect(await reasons('offline-1')).toEqual(['automated_message'])
  })

  test('beside a picture, a file or in a caption is none', async () => {
    const card = await scene.ask(question('caption-1'))
    const { text: _, ...bare } = said(card, '')
    scene.server.inject({ message: { ...bare, caption: 'YES', photo: [{ file_id: 'x' }] } })
    await scene.comes('caption-1', 'INBOUND_REPLY_REJECTED')
    expect(await reasons('caption-1')).toEqual(['reply_not_in_schema'])
  })
})

describe('a reminder', () => {
  // Waits for the step's own moment.
  test.runIf(ALL)(
    'is answered like its card; both are old copies then',
    async () => {
      const last = scene.server.shown(OWNER).at(-1)?.message_id ?? 0
      const { status } = await scene.lane.submit(question('remind-1'), {
        recipients: ['owner'],
        ladder: [{ after_seconds: 5, do: 'remind' }],
      })
      expect(status).toBe(201)
      const reminder = await until('the reminder', () =>
        scene.server.shown(OWNER).find(one => one.message_id > last && one.text.includes('Reminder')),
      )
      await scene.comes('remind-1', 'REQUEST_REMINDED')
      scene.server.inject({ message: { ...said(reminder, 'YES'), from: { ...from, id: DEPUTY } } })
      scene.server.inject({
        message: {
          ...said(reminder, 'YES'),
          from: { ...from, id: STRANGER },
          chat: { id: STRANGER, type: 'private' },
        },
      })
      await scene.server.press(DEPUTY, scene.button(reminder, 'Yes'), on(reminder))
      await scene.server.write(OWNER, 'NO', below(reminder))
      expect((await scene.lane.outcome('remind-1')).json).toMatchObject({
        answer: { parsed_choice: 'NO', answered_by: 'owner' },
      })
      const card = scene.server.shown(OWNER).find(one => one.message_id > last) as Shown
      const old = reminder.reply_markup?.inline_keyboard as { callback_data: string }[][]
      await scene.server.press(OWNER, old[0]?.[0]?.callback_data ?? '', on(reminder))
      await scene.server.write(OWNER, 'YES', below(card))
      await scene.server.write(OWNER, 'YES', below(reminder))
      await until(
        'three late ones',
        async () => (await reasons('remind-1')).filter(one => one === 'already_resolved').length,
        3,
      )
      expect(
        (await scene.lane.story('remind-1')).filter(({ type }) => type === 'HUMAN_REPLY_EVENT'),
      ).toHaveLength(1)
    },
    30_000,
  )
})

describe('the buttons of an old copy', () => {
  test('with the ticks of another set, or none, send only what can be chosen', async () => {
    const options = ['a', 'b', 'c'].map(value => ({ value, label: value.toUpperCase() }))
    const card = await scene.ask(asking('ticks-1', { kind: 'multi_choice', options, min: 1, max: 2 }))
    const handle = scene.button(card, 'A').slice(0, 26)
    for (const data of ['=0', '=7', '=8', '=-1'])
      await scene.server.press(OWNER, `${handle}${data}`, on(card))
    await scene.comes('ticks-1', 'INBOUND_REPLY_REJECTED', 4)
    expect(await reasons('ticks-1')).toEqual(Array(4).fill('reply_not_in_schema'))
    expect((await scene.lane.call('GET', '/v1/requests/ticks-1')).json.state).toBe('pending')
  })

  test('pressed under another card answer the request they were made for, or nothing', async () => {
    const first = await scene.ask(question('under-1'))
    const second = await scene.ask(question('under-2'))
    await scene.server.press(OWNER, scene.button(first, 'No'), on(second))
    expect((await scene.lane.outcome('under-1')).json).toMatchObject({ answer: { parsed_choice: 'NO' } })
    expect((await scene.lane.call('GET', '/v1/requests/under-2')).json.state).toBe('pending')
  })
})
