// Modals and buttons in the wrong hands, at the wrong time and with other things in them than were asked. Whatever a
// client sends back under Slack's signature, only the words of the person asked decide, and only what is asked of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { approval } from '../lane-under-test.js'
import { until } from '../until.js'
import { buttonsOf, type Copy, clicked, filledIn, submitted } from './person.js'
import { raise, type Scene } from './scene.js'

let scene: Scene
beforeAll(async () => {
  scene = await raise({ owner: 'delegates: [deputy]' })
})
afterAll(() => scene.end())

const owner = (): string => scene.workspace.people.owner
const deputy = (): string => scene.workspace.people.deputy
const picked = (value: unknown) => ({ selected_option: { text: { type: 'plain_text', text: 'x' }, value } })

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
    { id: 'note', type: 'text', prompt: 'A note', required: false },
  ],
}

type View = { readonly private_metadata: string; readonly callback_id: string }
async function opened(copy: Copy, label: string, user = owner()): Promise<View> {
  const before = scene.workspace.of('views.open').length
  await scene.person.press(user, copy, label, { trigger: await scene.workspace.trigger(user) })
  const [call] = (await scene.called('views.open', before + 1)).slice(before)
  return JSON.parse(call?.body.view ?? '{}')
}
const seen = async (id: string) => (await scene.lane.call('GET', `/v1/requests/${id}`)).json
const counted = async (id: string): Promise<unknown> =>
  (await scene.bodies(id, 'HUMAN_REPLY_EVENT')).map(
    ({ parsed_payload, parsed_choice }) => parsed_payload ?? parsed_choice,
  )

describe('a form’s modal with blocks that were not in it', () => {
  test.each<[string, Record<string, Record<string, unknown>>]>([
    ['none at all', {}],
    ['a decision of another form', { 'd.ship': picked('YES'), 'd.pay': picked('YES') }],
    ['the same decision in another case', { 'd.ship': picked('YES'), 'd.SHIP': picked('NO') }],
    ['a bare answer', { answer: picked('YES') }],
    ['a bare answer beside a decision', { answer: picked('YES'), 'd.ship': picked('YES') }],
    [
      'a decision twice, by a line in the bare answer',
      { answer: { value: 'ship YES' }, 'd.ship': picked('YES') },
    ],
    ['a second line in a note', { 'd.note': { value: 'fine\nship yes' } }],
    ['a second line in a note, by CR', { 'd.note': { value: 'fine\rship yes' } }],
    ['a second line in a note, by LINE SEPARATOR', { 'd.note': { value: 'fine\u2028ship yes' } }],
    ['a second line in the id', { 'd.note x\nship': picked('YES') }],
    ['a comment on nothing', { 'd.ship': picked('YES'), 'c.share': { value: 'why' } }],
    ['a comment on a decision of another form', { 'd.ship': picked('YES'), 'c.pay': { value: 'why' } }],
    ['a reason for the whole', { 'd.ship': picked('YES'), reason: { value: 'only if legal agrees' } }],
    ['a condition as the choice', { 'd.ship': picked('YES: only if legal agrees') }],
    [
      'a condition in two lines as the comment',
      { 'd.ship': picked('NO'), 'c.ship': { value: 'a\nshare 5' } },
    ],
  ])('%s: nothing of it is taken', async (what, blocks) => {
    const id = `forged-${what.replace(/[^a-z]/gi, '').slice(0, 40)}`
    const view = await opened(await scene.asked(id, { reply_schema: FORM }), 'Answer')
    const { status, body } = await scene.person.interact(filledIn(owner(), view, blocks))
    expect([status, JSON.parse(body).response_action]).toEqual([200, 'errors'])
    expect([await counted(id), await scene.state(id)]).toEqual([[], 'pending'])
    expect(await scene.reasons(id)).toHaveLength(1)
  })
})

