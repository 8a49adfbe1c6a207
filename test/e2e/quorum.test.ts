// Two must agree, and they sit at different tables: votes over Slack and over Telegram are one count, and at the end
// everybody's copy says what came of it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verify } from '../../src/ledger/verify.js'
import { approval, type LaneUnderTest, startLane } from '../lane-under-test.js'
import { buttonsOf, byWebhook, type Copy, cardIn, Person, readable } from '../slack/person.js'
import { BOT_TOKEN, openWorkspace, SIGNING_SECRET, TEAM, type Workspace } from '../slack/workspace.js'
import { type BotServer, type Shown, startBotServer, TOKEN } from '../telegram/bot-server.js'
import { until } from '../until.js'

const BO = 501

let workspace: Workspace
let bot: BotServer
let lane: LaneUnderTest
let person: Person
beforeEach(async () => {
  workspace = await openWorkspace()
  bot = await startBotServer()
  const { owner, deputy } = workspace.people
  lane = await startLane({
    config: `
recipients:
  ada: { name: Ada, slack: { team: ${TEAM}, user: ${owner} } }
  bo: { name: Bo, telegram: ${BO} }
  cy: { name: Cy, slack: { team: ${TEAM}, user: ${deputy} } }
actions:
  PUBLISH: { approvers: [ada, bo, cy], proofs: [slack_signed, telegram_id], quorum: { need: 2 } }
`,
    env: {
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: workspace.apiUrl,
      TELEGRAM_BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: bot.url,
    },
  })
  person = new Person(
    workspace,
    byWebhook(() => `${lane.url}/hooks/slack`),
  )
})
afterEach(async () => {
  const { text } = await lane.call('GET', '/v1/ledger', { key: lane.operatorKey })
  expect((await verify(text.trim().split('\n'))).problems).toEqual([])
  await lane.close()
  await bot.stop()
  await workspace.close()
})

type Cards = { readonly ada: Copy; readonly cy: Copy; readonly bo: Shown }
async function ask(): Promise<Cards> {
  const { status, text } = await lane.submit(approval('ship', { reply_schema: { kind: 'yes_no' } }), {
    recipients: ['ada', 'bo', 'cy'],
  })
  if (status !== 201) throw new Error(text)
  await until('three sendings', async () => (await of('OUTBOUND_REQUEST_SENT')).length, 3)
  const onSlack = async (user: string): Promise<Copy> => {
    const where = await workspace.directMessages(user)
    return until('a card', async () => cardIn(await workspace.said(where), where).at(-1))
  }
  const bo = bot.shown(BO).at(-1)
  if (bo === undefined) throw new Error('no card on Telegram')
  return { ada: await onSlack(workspace.people.owner), cy: await onSlack(workspace.people.deputy), bo }
}
const of = async (type: string) => (await lane.story('ship')).filter(entry => entry.type === type)
const seen = async () => (await lane.call('GET', '/v1/requests/ship')).json

/** Presses the button with this label on Bo's card. */
async function boPresses({ bo }: Cards, label: string): Promise<void> {
  const rows = (bo.reply_markup?.inline_keyboard ?? []) as { text: string; callback_data: string }[][]
  const button = rows.flat().find(({ text }) => text.includes(label))
  await bot.press(BO, button?.callback_data ?? '', { message: { message_id: bo.message_id } })
}
const boHears = (words: string): Promise<unknown> =>
  until(`"${words}" on Telegram`, async () =>
    bot.calls.some(
      ({ method, payload }) => method === 'answerCallbackQuery' && String(payload.text).includes(words),
    ),
  )
const now = async ({ channel, message: { ts } }: Copy): Promise<Copy> => {
  const message = (await workspace.said(channel)).find(said => said.ts === ts)
  if (message === undefined) throw new Error('the card is gone')
  return { channel, message }
}

