// Signing in by a real OpenID provider (oidc-provider), over HTTP, with a browser's cookies kept by hand.
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { freePort } from '../port.js'

const CLIENT = { client_id: 'lane', client_secret: 'a-secret-of-the-tests' }
let lane: LaneUnderTest
let provider: Server
let issuer: string
/** Whether the signature of what the provider says of people is another one on the way. */
let isForged = false
const config = `
recipients:
  ann: { name: Ann, web: true, oidc: ann-sub }
  bo: { name: Bo, web: true }
`

beforeAll(async () => {
  const [port, providerPort] = [await freePort(), await freePort()]
  issuer = `http://127.0.0.1:${providerPort}`
  const { default: Provider } = await import('oidc-provider')
  const made = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`http://127.0.0.1:${port}/console/oidc/callback`] }],
    cookies: { keys: ['of the tests'] },
    // Every account has the same address: nothing may hang on it.
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: 'ann@example.org', email_verified: true }),
    }),
  })
  const serve = made.callback()
  provider = createServer((request, response) => {
    const end = response.end.bind(response) as (body: unknown) => typeof response
    if (isForged && request.url === '/token')
      response.end = ((body: unknown) => end(forged(String(body)))) as typeof response.end
    return serve(request, response)
  })
  await new Promise<void>(resolve => provider.listen(providerPort, '127.0.0.1', resolve))
  lane = await startLane({
    config,
    env: {
      PORT: String(port),
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
    },
  })
})
afterAll(async () => {
  await lane.close()
  provider.closeAllConnections()
  await new Promise(resolve => provider.close(resolve))
})

/** As long as before: the signature begins with other letters. */
const forged = (answer: string): string =>
  answer.replace(/("id_token":"[^".]+\.[^".]+\.)[^"]{8}/, '$1AAAAAAAA')

/** A browser: cookies by name, and it goes where it is led. */
class Browser {
  readonly #jar = new Map<string, string>()

  async go(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie },
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    return response
  }

  /** At the provider, as this account; gives the address that it is then sent back to. */
  async signInAs(login: string, to = ''): Promise<string> {
    let at = (await this.go(`${lane.url}/console/oidc/start?to=${to}`)).headers.get('location') ?? ''
    for (let step = 0; step < 12 && !at.startsWith(lane.url); step++) {
      const response = await this.go(at)
      const next = response.headers.get('location')
      if (next !== null) {
        at = new URL(next, at).href
        continue
      }
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? 'login'
      const posted = await this.go(new URL(action, at).href, { prompt, login, password: 'x' })
      at = new URL(posted.headers.get('location') ?? '', at).href
    }
    return at
  }

  get hasSession(): boolean {
    return this.#jar.has('lane-session')
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
  isForged = true
  try {
    const back = await browser.signInAs('ann-sub')
    expect([(await browser.go(back)).status, browser.hasSession]).toEqual([403, false])
  } finally {
    isForged = false
  }
  expect((await browser.go(await browser.signInAs('ann-sub'))).status).toBe(303)
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
  const env = {
    PORT: new URL(lane.url).port,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'lane',
    OIDC_CLIENT_SECRET: CLIENT.client_secret,
  }
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
