// The door before a passkey: who is named a challenge, and what a page says to somebody whose session is not enough.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, approval, type LaneUnderTest, question } from '../lane-under-test.js'
import { asPerson, signedIn } from '../session/signed-in.js'
import type { Credential } from './authenticator.js'
import { confirm, startWithPasskeys } from './enrolled.js'

const CONFIG = `
recipients:
  operator: { name: Operator, web: true }
  second: { name: Second person, web: true }
actions:
  PUBLISH: { approvers: [operator, second], proofs: [passkey] }
questions: { proofs: [passkey] }
`
let lane: LaneUnderTest
let passkey: Credential
let origin: string
beforeAll(async () => {
  const started = await startWithPasskeys(CONFIG, ['operator'])
  lane = started.lane
  passkey = started.passkeys.operator as Credential
  origin = `http://localhost:${new URL(lane.url).port}`
  await lane.submit(approval('ship'))
})
afterAll(() => lane.close())

type Sent = Readonly<Record<string, string>>
const fieldIn = (page: Answer, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''

const post = (path: string, headers: Sent, fields: Sent): Promise<Answer> =>
  lane.call('POST', path, {
    key: null,
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: new URL(origin).host, ...headers },
  })

/** The operator's page, and the form as it stands there. */
async function opened(id: string): Promise<{ readonly cookie: Sent; readonly form: Sent }> {
  const cookie = await asPerson(lane)
  const page = await lane.call('GET', `/console/requests/${id}`, {
    key: null,
    headers: { ...cookie, host: new URL(origin).host },
  })
  return { cookie, form: { reply: 'YES', csrf: fieldIn(page, 'csrf'), display: fieldIn(page, 'display') } }
}
const PATH = '/console/requests/ship/challenge'

test('a challenge is named to the person whose request it is, and is another each time', async () => {
  const { cookie, form } = await opened('ship')
  const before = (await lane.story('ship')).length
  const named = await Promise.all([1, 2].map(() => post(PATH, { ...cookie, origin }, form)))
  expect(named.map(({ status }) => status)).toEqual([200, 200])
  expect(named[0]?.json).toMatchObject({ host: 'localhost', credentials: [passkey.credential_id] })
  expect(named[0]?.json.challenge).not.toBe(named[1]?.json.challenge)
  expect(named[0]?.headers.get('cache-control')).toBe('no-store')
  // Naming it has decided and recorded nothing.
  expect((await lane.story('ship')).length).toBe(before)
})

test('none is named to a page of another origin, to a form of another session, to a stranger, or for another display', async () => {
  const { cookie, form } = await opened('ship')
  const told = async (headers: Sent, fields: Sent, path = PATH): Promise<readonly unknown[]> => {
    const { status, json } = await post(path, headers, fields)
    return [status, json.code]
  }
  expect(await told({ ...cookie, origin: 'https://evil.example' }, form)).toEqual([403, 'foreign_origin'])
  expect(await told(cookie, form)).toEqual([403, 'foreign_origin'])
  expect(await told({ ...(await asPerson(lane)), origin }, form)).toEqual([403, 'csrf_mismatch'])
  expect((await post(PATH, { origin }, form)).status).toBe(303)
  const other = { ...form, display: `sha256:${'0'.repeat(64)}` }
  expect(await told({ ...cookie, origin }, other)).toEqual([409, 'changed'])
  expect(await told({ ...cookie, origin }, { ...form, reply: 'perhaps' })).toEqual([
    422,
    'reply_not_in_schema',
  ])
  expect(await told({ ...cookie, origin }, { ...form, more: '1' })).toEqual([400, 'malformed_form'])
  expect(await told({ ...cookie, origin }, form, '/console/requests/none/challenge')).toEqual([
    404,
    'not_found',
  ])
  await lane.submit(question('theirs'), { recipients: ['operator'] })
  const second = await asPerson(lane, 'second')
  const page = await lane.call('GET', '/console/passkeys', {
    key: null,
    headers: { ...second, host: new URL(origin).host },
  })
  const csrf = fieldIn(page, 'csrf')
  expect(await told({ ...second, origin }, { ...form, csrf }, '/console/requests/theirs/challenge')).toEqual([
    404,
    'not_found',
  ])
})

test('an operator’s session is named none and answers nothing', async () => {
  const { json } = await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })
  const { cookie } = await signedIn(lane, { kind: 'operator', key_id: String(json.key_id) })
  const { form } = await opened('ship')
  for (const path of [PATH, '/console/requests/ship'])
    expect((await post(path, { cookie, origin }, form)).status).toBe(404)
})

test('a session alone is refused with a sentence that says what is enough, and a GET names nothing', async () => {
  const { cookie, form } = await opened('ship')
  const plain = await post('/console/requests/ship', { ...cookie, origin }, form)
  expect(plain.status).toBe(403)
  expect(plain.text).toContain('This request must be confirmed with a passkey, and nothing less is enough.')
  const flawed = await post('/console/requests/ship', { ...cookie, origin }, { ...form, ticket: 'none' })
  expect(flawed.status).toBe(403)
  expect(flawed.text).toContain('No passkey of yours has confirmed this answer within five minutes')
  const looked = await lane.call('GET', PATH, { key: null, headers: cookie })
  expect(looked.status).toBe(404)
  const reasons = (await lane.story('ship'))
    .filter(({ type }) => type === 'INBOUND_REPLY_REJECTED')
    .map(({ body }) => body.reason)
  expect(reasons).toEqual(['proof_insufficient', 'sender_unauthenticated'])
})

test('what it confirms is recorded, and once: a page come back to is told how it ended', async () => {
  expect((await confirm(lane, 'ship', 'operator', passkey, { reply: 'NO' })).status).toBe(303)
  expect((await lane.outcome('ship')).json).toMatchObject({
    answer: { parsed_choice: 'NO', proof: 'passkey' },
  })
  const again = await confirm(lane, 'ship', 'operator', passkey, { reply: 'YES' })
  expect(again.status).toBe(409)
})