/** Everybody's copy has lost its buttons, and says this. */
async function allClosed({ ada, cy, bo }: Cards, words: RegExp): Promise<void> {
  await until('three closings', async () => (await of('DELIVERY_CLOSED')).length, 3)
  expect((await of('DELIVERY_CLOSED')).map(({ body }) => body.edited)).toEqual([true, true, true])
  for (const card of [await now(ada), await now(cy)]) {
    expect(buttonsOf(card)).toEqual([])
    expect(readable(card.message.blocks)).toMatch(words)
  }
  const ended = bot.shown(BO).find(({ message_id }) => message_id === bo.message_id)
  expect(ended?.reply_markup).toBeUndefined()
  expect(ended?.text).toMatch(words)
  const { deliveries } = (await seen()) as { deliveries: { state: string }[] }
  expect(deliveries.map(({ state }) => state)).toEqual(['closed', 'closed', 'closed'])
}

test('a YES on Slack and a YES on Telegram give the right together, and everybody’s copy is closed', async () => {
  const cards = await ask()
  await person.press(workspace.people.owner, cards.ada, 'YES')
  await until('what is missing', async () =>
    workspace
      .of('chat.postEphemeral')
      .some(({ body }) => body.text?.includes('1 of 2 have said YES; one more is needed.')),
  )
  expect(await seen()).toMatchObject({
    state: 'partial',
    answer: null,
    decision: null,
    tally: { need: 2, yes: 1, no: 0 },
    so_far: { votes: [{ answered_by: 'ada', choice: 'YES', channel: 'slack', proof: 'slack_signed' }] },
  })
  expect(await of('DELIVERY_CLOSED')).toEqual([])
  expect(buttonsOf(await now(cards.cy))).toHaveLength(2)

  await boPresses(cards, 'Yes')
  await boHears('Recorded: YES')
  expect((await lane.outcome('ship')).json).toMatchObject({
    state: 'answered',
    answer: {
      parsed_choice: 'YES',
      answered_by: 'bo',
      channel: 'telegram',
      votes: [
        { answered_by: 'ada', choice: 'YES', channel: 'slack', proof: 'slack_signed' },
        { answered_by: 'bo', choice: 'YES', channel: 'telegram', proof: 'telegram_id' },
      ],
    },
    decision: { decision: 'CONTINUE', policy_token: expect.any(String) },
  })
  await allClosed(cards, /ada and bo.* answered .*YES/)
})

test('a NO on Telegram ends it against a YES on Slack, and everybody’s copy is closed', async () => {
  const cards = await ask()
  await person.press(workspace.people.owner, cards.ada, 'YES')
  await boPresses(cards, 'No')
  expect((await lane.outcome('ship')).json).toMatchObject({
    answer: { parsed_choice: 'NO', votes: [{ choice: 'YES' }, { answered_by: 'bo', choice: 'NO' }] },
    decision: { decision: 'HALT' },
  })
  expect(await of('POLICY_TOKEN_ISSUED')).toEqual([])
  await allClosed(cards, /bo.* answered .*NO/)
})

test('who votes twice is told that the vote stands, and has one', async () => {
  const cards = await ask()
  await boPresses(cards, 'Yes')
  await boHears('Recorded: YES. 1 of 2 have said YES; one more is needed.')
  await boPresses(cards, 'No')
  await boHears('Your vote was counted before, and it stands.')
  expect((await of('INBOUND_REPLY_REJECTED')).map(({ body }) => body.reason)).toEqual(['already_voted'])
  expect(await seen()).toMatchObject({ state: 'partial', tally: { need: 2, yes: 1, no: 0 } })
})

test('withdrawn after one vote, everybody’s copy is closed and the vote is good for nothing', async () => {
  const cards = await ask()
  await person.press(workspace.people.owner, cards.ada, 'YES')
  const { status } = await lane.call('POST', '/v1/requests/ship/withdraw', { body: { reason: 'not now' } })
  expect(status).toBe(200)
  expect(await seen()).toMatchObject({
    state: 'withdrawn',
    answer: null,
    so_far: { votes: [{ answered_by: 'ada' }] },
  })
  expect(await of('POLICY_TOKEN_ISSUED')).toEqual([])
  await allClosed(cards, /It was withdrawn/)
})
