// A request is handed on in Slack: by the button of its card, from a list of those who can take it at that moment.
import { afterEach, describe, expect, test } from 'vitest'
import { approval } from '../lane-under-test.js'
import { until } from '../until.js'
import { faultsOfMessage, faultsOfView } from './block-limits.js'
import { buttonsOf, type Copy, readable, submitted } from './person.js'
import { raise, type Scene } from './scene.js'

let scene: Scene
const begin = async (owner = 'delegates: [deputy]'): Promise<Scene> => {
  scene = await raise({ owner })
  return scene
}
afterEach(() => scene.end())

const owner = (): string => scene.workspace.people.owner
const deputy = (): string => scene.workspace.people.deputy
const picked = (value: string) => ({ selected_option: { text: { type: 'plain_text', text: 'x' }, value } })

type View = { readonly private_metadata: string; readonly callback_id: string }
async function openList(copy: Copy): Promise<View> {
  const before = scene.workspace.of('views.open').length
  await scene.person.press(owner(), copy, 'Hand it on', { trigger: await scene.workspace.trigger(owner()) })
  const [call] = (await scene.called('views.open', before + 1)).slice(before)
  const view = JSON.parse(call?.body.view ?? '{}')
  expect(faultsOfView(view)).toEqual([])
  return view
}
const handings = (id: string) => scene.bodies(id, 'REQUEST_DELEGATED')

describe('the button of a card', () => {
  test.each([
    ['a question', { reply_schema: { kind: 'yes_no' } }],
    ['a text, where the word would be an answer', { reply_schema: { kind: 'text', max_chars: 80 } }],
    ['an approval', approval('h-1')],
  ])('hands on %s: the other is asked with both names, and answers', async (_, request) => {
    await begin()
    const copy = await scene.asked('h-1', request)
    expect(faultsOfMessage(copy.message as never)).toEqual([])
    const view = await openList(copy)
    expect(JSON.stringify(view)).toContain('"value":"deputy"')
    expect(await scene.person.interact(submitted(owner(), view, picked('deputy')))).toEqual({
      status: 200,
      body: '',
    })
    const [told] = await scene.called('chat.postEphemeral')
    expect(told?.body.text).toContain('handed to deputy')
    expect(await handings('h-1')).toMatchObject([
      { from: 'owner', to: 'deputy', by: 'person', channel: 'slack', proof: 'slack_signed' },
    ])
    await until(
      'the copy of the other',
      () => scene.bodies('h-1', 'OUTBOUND_REQUEST_SENT'),
      sent => sent.length === 2,
    )
    const theirs = await scene.card(deputy())
    expect(readable(theirs.message.blocks)).toContain('It was handed to you by Owner')
    const isText = 'reply_schema' in request && request.reply_schema.kind === 'text'
    await scene.person.write(deputy(), theirs, isText ? 'Ship it' : 'YES')
    expect(await scene.settled('h-1')).toMatchObject({ state: 'answered', answer: { answered_by: 'deputy' } })
    const closed = await until('both names on the closed card', async () => {
      const now = await scene.now(copy)
      return readable(now.message.blocks).includes('in place of') ? now : undefined
    })
    expect(readable(closed.message.blocks)).toMatch(/deputy.*in place of.*owner/)
  })

  test('is there only for somebody who has delegates', async () => {
    await begin('')
    expect(buttonsOf(await scene.asked('h-2')).map(({ text }) => text.text)).toEqual(['YES', 'NO'])
  })

  test('opens nothing for anybody else: their press answers nothing, and is recorded', async () => {
    await begin()
    const copy = await scene.asked('h-3')
    await scene.person.press(deputy(), copy, 'Hand it on')
    expect(await scene.reasons('h-3')).toEqual(['wrong_recipient'])
    expect([scene.workspace.of('views.open').length, await handings('h-3')]).toEqual([0, []])
  })

  test('opens nothing where nobody could take it any more, and says so', async () => {
    await begin()
    const copy = await scene.asked('h-4')
    const away = await scene.lane.call('POST', '/v1/recipients/deputy/away', {
      key: scene.lane.operatorKey,
      body: { until: '2999-01-01T00:00:00Z' },
    })
    expect(away.status).toBe(200)
    await scene.person.press(owner(), copy, 'Hand it on')
    const [told] = await scene.called('chat.postEphemeral')
    expect(told?.body.text).toContain('nobody to whom you could hand this now')
    expect(scene.workspace.of('views.open')).toHaveLength(0)
  })
})

describe('the list', () => {
  test.each(['zoe', 'owner', 'deputy YES', 'deputy\nYES', ''])(
    'does not hand it to %j: a client can send any name, and is told what would be taken',
    async name => {
      await begin()
      const view = await openList(await scene.asked('h-5', { reply_schema: { kind: 'text', max_chars: 80 } }))
      const { body } = await scene.person.interact(submitted(owner(), view, picked(name)))
      expect(JSON.parse(body)).toMatchObject({ response_action: 'errors' })
      expect(await scene.reasons('h-5')).toEqual(['reply_not_in_schema'])
      expect([await handings('h-5'), await scene.state('h-5')]).toEqual([[], 'pending'])
    },
  )

  test('sent by anybody else hands nothing on', async () => {
    await begin()
    const view = await openList(await scene.asked('h-6'))
    await scene.person.interact(submitted(deputy(), view, picked('deputy')))
    expect(await scene.reasons('h-6')).toEqual(['wrong_recipient'])
    expect(await handings('h-6')).toEqual([])
  })

  test('sent twice hands it on once', async () => {
    await begin()
    const view = await openList(await scene.asked('h-7'))
    await scene.person.interact(submitted(owner(), view, picked('deputy'), 'one.two.three'))
    await scene.person.again()
    expect(await handings('h-7')).toHaveLength(1)
    const later = await scene.person.interact(submitted(owner(), view, picked('deputy')))
    expect(later.body).toContain('handed this to somebody else')
    expect(await handings('h-7')).toHaveLength(1)
  })
})
