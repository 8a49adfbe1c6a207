// Whose press it was. A card in a channel is seen by many; the request is answered by the one it was put to.
import { afterEach, describe, expect, test } from 'vitest'
import { openApi } from '../../adapters/slack/api.js'
import { Speakers } from '../../adapters/slack/speaker.js'
import { raise, type Scene, type SceneOptions } from './scene.js'
import { amended, BOT_TOKEN, broken, type Fault, hung, limited, refuses } from './workspace.js'

let scene: Scene
const begin = async (options?: SceneOptions): Promise<Scene> => {
  scene = await raise(options)
  return scene
}
afterEach(() => scene.end())

const people = () => scene.workspace.people
const FOREVER = Number.POSITIVE_INFINITY
/** What users.info says of everybody, changed. */
const account = (change: Record<string, unknown>): Fault =>
  amended(answer => Object.assign(answer.user as object, change))

describe('a card in a channel', () => {
  test('names who is asked', async () => {
    await begin({ inChannel: true })
    const { message, channel } = await scene.asked('c-1')
    expect(channel).toBe(scene.workspace.channel)
    expect(JSON.stringify(message.blocks)).toContain(`{"type":"user","user_id":"${people().owner}"}`)
  })

  test('[LANE-047] pressed by anyone else leaves the request open, tells them privately, and is on record', async () => {
    await begin({ inChannel: true })
    const copy = await scene.asked('c-2')
    await scene.person.press(people().deputy, copy, 'YES')
    await scene.person.press(people().nobody, copy, 'YES')
    expect(await scene.reasons('c-2')).toEqual(['wrong_recipient', 'unknown_sender'])
    const notices = await scene.called('chat.postEphemeral', 2)
    expect(new Set(notices.map(({ body }) => body.user))).toEqual(new Set([people().deputy, people().nobody]))
    for (const { body } of notices) expect(body.text).toMatch(/put to somebody else/)
    expect(await scene.state('c-2')).toBe('pending')
    await scene.person.press(people().owner, copy, 'NO')
    expect(await scene.settled('c-2')).toMatchObject({
      answer: { parsed_choice: 'NO', answered_by: 'owner' },
    })
  })

  test('shows its form to nobody else', async () => {
    await begin({ inChannel: true })
    const copy = await scene.asked('c-3', { reply_schema: { kind: 'text', max_chars: 20 } })
    const trigger = await scene.workspace.trigger(people().deputy)
    await scene.person.press(people().deputy, copy, 'Answer', { trigger })
    expect(await scene.reasons('c-3')).toEqual(['wrong_recipient'])
    await scene.called('chat.postEphemeral')
    expect(scene.workspace.of('views.open')).toEqual([])
  })

  test('answered in its thread by a stranger without end: told to them alone, and the person asked can still answer', async () => {
    await begin({ inChannel: true })
    const copy = await scene.asked('c-5')
    for (let times = 0; times < 12; times++) await scene.person.write(people().deputy, copy, 'YES')
    expect(await scene.reasons('c-5')).toEqual(Array(10).fill('wrong_recipient'))
    const notices = await scene.called('chat.postEphemeral', 12)
    expect(notices.at(-1)?.body.text).toMatch(/none of yours/)
    expect(await scene.workspace.replies(copy.channel, copy.message.ts)).toEqual([])
    await scene.person.write(people().owner, copy, 'YES')
    expect(await scene.settled('c-5')).toMatchObject({ answer: { answered_by: 'owner' } })
  })

  test('answered in its thread by somebody else: told to them alone, in the thread', async () => {
    await begin({ inChannel: true })
    const copy = await scene.asked('c-4')
    await scene.person.write(people().deputy, copy, 'YES')
    const [notice] = await scene.called('chat.postEphemeral')
    expect(notice?.body).toMatchObject({ user: people().deputy, thread_ts: copy.message.ts })
    expect(await scene.reasons('c-4')).toEqual(['wrong_recipient'])
    await scene.person.write(people().owner, copy, 'YES')
    expect(await scene.settled('c-4')).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })
})

