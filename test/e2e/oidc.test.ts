// Signing in by a real OpenID provider (oidc-provider), over HTTP, with a browser's cookies kept by hand.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEDGER_FILE } from '../../src/ledger/sqlite/open.js'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { freePort } from '../port.js'
import { Browser as AnyBrowser, type Provider, startProvider } from './provider.js'

let lane: LaneUnderTest
let provider: Provider
const config = `
recipients:
  ann: { name: Ann, web: true, oidc: ann-sub }
  bo: { name: Bo, web: true }
`

beforeAll(async () => {
  const port = await freePort()
  // Every account has the same address: nothing may hang on it.
  provider = await startProvider(`http://127.0.0.1:${port}`, () => ({
    email: 'ann@example.org',
    email_verified: true,
  }))
  lane = await startLane({ config, env: { PORT: String(port), ...provider.env } })
})
afterAll(async () => {
  await lane.close()
  await provider.close()
})

class Browser extends AnyBrowser {
  constructor() {
    super(lane.url)
  }
}

test('a person whose `sub` is in the configuration is signed in, and led to where they wanted to go', async () => {
  const browser = new Browser()
  const back = await browser.signInAs('ann-sub', '/console/requests/ship-1')
  const signed = await browser.go(back)
  expect([signed.status, signed.headers.get('location')]).toEqual([303, '/console/requests/ship-1'])
  expect(browser.hasSession).toBe(true)
  const led = await browser.go(`${lane.url}/console`)
  expect(led.headers.get('location')).toBe('/console/inbox')
  // The same answer of the provider once more: it was used.
  expect((await browser.go(back)).status).toBe(403)
})

test('a stranger with the same address, and another `sub`, is nobody', async () => {
  const browser = new Browser()
  const signed = await browser.go(await browser.signInAs('someone-else'))
  expect([signed.status, browser.hasSession]).toEqual([403, false])
})

test('an answer of the provider that another browser fetched signs nobody in', async () => {
  const [thief, victim] = [new Browser(), new Browser()]
  const back = await thief.signInAs('ann-sub')
  expect([(await victim.go(back)).status, victim.hasSession]).toEqual([403, false])
  // Also if the victim has begun a sign-in of their own.
  await victim.go(`${lane.url}/console/oidc/start`)
  expect([(await victim.go(back)).status, victim.hasSession]).toEqual([403, false])
})

test('a state, a code or an issuer that was changed on the way signs nobody in', async () => {
  for (const [name, value] of [
    ['state', 'another'],
    ['code', 'another'],
    ['iss', 'https://evil.example'],
  ] as const) {
    const browser = new Browser()
    const back = new URL(await browser.signInAs('ann-sub'))
    back.searchParams.set(name, value)
    expect([name, (await browser.go(back.href)).status, browser.hasSession]).toEqual([name, 403, false])
  }
})

test('what the provider says of somebody, with another signature than the provider’s, signs nobody in', async () => {
  const browser = new Browser()
  provider.isForged = true
  try {
    const back = await browser.signInAs('ann-sub')
    expect([(await browser.go(back)).status, browser.hasSession]).toEqual([403, false])
  } finally {
    provider.isForged = false
  }
  expect((await browser.go(await browser.signInAs('ann-sub'))).status).toBe(303)
})

test('a stranger who begins and comes back, vouched for or not, leaves nothing in the store', async () => {
  const db = new Sqlite(join(lane.dataDir, LEDGER_FILE), { readonly: true })
  try {
    const kept = () => db.prepare('SELECT count(*) FROM claims').pluck().get()
    const before = [kept(), (await lane.ledger()).length]
    for (let time = 0; time < 5; time++) {
      const browser = new Browser()
      expect((await browser.go(await browser.signInAs('someone-else'))).status).toBe(403)
      // Without the provider, by an answer of their own making.
      const made = new Browser()
      const at = new URL((await made.go(`${lane.url}/console/oidc/start`)).headers.get('location') ?? '')
      const state = at.searchParams.get('state') ?? ''
      const back = `${lane.url}/console/oidc/callback?code=made-up&state=${state}&iss=${encodeURIComponent(provider.issuer)}`
      expect((await made.go(back)).status).toBe(403)
    }
    expect([kept(), (await lane.ledger()).length]).toEqual(before)
  } finally {
    db.close()
  }
})

test('a callback used again, with the cookie that the browser was told to forget, signs nobody in', async () => {
  const browser = new Browser()
  const back = await browser.signInAs('ann-sub')
  const flow = browser.cookie('lane-session-oidc')
  expect((await browser.go(back)).status).toBe(303)
  const again = new Browser()
  again.keep('lane-session-oidc', flow)
  expect([flow === '', (await again.go(back)).status, again.hasSession]).toEqual([false, 403, false])
})

test('an open redirect: nobody is led out of the console', async () => {
  for (const evil of ['https://evil.example', '//evil.example', '/v1/keys']) {
    const browser = new Browser()
    const signed = await browser.go(await browser.signInAs('ann-sub', encodeURIComponent(evil)))
    expect(signed.headers.get('location')).toBe('/console/inbox')
  }
})

test('who leaves the configuration is signed out, and cannot come back', async () => {
  const browser = new Browser()
  await browser.go(await browser.signInAs('ann-sub'))
  expect((await browser.go(`${lane.url}/console`)).headers.get('location')).toBe('/console/inbox')
  await lane.stop()
  const env = { PORT: new URL(lane.url).port, ...provider.env }
  lane = await startLane({
    config: 'recipients: { bo: { name: Bo, web: true } }\n',
    env,
    dataDir: lane.dataDir,
    owned: true,
    keys: lane,
  })
  expect((await browser.go(`${lane.url}/console`)).headers.get('location')).toBe('/console/sign-in')
  expect((await browser.go(await browser.signInAs('ann-sub'))).status).toBe(403)
})
