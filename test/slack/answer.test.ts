// People answer in Slack, each in their own way, and the ledger says the same of all of them.
import { afterEach, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { approval } from '../lane-under-test.js'
import { until } from '../until.js'
import { faultsOfView } from './block-limits.js'
import { buttonsOf, type Copy, filledIn, readable, submitted } from './person.js'
import { raise, type Scene, type SceneOptions } from './scene.js'
import { broken, type Fault } from './workspace.js'

let scene: Scene
const begin = async (options?: SceneOptions): Promise<Scene> => {
  scene = await raise(options)
  return scene
}
afterEach(() => scene.end())

const owner = (): string => scene.workspace.people.owner
const deputy = (): string => scene.workspace.people.deputy

type View = { readonly private_metadata: string; readonly callback_id: string }
/** Presses Answer and gives the form that Slack was asked to open. */
async function openForm(copy: Copy, user = owner()): Promise<View> {
  const before = scene.workspace.of('views.open').length
  await scene.person.press(user, copy, 'Answer', { trigger: await scene.workspace.trigger(user) })
  const [call] = (await scene.called('views.open', before + 1)).slice(before)
  const view = JSON.parse(call?.body.view ?? '{}')
  expect(faultsOfView(view)).toEqual([])
  return view
}

const OPTIONS = Array.from({ length: 6 }, (_, at) => ({ value: `plan-${at}`, label: `Plan ${at}` }))
const picked = (value: string) => ({ text: { type: 'plain_text', text: 'x' }, value })

describe('a form', () => {
  const FORM = {
    kind: 'form',
    decisions: [
      {
        id: 'ship',
        type: 'approval',
        prompt: 'Ship it?',
        required: true,
        reason: { when: 'on_no', max_chars: 80 },
      },
      {
        id: 'share',
        type: 'number',
        prompt: 'Which share?',
        required: true,
        constraints: { min: 1, max: 100 },
      },
    ],
  }

  test('is answered in parts in its modal, and the person hears what is missing', async () => {
    await begin()
    const copy = await scene.asked('f-1', { reply_schema: FORM })
    const half = await openForm(copy)
    const no = {
      'd.ship': { selected_option: picked('NO') },
      'c.ship': { value: 'too early' },
      'd.share': { value: null },
    }
    expect(await scene.person.interact(filledIn(owner(), half, no))).toMatchObject({ status: 200 })
    const [told] = await scene.called('chat.postEphemeral', 1)
    expect(told?.body.text).toContain('Still to be answered: share.')
    const rest = await openForm(copy)
    expect(JSON.stringify(rest)).not.toContain('"d.ship"')
    await scene.person.interact(filledIn(owner(), rest, { 'd.share': { value: '25' } }))
    expect(await scene.settled('f-1')).toMatchObject({
      state: 'answered',
      answer: {
        parsed_payload: {
          decisions: [
            { decision_id: 'ship', approved: false, comment: 'too early' },
            { decision_id: 'share', value: 25 },
          ],
        },
      },
    })
  })

  test('tells each decision that was not understood under its own input, and records nothing', async () => {
    await begin()
    const view = await openForm(await scene.asked('f-2', { reply_schema: FORM }))
    const wrong = { 'd.ship': { selected_option: picked('YES') }, 'd.share': { value: '101' } }
    const { body } = await scene.person.interact(filledIn(owner(), view, wrong))
    expect(JSON.parse(body)).toMatchObject({
      response_action: 'errors',
      errors: { 'd.share': expect.stringContaining('a number from 1 to 100') },
    })
    expect((await scene.lane.story('f-2')).some(({ type }) => type === 'HUMAN_REPLY_EVENT')).toBe(false)
  })

  test('is answered by lines in the thread of its card too', async () => {
    await begin()
    const copy = await scene.asked('f-3', { reply_schema: FORM })
    await scene.person.write(owner(), copy, 'ship yes\nshare 50')
    expect(await scene.settled('f-3')).toMatchObject({ state: 'answered' })
  })
})

describe('by button', () => {
  test('[LANE-031] a request becomes a card, and a press on it one typed answer with its proof', async () => {
    await begin()
    const copy = await scene.asked('q-1')
    expect(await scene.person.press(owner(), copy, 'YES')).toEqual({ status: 200, body: '' })
    expect(await scene.settled('q-1')).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', answered_by: 'owner', channel: 'slack', proof: 'slack_signed' },
    })
    const types = (await scene.lane.story('q-1')).map(({ type }) => type)
    expect(types.slice(0, 6)).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'OUTBOUND_REQUEST_SENT',
      'INBOUND_REPLY_RECEIVED',
      'HUMAN_REPLY_EVENT',
      'REQUEST_RESOLVED',
    ])
  })

  test('a choice is answered by its value, and the card is edited to who said what, its buttons gone', async () => {
    await begin()
    const reply_schema = { kind: 'choice', options: OPTIONS.slice(0, 5) }
    const copy = await scene.asked('q-2', { reply_schema })
    await scene.person.press(owner(), copy, 'C')
    expect(await scene.settled('q-2')).toMatchObject({ answer: { parsed_choice: 'plan-2' } })
    const closed = await until('the buttons to be gone', async () => {
      const { message } = await scene.now(copy)
      return buttonsOf({ ...copy, message }).length === 0 && message
    })
    expect(readable(closed.blocks)).toMatch(/owner.* answered .*plan-2/)
    await until('the closing of q-2', async () => (await scene.bodies('q-2', 'DELIVERY_CLOSED')).length, 1)
  })

  test('an approval is given once, by the approver who pressed', async () => {
    await begin()
    const copy = await scene.asked('ship-1', approval('ship-1'))
    expect(readable(copy.message.blocks)).toContain('"confirm"')
    await scene.person.press(owner(), copy, 'YES')
    expect(await scene.settled('ship-1')).toMatchObject({
      state: 'answered',
      answer: { answered_by: 'owner' },
    })
  })
})