describe('an account', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a guest', { is_restricted: true }],
    ['a guest of one channel', { is_ultra_restricted: true }],
    ['a bot', { is_bot: true }],
    ['a workflow', { is_workflow_bot: true }],
    ['a connector', { is_connector_bot: true }],
    ['Slack’s own bot', { id: 'USLACKBOT' }],
    ['closed', { deleted: true }],
    ['a stranger', { is_stranger: true }],
  ])(
    'that is %s cannot answer, though it is the one configured, and is told so privately',
    async (_name, change) => {
      await begin()
      const copy = await scene.asked('a-1')
      scene.workspace.will('users.info', account(change), FOREVER)
      expect(await scene.person.press(people().owner, copy, 'YES')).toEqual({ status: 200, body: '' })
      expect([await scene.reasons('a-1'), await scene.state('a-1')]).toEqual([
        ['sender_unauthenticated'],
        'pending',
      ])
      const [notice] = await scene.called('chat.postEphemeral')
      expect(notice?.body).toMatchObject({
        user: people().owner,
        text: expect.stringMatching(/^Guests, bots, deactivated accounts and members of other organisations/),
      })
    },
  )

  test('[LANE-047] of another workspace in a shared channel is somebody else, whatever its id', async () => {
    await begin()
    const copy = await scene.asked('a-2')
    scene.workspace.will('users.info', account({ team_id: 'T0OTHER' }), FOREVER)
    await scene.person.press(people().owner, copy, 'YES', { team: 'T0OTHER' })
    expect([await scene.reasons('a-2'), await scene.state('a-2')]).toEqual([['unknown_sender'], 'pending'])
  })

  test('of another workspace is refused even where the configuration names it', async () => {
    await begin({ ownerTeam: 'T0OTHER' })
    const copy = await scene.asked('a-3')
    scene.workspace.will('users.info', account({ team_id: 'T0OTHER' }), FOREVER)
    await scene.person.press(people().owner, copy, 'YES', { team: 'T0OTHER' })
    expect(await scene.reasons('a-3')).toEqual(['sender_unauthenticated'])
  })

  test('whose payload names another workspace than Slack does is not believed', async () => {
    await begin()
    const copy = await scene.asked('a-4')
    await scene.person.press(people().owner, copy, 'YES', { team: 'T0OTHER' })
    expect(await scene.reasons('a-4')).toEqual(['sender_unauthenticated'])
  })

  test('that Slack does not know is nobody', async () => {
    await begin()
    const copy = await scene.asked('a-5')
    await scene.person.press('U0GONE', copy, 'YES')
    expect(await scene.reasons('a-5')).toEqual(['unknown_sender'])
  })

  test('of an Enterprise Grid is known by its organisation', async () => {
    await begin({ ownerTeam: 'E0ORG' })
    const copy = await scene.asked('a-6')
    scene.workspace.will('users.info', account({ enterprise_user: { enterprise_id: 'E0ORG' } }), FOREVER)
    scene.workspace.will(
      'auth.test',
      amended(answer => Object.assign(answer, { enterprise_id: 'E0ORG' })),
      FOREVER,
    )
    await scene.person.press(people().owner, copy, 'YES', { team: 'T0ANYOFIT' })
    expect(await scene.settled('a-6')).toMatchObject({ answer: { answered_by: 'owner' } })
  })
})

describe('while Slack cannot say who is speaking', () => {
  test.each<[string, Fault]>([
    ['because it breaks', broken],
    ['because it hangs', hung],
    ['because we asked too often', limited(30)],
    ['because the scope is missing', refuses('missing_scope')],
  ])('%s, nothing is taken and Slack is told to try again', async (_name, fault) => {
    await begin()
    const copy = await scene.asked('u-1')
    scene.workspace.will('users.info', fault, FOREVER)
    expect(await scene.person.press(people().owner, copy, 'YES')).toEqual({ status: 503, body: 'try again' })
    expect([await scene.reasons('u-1'), await scene.state('u-1')]).toEqual([[], 'pending'])
    scene.workspace.mend()
    await scene.person.press(people().owner, copy, 'YES')
    expect(await scene.settled('u-1')).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })
})

test('an account that was closed is believed for a minute at most', async () => {
  await begin()
  const speakers = new Speakers(openApi(BOT_TOKEN, scene.workspace.apiUrl))
  const found = async (now: number) => (await speakers.find(people().owner, null, now)).authenticated
  expect(await found(0)).toBe(true)
  scene.workspace.will('users.info', account({ deleted: true }), FOREVER)
  expect([await found(59_999), await found(60_000)]).toEqual([true, false])
})
