// A signing key that others may have: what it signed is worth nothing from the moment it is revoked, and nobody who was asked
// is left with a copy that cannot be answered.
import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { machineClock } from '../../src/clock.js'
import { openSecret } from '../../src/keys/secret.js'
import { keepKeyring } from '../../src/keys/signing.js'
import type { SealKey } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { openSealKey } from '../../src/token/keyring.js'
import { approval, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'

let lane: LaneUnderTest
beforeEach(async () => {
  lane = await startLane()
})
afterEach(() => lane.close())

type Jwk = { readonly kid: string; readonly purpose: string }
const jwks = async (): Promise<readonly Jwk[]> =>
  (await lane.call('GET', '/.well-known/jwks.json', { key: null })).json.keys as Jwk[]
const revoke = (kid: string, key = lane.operatorKey) =>
  lane.call('DELETE', `/v1/signing-keys/${kid}`, { key })
const signingKid = async (): Promise<string> => (await jwks()).at(-1)?.kid ?? ''
const headOf = (token: string): { kid: string } =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const freshLink = (id: string, than: string) =>
  until(`a fresh link of ${id}`, async () => {
    const link = await lane.link(id)
    return link.link !== than ? link : undefined
  })

test('the copies it signed answer nothing, a fresh one comes to each person at once, and the ledger says whose deed it was', async () => {
  await lane.submit(question('open'))
  await lane.submit(question('done'))
  await lane.answer(await lane.link('done'), 'yes')
  const old = await lane.link('open')
  const kid = await signingKid()
  const revoked = await revoke(kid)
  expect([revoked.status, revoked.json]).toEqual([200, { kid, revoked_at: expect.any(String) }])
  expect((await jwks()).map(key => key.kid)).not.toContain(kid)
  expect(await jwks()).toHaveLength(1)
  const fresh = await freshLink('open', old.link)
  const refused = await lane.answer(old, 'yes')
  expect([refused.status, refused.json.code]).toEqual([403, 'reply_rejected'])
  expect((await lane.answer(fresh, 'yes')).status).toBe(200)
  const story = await lane.story('open')
  expect(
    story.filter(({ type }) => type === 'INBOUND_REPLY_REJECTED').map(({ body }) => body.reason),
  ).toEqual(['token_unknown_key'])
  const told = story.filter(({ type }) => type === 'DELIVERY_STATUS').map(({ body }) => body)
  expect(told).toEqual([{ delivery_id: old.delivery_id, status: 'key_revoked', stands: false }])
  expect((await lane.story('done')).some(({ type }) => type === 'DELIVERY_STATUS')).toBe(false)
  const { key_id } = (await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })).json
  const entries = await lane.ledger()
  const place = entries.findIndex(({ type }) => type === 'KEY_REVOKED')
  expect(entries.slice(place, place + 2).map(({ body }) => body)).toEqual([
    { kid, by: key_id },
    { deed: 'signing_key_revoked', about: kid, by: key_id },
  ])
})

test('again, and after a restart, it is revoked since the same moment, and nobody is sent another copy', async () => {
  await lane.submit(question('open'))
  const old = await lane.link('open')
  const kid = await signingKid()
  const first = await revoke(kid)
  const fresh = await freshLink('open', old.link)
  expect((await revoke(kid)).json).toEqual(first.json)
  lane = await lane.restart()
  expect((await revoke(kid)).json).toEqual(first.json)
  await until('the fresh copy to stand', async () => {
    const [delivery] = (await lane.call('GET', '/v1/requests/open')).json.deliveries as { state: string }[]
    return delivery?.state === 'sent'
  })
  expect((await lane.link('open')).link).toBe(fresh.link)
  expect((await lane.story('open')).filter(({ type }) => type === 'DELIVERY_STARTED')).toHaveLength(2)
})

test('a copy whose attempts have run out is left as it is: the one that took its place is sent anew', async () => {
  await lane.submit(question('worn'))
  const worn = await lane.link('worn')
  for (let attempts = 0; attempts < 6; attempts++) await lane.answer(worn, 'maybe')
  const next = await freshLink('worn', worn.link)
  await revoke(await signingKid())
  const fresh = await freshLink('worn', next.link)
  expect((await lane.answer(fresh, 'yes')).status).toBe(200)
  const told = (await lane.story('worn')).filter(({ type }) => type === 'DELIVERY_STATUS')
  expect(told.map(({ body }) => body.delivery_id)).toEqual([next.delivery_id])
})

test('a revocation whose lane died before anybody was sent a fresh copy is made up for at the next start', async () => {
  await lane.submit(question('open'))
  const old = await lane.link('open')
  const kid = await signingKid()
  lane = await lane.restart(async () => {
    const store = openSqlite(lane.dataDir, machineClock)
    const secret = openSecret(lane.dataDir, null)
    store.seals.unlock(openSealKey(await store.shelf.keyring(), secret) as SealKey)
    const signing = await keepKeyring(store, secret, 0, () => undefined)
    await signing.revoke(kid, 'key-1')
    signing.stop()
    await store.ledger.close()
  })
  const answered = await lane.answer(await freshLink('open', old.link), 'yes')
  expect(answered.status).toBe(200)
})

test('an approval that is not spent has its token minted anew, with the same jti; the one before gives no right', async () => {
  await lane.submit(approval('ship'))
  await lane.answer(await lane.link('ship'), 'yes')
  const tokenOf = async (): Promise<string> => {
    const { decision } = (await lane.call('GET', '/v1/requests/ship')).json as {
      decision: { policy_token: string }
    }
    return decision.policy_token
  }
  const before = await tokenOf()
  const kid = headOf(before).kid
  await revoke(kid)
  const after = await tokenOf()
  expect(headOf(after).kid).not.toBe(kid)
  expect(claimsOf(after)).toEqual(claimsOf(before))
  const spend = (token: string) =>
    lane.call('POST', '/v1/policy-tokens/spend', {
      body: { token, action: 'PUBLISH', parameters: approval('ship').parameters, spend_id: 's-1' },
    })
  const refused = await spend(before)
  expect([refused.status, refused.json.code]).toEqual([403, 'policy_token_invalid'])
  expect((await spend(after)).status).toBe(200)
})

test('a token that somebody signs with a key that is on no ring gives nothing, under the name of a revoked one either', async () => {
  await lane.submit(approval('forged'))
  await lane.answer(await lane.link('forged'), 'yes')
  const { decision } = (await lane.call('GET', '/v1/requests/forged')).json as {
    decision: { policy_token: string }
  }
  const [head = '', body = ''] = decision.policy_token.split('.')
  await revoke(headOf(decision.policy_token).kid)
  const { privateKey } = generateKeyPairSync('ed25519')
  const token = `${head}.${body}.${sign(null, Buffer.from(`${head}.${body}`), privateKey).toString('base64url')}`
  const spent = await lane.call('POST', '/v1/policy-tokens/spend', {
    body: { token, action: 'PUBLISH', parameters: approval('x').parameters, spend_id: 's-1' },
  })
  expect([spent.status, spent.json.code]).toEqual([403, 'policy_token_invalid'])
})

test('only an operator revokes, and only a key that there is', async () => {
  const kid = await signingKid()
  expect((await revoke(kid, lane.agentKey)).json.code).toBe('scope_missing')
  expect((await revoke(kid, await lane.key('audit', 'direct'))).json.code).toBe('scope_missing')
  expect((await revoke('nobody')).status).toBe(404)
  expect((await jwks()).map(key => key.kid)).toEqual([kid])
})
