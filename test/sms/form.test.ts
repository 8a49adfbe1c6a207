// A form by text message: lines, and the code once, at the end of the message; a part now, the rest later, and every line
// that is not taken is told by name.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countSegments } from '../../adapters/sms/segments.js'
import type { Front } from '../contract/front.js'
import { type Entry, type LaneUnderTest, question } from '../lane-under-test.js'
import { until } from '../until.js'
import { codeIn, type Message, OWNER, type Provider, spokenIn } from './provider.js'
import { raise, type Scene } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, sms: "${OWNER}", web: true, channels: [sms, web] }
actions:
  PUBLISH: { approvers: [owner], proofs: [sms_from] }
forms: { proofs: [sms_from] }
questions: { proofs: [sms_from] }
outbox: on
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`
const FORM = {
  kind: 'form',
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
  ],
}

let front: Front
let provider: Provider
let lane: LaneUnderTest
let close: Scene['close']
beforeEach(async () => {
  ;({ front, provider, lane, close } = await raise(CONFIG))
})
afterEach(() => close())

const bodies = async (type: string): Promise<Entry['body'][]> =>
  (await lane.story('f')).filter(entry => entry.type === type).map(({ body }) => body)
const seen = async () => (await lane.call('GET', '/v1/requests/f')).json

async function ask(reply_schema: object = FORM): Promise<Message> {
  const { status, text } = await lane.submit(question('f', { reply_schema }), { recipients: ['owner'] })
  if (status !== 201) throw new Error(text)
  const message = await until('a message', async () => (await provider.messages())[0])
  await until('its sending', async () => (await bodies('OUTBOUND_REQUEST_SENT')).length)
  return message
}
/** Sends the words with the code, and gives what the person is told. */
async function say(words: string, { body }: Message): Promise<string | null> {
  await provider.text(OWNER, `${words} ${codeIn(body)}`)
  return spokenIn(front.passages.at(-1)?.answer ?? '')
}

test('is answered by a line, then by the other, with the same code: the person hears what is missing', async () => {
  const message = await ask()
  expect(message.body).toMatch(/1\. Ship release 9\n[\s\S]*2\. To whom\nA = all[\s\S]*End with \w{7}/)
  expect(countSegments(message.body).segments).toBeLessThanOrEqual(6)
  expect(await say('d1 no: wrong customer', message)).toBe(
    'Recorded: 1 decision, 0 approved, 1 refused. Still to be answered: d2.',
  )
  expect(await seen()).toMatchObject({
    state: 'partial',
    answer: null,
    so_far: {
      decisions: [{ decision_id: 'd1', approved: false, comment: 'wrong customer', proof: 'sms_from' }],
      missing: ['d2'],
    },
  })
  expect(await say('D2 b', message)).toBe('Recorded: 1 decision')
  expect((await lane.outcome('f')).json).toMatchObject({
    state: 'answered',
    answer: { channel: 'sms', parsed_payload: { decisions: [{ approved: false }, { selected: 'few' }] } },
  })
})

test('is answered whole by two lines and one code behind them', async () => {
  const message = await ask()
  expect(await say('d1 yes\r\nd2 a', message)).toBe('Recorded: 2 decisions, 1 approved, 0 refused')
  expect(await bodies('HUMAN_REPLY_EVENT')).toHaveLength(1)
})

test('takes no line of a message with one that is not understood, and names each of those', async () => {
  const message = await ask()
  expect(await say('d1 yes\nd2 perhaps\nd9 yes', message)).toMatch(
    /^Not understood: "d2 perhaps", "d9 yes"\. For d2: one letter.* End with the code of the message\.$/,
  )
  expect(await seen()).toMatchObject({ state: 'pending' })
  expect(await bodies('HUMAN_REPLY_EVENT')).toEqual([])
})

test.each([
  ['d1 YES: if it is green', 'reply_not_in_schema', /^Not understood: "d1 YES: if it is green"\. For d1: /],
  ['d1 yes: but', 'reply_not_in_schema', /^Not understood: "d1 yes: but"\. For d1: /],
  ['d1 no', 'reason_missing', /^A reason is missing: "d1 no"\. For d1: YES, or NO with its reason/],
  ['yes', 'reply_not_in_schema', /^Not understood: "yes"\. Reply with a line for each decision/],
])('does not take %j: %s', async (words, reason, told) => {
  const message = await ask()
  expect(await say(words, message)).toMatch(told)
  expect((await bodies('INBOUND_REPLY_REJECTED')).map(body => body.reason)).toEqual([reason])
  expect(await seen()).toMatchObject({ state: 'pending' })
})

test('names the decision that was answered already, and what is open', async () => {
  const message = await ask()
  await say('d1 yes', message)
  expect(await say('d1 no: too early\nd2 a', message)).toBe(
    'Answered already: "d1". Still open: d2. End with the code of the message.',
  )
  expect(await seen()).toMatchObject({ state: 'partial', so_far: { missing: ['d2'] } })
})

test('that one message does not hold is refused at the door where nothing else would do', async () => {
  const decisions = Array.from({ length: 20 }, (_, at) => ({
    id: `d${at + 1}`,
    type: 'approval',
    prompt: `Ship part ${at + 1} of the release to everybody who is waiting for it`,
    required: true,
  }))
  const { status, text } = await lane.submit(question('f', { reply_schema: { kind: 'form', decisions } }), {
    recipients: ['owner'],
  })
  // Nobody asked could see all of it and answer by a proof that is enough: refused before anybody is asked.
  expect([status, JSON.parse(text).code]).toEqual([422, 'cannot_be_shown'])
  expect(await provider.messages()).toEqual([])
})