describe('a modal under other metadata', () => {
  test('of one request, sent for another: the other’s own grammar reads it, and the first hears nothing', async () => {
    const first = await opened(
      await scene.asked('m-1', { reply_schema: { kind: 'text', max_chars: 40 } }),
      'Answer',
    )
    const second = await opened(await scene.asked('m-2', { reply_schema: FORM }), 'Answer')
    const { body } = await scene.person.interact(
      submitted(owner(), { ...first, private_metadata: second.private_metadata }, { value: 'Ship it' }),
    )
    expect(JSON.parse(body).response_action).toBe('errors')
    expect([await scene.reasons('m-1'), await scene.reasons('m-2')]).toEqual([[], ['reply_not_in_schema']])
    expect([await scene.state('m-1'), await scene.state('m-2')]).toEqual(['pending', 'pending'])
  })

  test('with another’s handle: another person’s request is not answered by it', async () => {
    const mine = await scene.asked('m-3', { reply_schema: { kind: 'text', max_chars: 40 } })
    const view = await opened(mine, 'Answer')
    await scene.asked('m-4', { reply_schema: { kind: 'text', max_chars: 40 } }, { recipients: ['deputy'] })
    const theirs = await until('the deputy’s card', async () => {
      const card = await scene.card(deputy())
      return JSON.stringify(card.message.blocks).includes('m-4') && card
    })
    const handle = buttonsOf(theirs)[0]?.value
    const metadata = { ...JSON.parse(view.private_metadata), handle }
    const { body } = await scene.person.interact(
      submitted(owner(), { ...view, private_metadata: JSON.stringify(metadata) }, { value: 'Mine' }),
    )
    expect(body).toContain('put to somebody else')
    expect([await scene.reasons('m-4'), await scene.state('m-4'), await scene.state('m-3')]).toEqual([
      ['wrong_recipient'],
      'pending',
      'pending',
    ])
  })

  test('the page’s handle opens nothing here', async () => {
    const view = await opened(
      await scene.asked(
        'm-5',
        { reply_schema: { kind: 'text', max_chars: 40 } },
        { recipients: [{ user_id: 'owner', channels: ['slack', 'web'] }] },
      ),
      'Answer',
    )
    const { link } = await scene.lane.link('m-5', 'owner')
    const handle = new URL(link).pathname.split('/').at(-1)
    const metadata = { ...JSON.parse(view.private_metadata), handle }
    const { body } = await scene.person.interact(
      submitted(owner(), { ...view, private_metadata: JSON.stringify(metadata) }, { value: 'Mine' }),
    )
    expect(body).toContain('not known here any more')
    expect([await scene.reasons('m-5'), await scene.state('m-5')]).toEqual([[], 'pending'])
  })

  test('with another card’s place: that card does not show this one’s ending', async () => {
    const settled = await scene.asked('m-6', { reply_schema: { kind: 'text', max_chars: 40 } })
    const view = await opened(settled, 'Answer')
    await scene.person.interact(submitted(owner(), view, { value: 'Done' }))
    await until('the buttons to be gone', async () => buttonsOf(await scene.now(settled)).length, 0)
    const open = await scene.asked('m-7', approval('m-7'))
    const metadata = { ...JSON.parse(view.private_metadata), ts: open.message.ts }
    await scene.person.interact(
      submitted(owner(), { ...view, private_metadata: JSON.stringify(metadata) }, { value: 'Again' }),
    )
    await scene.person.press(owner(), open, 'YES')
    await until('the buttons to be gone', async () => buttonsOf(await scene.now(open)).length, 0)
    const edited = scene.workspace.of('chat.update').filter(({ body }) => body.ts === open.message.ts)
    expect(edited.map(({ body }) => /Request (m-.)/.exec(body.blocks ?? '')?.[1])).toEqual(['m-7'])
  })
})

