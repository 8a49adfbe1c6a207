// Who was forwarded a mail of the lane's has its text, and so the address of its answers and its marker. Both are put into
// another mail, which the addressee answers with a plain "Yes", signed by their own domain: it answers nothing here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, review } from '../lane-under-test.js'
import { until } from '../until.js'
import { addressIn, message, OWNER, replyTo } from './correspondent.js'
import type { Letter, PostOffice } from './post-office.js'
import { hmac, raise, type Scene } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, email: ${OWNER} }
actions:
  PUBLISH: { approvers: [owner] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`
const TYPES = [
  ['question', question],
  ['review', review],
  ['approval', approval],
] as const

let office: PostOffice
let lane: LaneUnderTest
let close: Scene['close']
beforeAll(async () => {
  ;({ office, lane, close } = await raise(CONFIG))
})
afterAll(() => close())

let count = 0
type Making = (typeof TYPES)[number][1]
async function ask(make: Making): Promise<{ readonly id: string; readonly letter: Letter }> {
  const id = `forwarded-${++count}`
  expect((await lane.submit(make(id), { recipients: ['owner'] })).status).toBe(201)
  const letter = await until(`the mail of ${id}`, async () =>
    (await office.requests()).find(one => one.email.subject?.endsWith(`[${id}]`)),
  )
  return { id, letter }
}

async function deliver(mail: string): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = hmac(`${timestamp}.${mail}`)
  const headers = { 'x-lane-timestamp': timestamp, 'x-lane-signature': signature }
  const type = { 'content-type': 'message/rfc822' }
  expect(
    await lane.call('POST', '/hooks/email/raw', { key: null, raw: mail, headers: { ...headers, ...type } }),
  ).toMatchObject({ status: 200 })
}

const state = async (id: string): Promise<unknown> =>
  (await lane.call('GET', `/v1/requests/${id}`)).json.state
const reasons = async (id: string): Promise<unknown[]> =>
  (await lane.story(id)).flatMap(({ type, body }) => (type === 'INBOUND_REPLY_REJECTED' ? [body.reason] : []))

const marker = ({ email }: Letter): string => email.text?.split('\n')[0] ?? ''
/** The addressee's own answer to somebody's question about lunch, in whose small print our marker stood. */
const lunch = (letter: Letter, headers: readonly string[]): string =>
  message({
    from: OWNER,
    to: addressIn(letter.header('reply-to')),
    subject: 'Re: Lunch?',
    text: `Yes\n\nOn Mon, 16 Nov 2026 at 12:00, Eve <eve@elsewhere.test> wrote:\n> Lunch?\n> ${marker(letter)}`,
    headers: [...headers, 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8'],
  })

describe.each(TYPES)('a forwarded %s', (_type, make) => {
  test.each([
    ['in In-Reply-To', ['In-Reply-To: <lunch@elsewhere.test>']],
    ['in References', ['References: <lunch@elsewhere.test>']],
  ])('is not answered by a "Yes" to lunch that names the other mail %s', async (_where, headers) => {
    const { id, letter } = await ask(make)
    await deliver(lunch(letter, headers))
    expect([await reasons(id), await state(id)]).toEqual([['sender_unauthenticated'], 'pending'])
  })

  test('is not answered by one in a thread that the mail which asked began', async () => {
    const { id, letter } = await ask(make)
    const theirs = '<lunch@elsewhere.test>'
    await deliver(
      lunch(letter, [`In-Reply-To: ${theirs}`, `References: ${letter.header('message-id')} ${theirs}`]),
    )
    expect([await reasons(id), await state(id)]).toEqual([['sender_unauthenticated'], 'pending'])
  })

  test('is answered by the addressee’s reply to the mail itself', async () => {
    const { id, letter } = await ask(make)
    await deliver(replyTo(letter, OWNER, 'YES'))
    expect((await lane.outcome(id)).json).toMatchObject({ answer: { parsed_choice: 'YES', proof: 'dmarc' } })
  })
})

describe('a mail that names none it answers, and quotes ours', () => {
  test('gives no approval, and its sender is told why', async () => {
    const { id, letter } = await ask(approval)
    await deliver(lunch(letter, []))
    expect([await reasons(id), await state(id)]).toEqual([['proof_insufficient'], 'pending'])
    const notice = (await office.notices()).find(one => one.email.subject?.endsWith(`[${id}]`))
    expect(notice?.email.text).toContain('left out which mail you answer')
  })

  test.each([
    ['question', question],
    ['review', review],
  ] as const)('answers a %s', async (_type, make) => {
    const { id, letter } = await ask(make)
    await deliver(replyTo(letter, OWNER, 'YES').replace(/^In-Reply-To: .*\r\n/m, ''))
    expect((await lane.outcome(id)).json).toMatchObject({ answer: { parsed_choice: 'YES', proof: 'dmarc' } })
  })
})

test('a mail that its server renamed is answered under that name, and under no other server’s', async () => {
  const renamed = '<DB9.Renamed@EURPRD.prod.example>'
  office.mood = { kind: 'rename', id: renamed }
  const { id, letter } = await ask(approval)
  office.mood = { kind: 'kind' }
  await until('it stands', async () =>
    (await lane.story(id)).some(({ type }) => type === 'OUTBOUND_REQUEST_SENT'),
  )
  await deliver(replyTo(letter, OWNER, 'YES', { inReplyTo: renamed.replace('DB9', 'DB8') }))
  expect([await reasons(id), await state(id)]).toEqual([['sender_unauthenticated'], 'pending'])
  await deliver(replyTo(letter, OWNER, 'YES', { inReplyTo: renamed }))
  expect((await lane.outcome(id)).json).toMatchObject({ answer: { parsed_choice: 'YES', proof: 'dmarc' } })
})
