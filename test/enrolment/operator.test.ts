// A passkey by an operator's word, for somebody whom no channel vouches for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passkey } from '../../src/cli/recipient-passkeys.js'
import { type ListedPasskey, named } from '../../src/enrolment/listing.js'
import { terminal } from '../cli/terminal.js'
import { CONFIG, type LaneUnderTest, startLane } from '../lane-under-test.js'
import { type Credential, makeCredential } from '../passkey/authenticator.js'
import { freePort } from '../port.js'
import { asPerson } from '../session/signed-in.js'
import { until } from '../until.js'
import { fingerprint, Visitor } from './scene.js'

let lane: LaneUnderTest
let origin: string
let at: { readonly PORT: string; readonly PUBLIC_URL: string }
const stranger = () => new Visitor(() => lane, origin)
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  at = { PORT: String(port), PUBLIC_URL: origin }
  lane = await startLane({ env: at })
})
afterAll(() => lane.close())

const invite = async (user = 'second', key = lane.operatorKey) => {
  const { status, json } = await lane.call('POST', `/v1/recipients/${user}/passkeys`, { key })
  const url = typeof json.url === 'string' ? new URL(json.url) : null
  return { status, json, path: url === null ? '' : `${url.pathname}${url.search}` }
}
const entries = async (...types: string[]) =>
  (await lane.ledger()).filter(({ type }) => types.includes(type)).map(({ type, body }) => ({ type, body }))

/** The questions by which people are told of passkeys. */
const notices = async () =>
  (await lane.ledger()).filter(
    ({ type, request_id }) => type === 'REQUEST_OPENED' && request_id?.startsWith('passkey-notice-'),
  )
const isAbout = (body: unknown, one: Credential) => JSON.stringify(body).includes(fingerprint(one))
const isOfRevocation = (body: unknown) => JSON.stringify(body).includes('was taken back. Do you know of it?')
/** Waits for the one that says that this passkey was taken back. */
const told = (one: Credential) =>
  until('the notice', async () =>
    (await notices()).find(({ body }) => isAbout(body, one) && isOfRevocation(body)),
  )

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

test('an operator lists passkeys and takes one back: it signs nobody in, its sessions are over, its person is told', async () => {
  const credential = makeCredential()
  await stranger().make(credential, (await invite()).path)
  const { cookie } = await stranger().signIn(credential)
  const inside = new Visitor(() => lane, origin, cookie)
  expect((await inside.open('/console/inbox')).status).toBe(200)
  const listed = await lane.call('GET', '/v1/recipients/second/passkeys', { key: lane.operatorKey })
  const items = listed.json.items as readonly Record<string, unknown>[]
  expect(items.at(-1)).toEqual({
    user_id: 'second',
    credential: fingerprint(credential),
    credential_hash: credential.credential_hash,
    by: 'operator',
    registered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
  const take = (name: string, key = lane.operatorKey, user = 'second') =>
    lane.call('DELETE', `/v1/recipients/${user}/passkeys/${encodeURIComponent(name)}`, { key })
  expect((await take(fingerprint(credential), lane.agentKey)).status).toBe(403)
  const taken = await take(fingerprint(credential).slice(0, 9))
  expect([taken.status, taken.json]).toEqual([
    200,
    {
      user_id: 'second',
      credential: fingerprint(credential),
      credential_hash: credential.credential_hash,
      passkey: 'revoked',
      channels: ['web'],
    },
  ])
  const notice = await told(credential)
  expect(notice.body.recipients).toEqual([{ user_id: 'second', channels: ['web'], route: 'all' }])
  expect((await lane.link(String(notice.request_id), 'second')).user_id).toBe('second')
  const { json: self } = await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })
  expect((await entries('OPERATOR_ACTED', 'PASSKEY_REVOKED')).slice(-2)).toEqual([
    { type: 'OPERATOR_ACTED', body: { deed: 'passkey_revoked', about: 'second', by: self.key_id } },
    {
      type: 'PASSKEY_REVOKED',
      body: { user_id: 'second', credential_hash: credential.credential_hash, by: 'operator' },
    },
  ])
  expect((await inside.open('/console/inbox')).to).toContain('/console/sign-in')
  expect((await stranger().signIn(credential)).status).toBe(403)
  // By name, each refusal says what would do.
  const gone = await take(fingerprint(credential))
  expect([gone.status, gone.json.code]).toEqual([404, 'not_found'])
  expect(String(gone.json.detail)).toContain(String(items[0]?.credential))
  const odd = await take('zz')
  expect([odd.status, odd.json.code, String(odd.json.detail)]).toEqual([
    422,
    'invalid_request',
    'A passkey is named by at least the first four characters of a passkey, such as 1a2b-3c4d.',
  ])
  expect((await take('1a2b', lane.operatorKey, 'nobody')).status).toBe(404)
  const nobody = await lane.call('GET', '/v1/recipients/nobody/passkeys', { key: lane.operatorKey })
  expect(nobody.status).toBe(404)
})

test('an operator is told on which channels its person learns that a passkey was taken back, or that none reaches them', async () => {
  const take = async ({ credential_hash }: Credential) => {
    const shell = terminal({ LANE_URL: lane.url, LANE_API_KEY: lane.operatorKey })
    const code = await passkey(['second', '--revoke', credential_hash], shell)
    return [code, shell.out(), shell.err()]
  }
  const [reached, left] = [makeCredential(), makeCredential()]
  for (const one of [reached, left]) await stranger().make(one, (await invite()).path)
  expect(await take(reached)).toEqual([
    0,
    `${fingerprint(reached)} of second was taken back, and they are told of it on web\n`,
    '',
  ])
  await told(reached)
  const { dataDir, agentKey, operatorKey } = lane
  await lane.stop()
  const config = CONFIG.replace(/^ {2}second: .*\n/m, '').replace(', second]', ']')
  lane = await startLane({ config, env: at, dataDir, owned: true, keys: { agentKey, operatorKey } })
  expect(await take(left)).toEqual([
    0,
    `${fingerprint(left)} of second was taken back, and nobody is told of it, because no channel reaches them\n`,
    '',
  ])
  expect((await notices()).filter(({ body }) => isAbout(body, left) && isOfRevocation(body))).toEqual([])
})

test('a beginning that several passkeys share takes none of them back', () => {
  const of = (digits: string): ListedPasskey => ({
    user_id: 'second',
    credential: digits,
    credential_hash: `sha256:${digits.replaceAll('-', '').padEnd(64, '0')}`,
    by: 'person',
    registered_at: null,
  })
  const [one, other] = [of('1a2b-3c4d'), of('1a2b-9c4d')]
  const both = [one, other]
  expect(named(both, '1a2b')).toEqual(both)
  expect(named(both, '1A2B-3')).toEqual([one])
  expect(named(both, other.credential_hash)).toEqual([other])
  expect(named(both, 'ffff')).toEqual([])
  for (const odd of ['', '1a2', '%', 'sha256:', '----', `${'0'.repeat(65)}`])
    expect(named(both, odd)).toBeNull()
})
