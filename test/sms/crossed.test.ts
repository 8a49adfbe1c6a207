// Codes in the wrong place, for the wrong request and more than one: a message answers by one code, at its end, and only
// what that code asks.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LaneUnderTest, question } from '../lane-under-test.js'
import { until } from '../until.js'
import { codeIn, DEPUTY, OWNER, type Provider } from './provider.js'
import { raise, type Scene } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, sms: "${OWNER}", web: true, channels: [sms, web], delegates: [deputy] }
  deputy: { name: Deputy, sms: "${DEPUTY}", channels: [sms] }
forms: { proofs: [sms_from], approvers: [owner, deputy] }
questions: { proofs: [sms_from] }
outbox: on
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`
const FORM = {
  kind: 'form',
  decisions: [
    { id: 'd1', type: 'approval', prompt: 'Ship release 9', required: true },
    { id: 'd2', type: 'text', prompt: 'A word', required: true },
  ],
}
const TEXT = { kind: 'text', max_chars: 80 }

let provider: Provider
let lane: LaneUnderTest
let close: Scene['close']
beforeEach(async () => {
  ;({ provider, lane, close } = await raise(CONFIG))
})
afterEach(() => close())

let count = 0
async function ask(
  reply_schema: object,
  to = 'owner',
): Promise<{ readonly id: string; readonly code: string }> {
  const id = `crossed-${++count}`
  const before = (await provider.messages()).length
  const { status, text } = await lane.submit(question(id, { reply_schema }), { recipients: [to] })
  if (status !== 201) throw new Error(text)
  const message = await until('a message', async () => (await provider.messages())[before])
  await until('its sending', async () => (await story(id, 'OUTBOUND_REQUEST_SENT')).length)
  return { id, code: codeIn(message.body) }
}
const story = async (id: string, type: string) =>
  (await lane.story(id)).filter(entry => entry.type === type).map(({ body }) => body)
const reasons = async (id: string) => (await story(id, 'INBOUND_REPLY_REJECTED')).map(({ reason }) => reason)
const replies = async (id: string) =>
  (await story(id, 'HUMAN_REPLY_EVENT')).map(({ parsed_payload }) => parsed_payload)

describe('the lines of a form', () => {
  test.each<[string, (code: string) => string]>([
    ['with the code behind the first', code => `d1 yes ${code}\nd2 fine`],
    ['with the code on a line between', code => `d1 yes\n${code}\nd2 fine`],
    ['with the code above', code => `${code}\nd1 yes\nd2 fine`],
    ['with the code behind each', code => `d1 yes ${code}\nd2 fine ${code}`],
    ['with the code behind a text, too', code => `d2 fine ${code}\nd1 yes ${code}`],
    ['with the code within a text, too', code => `d2 fine, ${code.toLowerCase()}. Go\nd1 yes ${code}`],
    ['with the code twice at the end', code => `d1 yes ${code} ${code}`],
    ['with words behind the code', code => `d1 yes\nd2 fine ${code}\nbut only on Monday`],
    ['with a word glued to the code', code => `d1 yes\nd2 fine ${code},thanks`],
    ['with handing on below', code => `d1 yes\nDELEGATE deputy ${code}`],
    ['with handing on above', code => `DELEGATE deputy\nd1 yes ${code}`],
  ])('%s: none is taken', async (_, words) => {
    const { id, code } = await ask(FORM)
    await provider.text(OWNER, words(code))
    expect([await replies(id), await story(id, 'REQUEST_DELEGATED')]).toEqual([[], []])
  })
})

describe('two requests', () => {
  test('a line of one under the code of the other answers neither', async () => {
    const form = await ask(FORM)
    const other = await ask({ kind: 'yes_no' })
    await provider.text(OWNER, `d1 yes ${other.code}`)
    await provider.text(OWNER, `yes ${form.code}`)
    expect([await replies(form.id), await replies(other.id)]).toEqual([[], []])
    expect([await reasons(form.id), await reasons(other.id)]).toEqual([
      ['reply_not_in_schema'],
      ['reply_not_in_schema'],
    ])
  })
  test('one answer with the codes of both answers neither', async () => {
    const one = await ask({ kind: 'yes_no' })
    const other = await ask({ kind: 'yes_no' })
    await provider.text(OWNER, `yes ${one.code} ${other.code}`)
    await provider.text(OWNER, `yes ${one.code}\nno ${other.code}`)
    expect([await replies(one.id), await replies(other.id)]).toEqual([[], []])
  })
  test('words for one that end with another’s code before their own are no answer', async () => {
    const one = await ask(TEXT)
    const other = await ask(TEXT)
    await provider.text(OWNER, `Ship it ${one.code} ${other.code}`)
    expect([await replies(one.id), await replies(other.id)]).toEqual([[], []])
  })
  test('the code of somebody else’s request is nobody’s from here', async () => {
    const theirs = await ask({ kind: 'yes_no' }, 'deputy')
    await provider.text(OWNER, `yes ${theirs.code}`)
    expect([await replies(theirs.id), await reasons(theirs.id)]).toEqual([[], []])
  })
})

describe('DELEGATE', () => {
  test('with the code hands on what it names, once, and the code is no use any more', async () => {
    const { id, code } = await ask(FORM)
    await provider.text(OWNER, `DELEGATE deputy ${code}`)
    expect(await story(id, 'REQUEST_DELEGATED')).toMatchObject([
      { from: 'owner', to: 'deputy', proof: 'sms_from' },
    ])
    await provider.text(OWNER, `d1 yes\nd2 fine ${code}`)
    await provider.text(OWNER, `DELEGATE deputy ${code}`)
    expect(await reasons(id)).toEqual(['delegated_away', 'delegated_away'])
    await provider.text(DEPUTY, `d1 yes\nd2 fine ${code}`)
    expect(await replies(id)).toEqual([])
    expect(await story(id, 'REQUEST_DELEGATED')).toHaveLength(1)
  })
  test.each(['DELEGATE deputy', 'DELEGATE owner', 'DELEGATE nobody', 'DELEGATE deputy please'])(
    '%s hands nothing on without its code, to oneself, to a stranger or with words behind',
    async words => {
      const { id, code } = await ask(FORM)
      await provider.text(OWNER, words === 'DELEGATE deputy' ? words : `${words} ${code}`)
      expect(await story(id, 'REQUEST_DELEGATED')).toEqual([])
    },
  )
})
