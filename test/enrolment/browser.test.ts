// Passkeys in a browser: Chromium with a virtual authenticator makes one, its person confirms it in Slack, and signs in
// with it. Every page on the way has no accessibility fault and does not scroll sideways.
import type { Browser, BrowserContext, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { freePort } from '../port.js'
import { asPerson } from '../session/signed-in.js'
import { raise, type Scene } from '../slack/scene.js'
import { until } from '../until.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { expectSound, UNGUARDED } from '../web/look.js'

const DEVICE = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

describe.skipIf(maySkip)(`passkeys in a browser${missing === null ? '' : ` (${missing})`}`, () => {
  let browser: Browser
  let scene: Scene
  let origin: string
  beforeAll(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    ;[browser, scene] = await Promise.all([
      launch(),
      raise({ env: { PORT: String(port), PUBLIC_URL: origin } }),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.end()
  })

  async function device(context: BrowserContext, options: object = DEVICE): Promise<Tab> {
    const tab = await context.newPage()
    const wire = await context.newCDPSession(tab)
    await wire.send('WebAuthn.enable')
    await wire.send('WebAuthn.addVirtualAuthenticator', { options: { ...DEVICE, ...options } })
    return tab
  }

  async function signedIn(context: BrowserContext, lane: LaneUnderTest = scene.lane): Promise<void> {
    const [name = '', value = ''] = (
      await asPerson(lane, lane === scene.lane ? 'owner' : 'second')
    ).cookie.split('=')
    await context.addCookies([{ name, value, url: origin }])
  }

  /** Looked at in every size and colour, on a copy without the policy that keeps the tool out. */
  async function looked(tab: Tab, name: string): Promise<void> {
    const [html, url] = [await tab.content(), tab.url()]
    const context = await browser.newContext(UNGUARDED)
    const copy = await context.newPage()
    await copy.route(url, route =>
      route.fulfill({ body: html.replaceAll(/<script>[\s\S]*?<\/script>/g, ''), contentType: 'text/html' }),
    )
    await copy.goto(url)
    await expectSound(copy, name)
    await context.close()
  }

  it('one is made in a session, confirmed in Slack by the characters on the page, and signs in where nobody was', async () => {
    const context = await browser.newContext()
    await signedIn(context)
    const tab = await device(context)
    const troubles: string[] = []
    tab.on('console', message => void (message.type() === 'error' && troubles.push(message.text())))
    await tab.goto(`${origin}/console/passkeys`)
    await looked(tab, 'passkeys')
    await tab.getByRole('button', { name: 'Make a passkey' }).click()
    await tab.getByRole('heading', { name: 'Now say that it is yours' }).waitFor()
    const shown = (await tab.locator('.fingerprint').textContent())?.trim() ?? ''
    expect(shown).toMatch(/^[0-9a-f]{4}(-[0-9a-f]{4}){3}$/)
    await looked(tab, 'confirm')
    const card = await until('the question', async () => {
      const found = await scene.card(scene.workspace.people.owner)
      return JSON.stringify(found.message).includes(shown) ? found : undefined
    })
    await scene.person.press(scene.workspace.people.owner, card, 'YES')
    await until('its registration', async () =>
      (await scene.lane.ledger()).some(({ type }) => type === 'PASSKEY_REGISTERED') ? true : undefined,
    )
    await tab.goto(`${origin}/console/passkeys`)
    await tab.getByText(shown).waitFor()
    await looked(tab, 'one-passkey')
    // The device has one: no second is made there.
    await tab.getByRole('button', { name: 'Make a passkey' }).click()
    await tab.getByText('This device has a passkey of yours already.').waitFor()
    await context.clearCookies()
    await tab.goto(`${origin}/console/sign-in?to=/console/inbox`)
    await looked(tab, 'sign-in')
    await tab.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await tab.waitForURL(`${origin}/console/inbox`)
    // Taken back in the session that began with it: that session is over, and the device signs in no more.
    await tab.goto(`${origin}/console/passkeys`)
    await looked(tab, 'to-be-taken-back')
    await tab.getByRole('button', { name: `Take back ${shown}` }).click()
    await tab.waitForURL(/\/console\/sign-in/)
    expect((await scene.lane.ledger()).filter(({ type }) => type === 'PASSKEY_REVOKED')).toHaveLength(1)
    expect(troubles).toEqual([])
    await tab.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await tab.getByText('This passkey is nobody’s here').waitFor()
    await context.close()
  })

  it('a device that does not verify who is there makes none and says so', async () => {
    const context = await browser.newContext()
    await signedIn(context)
    const tab = await device(context, { isUserVerified: false })
    await tab.goto(`${origin}/console/passkeys`)
    await tab.getByRole('button', { name: 'Make a passkey' }).click()
    await tab.getByText('the device did not confirm it').waitFor()
    await context.close()
  })

  it('without JavaScript the pages are whole, but for the passkey', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const tab = await context.newPage()
    await tab.goto(`${origin}/console/sign-in`)
    expect(await tab.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
    expect(await tab.getByLabel('API key').count()).toBe(1)
    await context.close()
  })

  it('an operator’s link makes one for somebody whom no channel vouches for', async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const lane = await startLane({ env: { PORT: String(port), PUBLIC_URL: url } })
    const context = await browser.newContext()
    try {
      const { json } = await lane.call('POST', '/v1/recipients/second/passkeys', { key: lane.operatorKey })
      const tab = await device(context)
      await tab.goto(String(json.url))
      await looked(tab, 'invited')
      await tab.getByRole('button', { name: 'Make a passkey' }).click()
      await tab.getByRole('link', { name: 'Sign in with it' }).click()
      await tab.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await tab.waitForURL(`${url}/console/inbox`)
      await tab.goto(`${url}/console/passkeys`)
      await tab.getByText('enrolled by an operator').waitFor()
      await looked(tab, 'by-operator')
    } finally {
      await context.close()
      await lane.close()
    }
  })
})
