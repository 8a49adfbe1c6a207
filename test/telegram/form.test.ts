// A form over Telegram, by lines in reply to its card: a part now, the rest later, and every line that is not taken is
// told by name.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approval } from '../lane-under-test.js'
import { until } from '../until.js'
import { asking, below, OWNER, raise, type Scene } from './scene.js'

const FORM = {
  kind: 'form',
  context: 'Built an hour ago.',
  decisions: [
    {
      id: 'd1',
      type: 'approval',
      prompt: 'Ship release 9',
      required: true,
      reason: { when: 'on_no', max_chars: 80 },
    },
    {
      id: 'd2',
      type: 'choice',
      prompt: 'To whom',
      required: true,
      options: [
        { value: 'all', label: 'Everybody' },
        { value: 'few', label: 'A few' },
      ],
    },
    { id: 'd3', type: 'number', prompt: 'Which share', required: false, constraints: { min: 1, max: 100 } },
  ],
}

let scene: Scene
beforeAll(async () => {
  scene = await raise()
})
afterAll(() => scene.close())

/** What the bot says in the owner's chat after this. */
const hears = (words: string): Promise<unknown> =>
  until(`"${words}"`, async () => scene.server.shown(OWNER).some(({ text }) => text.includes(words)))
const seen = async (id: string) => (await scene.lane.call('GET', `/v1/requests/${id}`)).json

test('is answered by a line, then by the others: the person hears what is missing, and its card ends with the outcome', async () => {
  const card = await scene.ask(asking('form-1', FORM))
  expect(card.text).toMatch(
    /Built an hour ago\.[\s\S]*1\. Ship release 9[\s\S]*A = all[\s\S]*3\. Which share/,
  )
  await scene.server.write(OWNER, 'd1 yes', below(card))
  await hears('Recorded: 1 decision, 1 approved, 0 refused. Still to be answered: d2.')
  expect(await seen('form-1')).toMatchObject({
    state: 'partial',
    answer: null,
    so_far: { decisions: [{ decision_id: 'd1', approved: true, proof: 'telegram_id' }], missing: ['d2'] },
  })
  await scene.server.write(OWNER, 'D3 25\n\nd2 B', below(card))
  expect((await scene.lane.outcome('form-1')).json).toMatchObject({
    state: 'answered',
    answer: {
      answered_by: 'owner',
      channel: 'telegram',
      parsed_payload: {
        decisions: [
          { decision_id: 'd1', approved: true },
          { decision_id: 'd2', selected: 'few' },
          { decision_id: 'd3', value: 25 },
        ],
      },
    },
  })
  await scene.comes('form-1', 'DELIVERY_CLOSED')
  await hears('owner answered 3 decisions, 1 approved, 0 refused')
})

test('takes no line of a reply with one that is not understood, and names each of those', async () => {
  const card = await scene.ask(asking('form-2', FORM))
  await scene.server.write(OWNER, 'd1 yes\nd2 perhaps\nd9 yes', below(card))
  await hears('Not understood: “d2 perhaps”. For d2: one letter')
  await hears('Nor were these lines taken: “d9 yes”.')
  expect(await seen('form-2')).toMatchObject({ state: 'pending' })
  expect(await seen('form-2')).not.toHaveProperty('so_far')
})

test('takes YES with words behind it for a condition, and asks a NO for its reason', async () => {
  const card = await scene.ask(asking('form-3', FORM))
  await scene.server.write(OWNER, 'd1 YES: if the tests are green', below(card))
  await hears('“d1 YES: if the tests are green”')
  await scene.server.write(OWNER, 'd1 no', below(card))
  const reasons = (await scene.comes('form-3', 'INBOUND_REPLY_REJECTED', 2)).map(({ reason }) => reason)
  expect(reasons).toEqual(['reply_not_in_schema', 'reason_missing'])
  await scene.server.write(OWNER, 'd1 no: wrong customer\nd2 a', below(card))
  expect((await scene.lane.outcome('form-3')).json).toMatchObject({
    answer: { parsed_payload: { decisions: [{ approved: false, comment: 'wrong customer' }, {}] } },
  })
})

test('names the decision that was answered already, and says so again after each part that was taken', async () => {
  const card = await scene.ask(asking('form-4', FORM))
  await scene.server.write(OWNER, 'd3 0', below(card))
  await hears('Not understood: “d3 0”. For d3: a number from 1 to 100')
  await scene.server.write(OWNER, 'd1 yes', below(card))
  await scene.comes('form-4', 'HUMAN_REPLY_EVENT')
  await scene.server.write(OWNER, 'd1 no: too early\nd2 a', below(card))
  await hears('Answered already: “d1”. Still open: d2, d3.')
  const notices = (await scene.comes('form-4', 'NOTICE_SENT', 2)).map(({ reason }) => reason)
  expect(notices).toEqual(['reply_not_in_schema', 'decision_answered'])
  expect(await seen('form-4')).toMatchObject({ state: 'partial', so_far: { missing: ['d2'] } })
})

test('of an approval gives the right once its approvals are all given, in whatever parts', async () => {
  const card = await scene.ask(approval('form-5', { reply_schema: FORM }))
  await scene.server.write(OWNER, 'd2 a', below(card))
  await scene.comes('form-5', 'HUMAN_REPLY_EVENT')
  expect(await seen('form-5')).toMatchObject({ state: 'partial', decision: null })
  await scene.server.write(OWNER, 'd1 yes', below(card))
  expect((await scene.lane.outcome('form-5')).json).toMatchObject({
    state: 'answered',
    decision: { decision: 'CONTINUE', policy_token: expect.any(String) },
  })
})
