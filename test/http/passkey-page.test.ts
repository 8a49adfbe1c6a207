// What the console's page says to somebody whose passkey was taken back while their answer was on its way: over HTTP.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approval, CONFIG, type LaneUnderTest } from '../lane-under-test.js'
import type { Credential } from '../passkey/authenticator.js'
import { confirm, startWithPasskeys } from '../passkey/enrolled.js'

let lane: LaneUnderTest
let passkey: Credential
beforeAll(async () => {
  const config = CONFIG.replace('proofs: [console, link_code] }', 'proofs: [passkey] }')
  const started = await startWithPasskeys(config, ['operator'])
  lane = started.lane
  passkey = started.passkeys.operator as Credential
})
afterAll(() => lane.close())

test('an answer signed before its passkey was taken back is refused on a page that says so', async () => {
  expect((await lane.submit(approval('ship'), { recipients: [{ user_id: 'operator' }] })).status).toBe(201)
  const path = `/v1/recipients/operator/passkeys/${passkey.credential_hash}`
  const refused = await confirm(lane, 'ship', 'operator', passkey, { reply: 'YES' }, async () =>
    expect((await lane.call('DELETE', path, { key: lane.operatorKey })).status).toBe(200),
  )
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('it may have been taken back. Nothing was taken.')
  expect(refused.text).not.toContain('within five minutes')
  expect((await lane.call('GET', '/v1/requests/ship')).json.state).toBe('pending')
})
