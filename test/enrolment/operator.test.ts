// A passkey by an operator's word, for somebody whom no channel vouches for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { makeCredential } from '../passkey/authenticator.js'
import { freePort } from '../port.js'
import { asPerson } from '../session/signed-in.js'
import { Visitor } from './scene.js'

let lane: LaneUnderTest
let origin: string
const stranger = () => new Visitor(() => lane, origin)
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  lane = await startLane({ env: { PORT: String(port), PUBLIC_URL: origin } })
})
afterAll(() => lane.close())

const invite = async (user = 'second', key = lane.operatorKey) => {
  const { status, json } = await lane.call('POST', `/v1/recipients/${user}/passkeys`, { key })
  const url = typeof json.url === 'string' ? new URL(json.url) : null
  return { status, json, path: url === null ? '' : `${url.pathname}${url.search}` }
}
const entries = async (...types: string[]) =>
  (await lane.ledger()).filter(({ type }) => types.includes(type)).map(({ type, body }) => ({ type, body }))

test('is enrolled by a link of one use, recorded with its deed, and signs in', async () => {
  const { status, json, path } = await invite()
  expect([status, json.by, json.channels]).toEqual([201, 'operator', []])
  const credential = makeCredential()
  expect((await stranger().make(credential, path)).status).toBe(200)
  const { json: self } = await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })
  expect((await entries('OPERATOR_ACTED', 'PASSKEY_REGISTERED')).slice(-2)).toEqual([
    { type: 'OPERATOR_ACTED', body: { deed: 'passkey_enrolled', about: 'second', by: self.key_id } },
    {
      type: 'PASSKEY_REGISTERED',
      body: { user_id: 'second', credential_hash: credential.credential_hash, by: 'operator' },
    },
  ])
  expect((await stranger().make(makeCredential(), path)).status).toBe(422)
  const signed = await stranger().signIn(credential)
  expect([signed.status, signed.to]).toEqual([303, '/console/inbox'])
  const listed = await new Visitor(() => lane, origin, signed.cookie).open('/console/passkeys')
  expect([listed.status, listed.text.includes('enrolled by an operator')]).toEqual([200, true])
})

test('a key that was revoked meanwhile, or may not operate, enrols nobody', async () => {
  expect((await invite('second', lane.agentKey)).status).toBe(403)
  const key = await lane.key('operate')
  const { path } = await invite('second', key)
  const { json } = await lane.call('GET', '/v1/keys/self', { key })
  await lane.call('DELETE', `/v1/keys/${json.key_id}`, { key: lane.operatorKey })
  const before = (await entries('PASSKEY_REGISTERED')).length
  expect((await stranger().open(path)).status).toBe(404)
  expect((await entries('PASSKEY_REGISTERED')).length).toBe(before)
})

test('who is signed in as another person cannot use the link', async () => {
  const { path } = await invite()
  const { cookie } = await asPerson(lane, 'operator')
  expect((await new Visitor(() => lane, origin, cookie).open(path)).status).toBe(404)
})

test('somebody whom no channel vouches for makes none by themselves', async () => {
  const { cookie } = await asPerson(lane, 'second')
  const page = await new Visitor(() => lane, origin, cookie).open('/console/passkeys')
  expect([page.status, page.ticket, page.text.includes('lane recipients passkey USER')]).toEqual([
    200,
    '',
    true,
  ])
})

test('nobody who is not in the configuration is invited, and where PUBLIC_URL is a number nobody is', async () => {
  expect((await invite('nobody')).status).toBe(404)
  const number = await startLane()
  try {
    const { status, json } = await number.call('POST', '/v1/recipients/second/passkeys', {
      key: number.operatorKey,
    })
    expect([status, json.code]).toEqual([422, 'not_available'])
    const { text } = await number.call('GET', '/console/sign-in', { key: null })
    expect(text).not.toContain('id="passkey"')
  } finally {
    await number.close()
  }
})