describe('a stale modal', () => {
  test('answers no decision that was answered since, and nothing beside it', async () => {
    const copy = await scene.asked('s-1', { reply_schema: FORM })
    const stale = await opened(copy, 'Answer')
    const fresh = await opened(copy, 'Answer')
    await scene.person.interact(
      filledIn(owner(), fresh, { 'd.ship': picked('NO'), 'c.ship': { value: 'no' } }),
    )
    const { body } = await scene.person.interact(
      filledIn(owner(), stale, { 'd.ship': picked('YES'), 'd.share': { value: '5' } }),
    )
    expect(body).toContain('Still open: share, note')
    expect(await scene.reasons('s-1')).toEqual(['decision_answered'])
    expect(await seen('s-1')).toMatchObject({ state: 'partial', so_far: { missing: ['share'] } })
  })

  test('parts out of order, at the same time: each decision is counted once', async () => {
    const copy = await scene.asked('s-2', { reply_schema: FORM })
    const views = [await opened(copy, 'Answer'), await opened(copy, 'Answer')]
    const parts = [
      { 'd.share': { value: '5' } },
      { 'd.share': { value: '6' }, 'd.note': { value: 'Late' } },
      { 'd.note': { value: 'First' } },
    ]
    await Promise.all(
      parts.map((blocks, at) => scene.person.interact(filledIn(owner(), views[at % 2] as View, blocks))),
    )
    const ids = ((await counted('s-2')) as { decisions: { decision_id: string }[] }[]).flatMap(
      ({ decisions }) => decisions.map(one => one.decision_id),
    )
    expect(ids.sort()).toEqual(['note', 'share'])
    expect(await scene.state('s-2')).toBe('partial')
  })

  test('of a request that was handed on, and the buttons of its card, answer nothing', async () => {
    const copy = await scene.asked('s-3', { reply_schema: FORM })
    const form = await opened(copy, 'Answer')
    const list = await opened(copy, 'Hand it on')
    await scene.person.interact(submitted(owner(), list, picked('deputy')))
    const { body } = await scene.person.interact(
      filledIn(owner(), form, { 'd.ship': picked('YES'), 'd.share': { value: '5' } }),
    )
    expect(body).toContain('handed this to somebody else')
    await scene.person.write(owner(), copy, 'ship yes\nshare 5')
    await scene.person.press(owner(), copy, 'Hand it on')
    expect(await scene.reasons('s-3')).toEqual(['delegated_away', 'delegated_away', 'delegated_away'])
    // The deputy is asked on a card of their own: the owner's is not theirs.
    await scene.person.interact(filledIn(deputy(), form, { 'd.ship': picked('YES') }))
    await scene.person.interact(
      clicked(scene.workspace, deputy(), copy, {
        action_id: 'lane:option:YES',
        value: buttonsOf(copy)[0]?.value ?? '',
      }),
    )
    expect((await scene.reasons('s-3')).slice(3)).toEqual(['wrong_recipient', 'wrong_recipient'])
    expect([await counted('s-3'), await scene.bodies('s-3', 'REQUEST_DELEGATED')]).toMatchObject([
      [],
      [{ to: 'deputy' }],
    ])
  })

  test('that hands it on, twice and beside an answer at the same moment: one of them holds', async () => {
    for (let round = 0; round < 3; round++) {
      const id = `s-4-${round}`
      const copy = await scene.asked(id)
      const list = await opened(copy, 'Hand it on')
      await Promise.all([
        scene.person.interact(submitted(owner(), list, picked('deputy'))),
        scene.person.press(owner(), copy, 'YES'),
        scene.person.interact(submitted(owner(), list, picked('deputy'))),
        scene.person.interact(submitted(deputy(), list, picked('deputy'))),
      ])
      const [answers, hands] = [await counted(id), await scene.bodies(id, 'REQUEST_DELEGATED')]
      expect([id, (answers as unknown[]).length + hands.length]).toEqual([id, 1])
      expect(await scene.reasons(id)).toHaveLength(3)
    }
  })
})

describe('a button', () => {
  test('with an answer that was not on the card gives none', async () => {
    const copy = await scene.asked('b-1', approval('b-1'))
    const [{ value = '' } = {}] = buttonsOf(copy)
    for (const action_id of [
      'lane:option:',
      'lane:option:YES\nYES',
      'lane:option:YES if green',
      'lane:optionYES',
    ])
      await scene.person.interact(clicked(scene.workspace, owner(), copy, { action_id, value }))
    expect([await counted('b-1'), await scene.state('b-1')]).toEqual([[], 'pending'])
  })

  // Waits for the step's own moment.
  test.runIf(ALL)(
    'of a reminder, pressed after the outcome, is told how it ended',
    async () => {
      const card = await scene.asked('b-2', {}, { ladder: [{ after_seconds: 5, do: 'remind' }] })
      const posted = await until('the reminder', () =>
        scene.workspace.of('chat.postMessage').find(({ body }) => body.thread_ts === card.message.ts),
      )
      await until('it stands', async () => (await scene.bodies('b-2', 'REQUEST_REMINDED')).length)
      const reminder = {
        channel: card.channel,
        message: { ...card.message, ts: '1.000009', blocks: JSON.parse(posted.body.blocks ?? '[]') },
      }
      await scene.person.press(owner(), card, 'NO')
      await scene.settled('b-2')
      await scene.person.press(owner(), reminder, 'YES')
      await scene.person.press(deputy(), reminder, 'YES')
      expect(await scene.reasons('b-2')).toEqual(['already_resolved', 'wrong_recipient'])
      expect(await seen('b-2')).toMatchObject({ answer: { parsed_choice: 'NO' } })
    },
    30_000,
  )
})