describe('a card that was left behind', () => {
  test('with its buttons, because its edit failed, says how it ended once it is pressed', async () => {
    await begin()
    const copy = await scene.asked('stale-1')
    scene.workspace.will('chat.update', broken)
    await scene.person.press(owner(), copy, 'YES')
    await until(
      'the closing of stale-1',
      async () => (await scene.bodies('stale-1', 'DELIVERY_CLOSED')).length,
      1,
    )
    expect(await scene.bodies('stale-1', 'DELIVERY_CLOSED')).toMatchObject([{ edited: false }])
    expect(buttonsOf(await scene.now(copy))).toHaveLength(2)
    await scene.person.press(owner(), copy, 'NO')
    await until('the buttons to be gone', async () => buttonsOf(await scene.now(copy)).length, 0)
    expect(readable((await scene.now(copy)).message.blocks)).toMatch(/owner.* answered .*YES/)
  })
})

describe('by form', () => {
  test('that Slack does not open: the person is told, and nothing is recorded', async () => {
    await begin()
    const copy = await scene.asked('form-0', { reply_schema: { kind: 'text', max_chars: 40 } })
    await scene.person.press(owner(), copy, 'Answer', { trigger: 'expired' })
    const [notice] = await scene.called('chat.postEphemeral')
    expect(notice?.body).toMatchObject({ user: owner(), text: expect.stringMatching(/could not be opened/) })
    expect([await scene.state('form-0'), await scene.reasons('form-0')]).toEqual(['pending', []])
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]>([
    [
      'text',
      { kind: 'text', max_chars: 40 },
      { type: 'plain_text_input', value: 'Ship it on Monday.' },
      { parsed_payload: { text: 'Ship it on Monday.' } },
    ],
    [
      'number',
      { kind: 'number', min: 0, max: 100, step: 5, unit: 'chips' },
      { type: 'number_input', value: '50' },
      { parsed_payload: { number: 50 } },
    ],
    [
      'date',
      { kind: 'date', min: '2026-01-01' },
      { type: 'datepicker', selected_date: '2026-02-17' },
      { parsed_payload: { date: '2026-02-17' } },
    ],
    [
      'choice',
      { kind: 'choice', options: OPTIONS },
      { type: 'radio_buttons', selected_option: picked('plan-4') },
      { parsed_choice: 'plan-4' },
    ],
    [
      'multi_choice',
      { kind: 'multi_choice', options: OPTIONS, min: 1, max: 3 },
      { type: 'checkboxes', selected_options: [picked('plan-5'), picked('plan-1')] },
      { parsed_payload: { selected: ['plan-1', 'plan-5'] } },
    ],
  ])('%s is asked for, sent and compiled', async (kind, reply_schema, value, answer) => {
    await begin()
    const copy = await scene.asked(`form-${kind}`, { reply_schema })
    const view = await openForm(copy)
    const sent = await scene.person.interact(submitted(owner(), view, value))
    expect(sent).toEqual({ status: 200, body: '' })
    expect(await scene.settled(`form-${kind}`)).toMatchObject({ state: 'answered', answer })
  })

  test('what the lane does not understand is shown under the input, and the form can be sent again', async () => {
    await begin()
    const copy = await scene.asked('form-1', { reply_schema: { kind: 'number', min: 0, max: 10 } })
    const view = await openForm(copy)
    // Bounds are the client's claim: a resubmitted view can carry anything.
    const refused = await scene.person.interact(submitted(owner(), view, { value: '11' }))
    expect(JSON.parse(refused.body)).toMatchObject({
      response_action: 'errors',
      errors: { answer: expect.stringMatching(/11.*from 0 to 10/) },
    })
    expect([await scene.state('form-1'), await scene.reasons('form-1')]).toEqual([
      'pending',
      ['reply_not_in_schema'],
    ])
    await scene.person.interact(submitted(owner(), view, { value: '7' }))
    expect(await scene.settled('form-1')).toMatchObject({ answer: { parsed_payload: { number: 7 } } })
  })

  test('a form that was opened before a restart is sent after it', async () => {
    await begin()
    const copy = await scene.asked('form-2', { reply_schema: { kind: 'text', max_chars: 20 } })
    const view = await openForm(copy)
    scene.lane = await scene.lane.restart()
    await scene.person.interact(submitted(owner(), view, { value: 'After all' }))
    expect(await scene.settled('form-2')).toMatchObject({ answer: { parsed_payload: { text: 'After all' } } })
  })

  test('a form that comes too late says what holds', { skip: !ALL }, async () => {
    await begin()
    const request = { deadline_seconds: 5, reply_schema: { kind: 'text', max_chars: 20 } }
    const copy = await scene.asked('form-3', request)
    const view = await openForm(copy)
    expect(await scene.settled('form-3')).toMatchObject({ state: 'defaulted' })
    const late = await scene.person.interact(submitted(owner(), view, { value: 'Wait' }))
    expect(JSON.parse(late.body).errors.answer).toMatch(/Nobody answered in time. HALT holds/)
    expect(await scene.reasons('form-3')).toEqual(['already_resolved'])
  })

  test('a form sent by another than it was opened for answers nothing', async () => {
    await begin()
    const copy = await scene.asked('form-4', { reply_schema: { kind: 'text', max_chars: 20 } })
    const view = await openForm(copy)
    const stolen = await scene.person.interact(submitted(deputy(), view, { value: 'Mine' }))
    expect(JSON.parse(stolen.body).errors.answer).toMatch(/put to somebody else/)
    expect([await scene.state('form-4'), await scene.reasons('form-4')]).toEqual([
      'pending',
      ['wrong_recipient'],
    ])
  })

  test('metadata that is not ours names nothing', async () => {
    await begin()
    for (const private_metadata of [
      '',
      '{}',
      'null',
      '[1]',
      '{"handle":1,"channel":"C","ts":"1"}',
      'not json',
    ]) {
      const view = { private_metadata, callback_id: 'lane:answer' }
      const sent = await scene.person.interact(submitted(owner(), view, { value: 'x' }))
      expect([sent.status, JSON.parse(sent.body).response_action]).toEqual([200, 'errors'])
    }
  })
})

describe('in the thread', () => {
  test('words are compiled by the same grammar: a typo is told there and spends nothing', async () => {
    await begin()
    const copy = await scene.asked('t-1')
    const said = async (): Promise<string[]> =>
      (await scene.workspace.replies(copy.channel, copy.message.ts)).map(({ text }) => text)
    await scene.person.write(owner(), copy, 'yes but &lt;later&gt;')
    await until('one word', async () => (await said()).length, 1)
    expect((await said())[0]).toMatch(/Not understood: “yes but &lt;later&gt;”. Reply YES or NO./)
    expect(await scene.state('t-1')).toBe('pending')
    await scene.person.write(owner(), copy, 'Yes.')
    expect(await scene.settled('t-1')).toMatchObject({ answer: { parsed_choice: 'YES' } })
    await until('two words', async () => (await said()).length, 2)
    expect((await said())[1]).toBe('Recorded: YES')
  })

  test('[LANE-054] markup, mentions, controls, bidi and zero-width never reach the payload', async () => {
    await begin()
    const copy = await scene.asked('t-2', { reply_schema: { kind: 'text', max_chars: 100 } })
    const hostile = ['*bold*', '<b>x</b>', '<@U1>', 'a\u0007b', 'a\u202Eb', 'a\u200Bb']
    for (const text of hostile.slice(0, 4)) await scene.person.write(owner(), copy, text)
    expect(await scene.reasons('t-2')).toEqual(Array(4).fill('reply_bad_charset'))
    expect(await scene.state('t-2')).toBe('pending')
    const other = await scene.asked('t-3', { reply_schema: { kind: 'text', max_chars: 100 } })
    for (const text of hostile.slice(4)) await scene.person.write(owner(), other, text)
    expect(await scene.reasons('t-3')).toEqual(Array(2).fill('reply_bad_charset'))
  })

  test('an edit, a deletion, a bot, nobody and other threads are no reply', async () => {
    await begin()
    const copy = await scene.asked('t-4')
    for (const more of [
      { subtype: 'message_changed', message: { text: 'YES' } },
      { subtype: 'message_deleted' },
      { bot_id: 'B1' },
      { user: undefined },
      { thread_ts: '1.000001' },
      { channel: 'D0OTHER' },
    ]) {
      expect(await scene.person.write(owner(), copy, 'YES', more)).toEqual({ status: 200, body: '' })
      expect([more, await scene.state('t-4'), await scene.reasons('t-4')]).toEqual([more, 'pending', []])
    }
  })

  test('words that were changed afterwards answer nothing, and the person is told', async () => {
    await begin()
    const copy = await scene.asked('t-7')
    const said = { user: owner(), text: 'YES', ts: '1.000002', thread_ts: copy.message.ts }
    const changed = async (message: Record<string, unknown>): Promise<void> => {
      const more = { subtype: 'message_changed', user: undefined, thread_ts: undefined, message }
      expect(await scene.person.write(owner(), copy, '', more)).toEqual({ status: 200, body: '' })
    }
    const edited = { user: owner(), ts: '1.000003' }
    await changed(said)
    await changed({ ...said, edited, bot_id: 'B1' })
    await changed({ ...said, edited, thread_ts: '1.000001' })
    await changed({ ...said, edited })
    const [notice, ...more] = await scene.called('chat.postEphemeral')
    expect([notice?.body, more]).toMatchObject([
      {
        user: owner(),
        thread_ts: copy.message.ts,
        text: expect.stringMatching(/^An edited message counts as it was/),
      },
      [],
    ])
    expect([await scene.state('t-7'), await scene.reasons('t-7')]).toEqual(['pending', []])
  })

  test('a reply that is also shown in the conversation is a reply: it is not lost', async () => {
    await begin()
    const copy = await scene.asked('t-6')
    await scene.person.write(owner(), copy, 'YES', { subtype: 'thread_broadcast', bot_id: 'B1' })
    expect(await scene.state('t-6')).toBe('pending')
    await scene.person.write(owner(), copy, 'YES', { subtype: 'thread_broadcast' })
    expect(await scene.settled('t-6')).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })

  test('words beside the thread answer nothing, and each person is told where to put them, once in a while', async () => {
    await begin()
    const copy = await scene.asked('t-5')
    for (let times = 0; times < 5; times++)
      await scene.person.write(owner(), copy, 'YES', { thread_ts: undefined })
    await scene.person.write(deputy(), copy, 'YES', { thread_ts: undefined })
    const [notice] = await scene.called('chat.postEphemeral', 2)
    expect(scene.workspace.of('chat.postEphemeral').map(({ body }) => body.user)).toEqual([owner(), deputy()])
    expect(notice?.body).toMatchObject({ user: owner(), text: expect.stringMatching(/Nothing was recorded/) })
    expect(await scene.state('t-5')).toBe('pending')
  })
})

test('Slack is answered at once: nothing that is said to it is waited for', { skip: !ALL }, async () => {
  await begin()
  let givenUp = 0
  const held: Fault = reply => reply.on('close', () => givenUp++)
  const copy = await scene.asked('prompt-1', { reply_schema: { kind: 'text', max_chars: 20 } })
  for (const method of ['chat.postEphemeral', 'views.open', 'chat.update', 'chat.postMessage'])
    scene.workspace.will(method, held, Number.POSITIVE_INFINITY)
  await scene.person.press(owner(), copy, 'Answer')
  await scene.person.press(deputy(), copy, 'Answer')
  await scene.person.write(owner(), copy, '<not this>')
  await scene.person.write(owner(), copy, 'But this')
  expect([givenUp, await scene.state('prompt-1')]).toEqual([0, 'answered'])
})

describe('several at once', () => {
  test('[LANE-081] of two people on two cards the first wins; the second is told so, and both cards say it', async () => {
    await begin()
    const first = await scene.asked('race-1', {}, { recipients: ['owner', 'deputy'] })
    const second = await scene.card(deputy())
    await scene.person.press(deputy(), second, 'NO')
    await scene.person.press(owner(), first, 'YES')
    expect(await scene.settled('race-1')).toMatchObject({
      answer: { parsed_choice: 'NO', answered_by: 'deputy' },
    })
    expect(await scene.reasons('race-1')).toEqual(['already_resolved'])
    const [notice] = await scene.called('chat.postEphemeral')
    expect(notice?.body).toMatchObject({ user: owner(), text: expect.stringMatching(/deputy answered NO/) })
    for (const copy of [first, second])
      await until('the answer on the card', async () =>
        /deputy.* answered .*NO/.test(readable((await scene.now(copy)).message.blocks)),
      )
  })

  test('[LANE-081] an answer on the web closes the card, and a press on an old one is told', async () => {
    await begin()
    const both = [{ user_id: 'owner', channels: ['slack', 'web'] }]
    const copy = await scene.asked('race-2', {}, { recipients: both })
    expect((await scene.lane.answer(await scene.lane.link('race-2', 'owner'), 'NO')).status).toBe(200)
    await until('the buttons to be gone', async () => buttonsOf(await scene.now(copy)).length, 0)
    await scene.person.press(owner(), copy, 'YES')
    const [notice] = await scene.called('chat.postEphemeral')
    expect(notice?.body.text).toMatch(/Too late.*owner answered NO/)
    expect(await scene.settled('race-2')).toMatchObject({ answer: { parsed_choice: 'NO', channel: 'web' } })
  })

  test('a storm of presses on one card is one answer', async () => {
    await begin()
    const copy = await scene.asked('race-3')
    const presses = Array.from({ length: 4 }, (_, at) =>
      scene.person.press(owner(), copy, at % 2 === 0 ? 'YES' : 'NO'),
    )
    expect((await Promise.all(presses)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await scene.settled('race-3')
    expect(await scene.bodies('race-3', 'HUMAN_REPLY_EVENT')).toHaveLength(1)
    expect(await scene.reasons('race-3')).toEqual(Array(3).fill('already_resolved'))
  })

  test('what Slack hands over again is the same reply: recorded as such, and the person hears nothing twice', async () => {
    await begin()
    const copy = await scene.asked('again-1')
    await scene.person.write(owner(), copy, 'maybe')
    await scene.person.again()
    expect(await scene.reasons('again-1')).toEqual(['reply_not_in_schema', 'duplicate_message'])
    await scene.person.press(owner(), copy, 'YES')
    expect(await scene.person.again()).toEqual({ status: 200, body: '' })
    await scene.settled('again-1')
    expect(await scene.bodies('again-1', 'HUMAN_REPLY_EVENT')).toHaveLength(1)
    expect(await scene.workspace.replies(copy.channel, copy.message.ts)).toHaveLength(1)
    expect(scene.workspace.of('chat.postEphemeral')).toEqual([])
  })
})
