// `oidc: link`: an account at a real OpenID provider becomes a person's once, by an address of theirs that the provider has
// verified, and by their own YES in Slack.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../port.js'
import { raise, type Scene } from '../slack/scene.js'
import { until } from '../until.js'
import { Browser, type Provider, startProvider } from './provider.js'

let scene: Scene
let provider: Provider
let url: string
const verified = (email: string) => ({ email, email_verified: true })
/** By its `sub`: what the provider says of an account. */
const ACCOUNTS: Readonly<Record<string, Record<string, unknown>>> = {
  own: verified('Kim@Example.ORG'),
  stranger: verified('kim@example.org'),
  unverified: { email: 'kim@example.org', email_verified: false },
  'verified-in-words': { email: 'kim@example.org', email_verified: 'true' },
  'says-nothing': { email: 'kim@example.org' },
  'no-address': { email_verified: true },
  'other-domain': verified('kim@elsewhere.example'),
  'longer-domain': verified('kim@example.org.elsewhere.example'),
  'two-signs': verified('kim@elsewhere.example@example.org'),
  // A Cyrillic letter, a sign that other rules fold onto l, and the sign of the kelvin, which JavaScript's own fold onto k.
  'look-alike': verified('k\u0456m@example.org'),
  'look-alike-domain': verified('kim@examp\u217ce.org'),
  'look-alike-case': verified('\u212aim@example.org'),
  blanks: verified(' kim@example.org'),
  'somebody-else': verified('nobody@example.org'),
}

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  provider = await startProvider(url, sub => ACCOUNTS[sub] ?? {})
  scene = await raise({
    owner: 'email: kim@example.org, oidc: link, delegates: [deputy]',
    more: 'oidc: { domains: [example.org] }',
    env: { PORT: String(port), ...provider.env },
  })
})
afterAll(async () => {
  await scene.end()
  await provider.close()
})

async function signIn(sub: string) {
  const browser = new Browser(url)
  const response = await browser.go(await browser.signInAs(sub))
  const text = await response.text()
  const shown = /<code>([0-9a-f]{4}(?:-[0-9a-f]{4}){3})<\/code>/.exec(text)?.[1] ?? ''
  return { status: response.status, hasSession: browser.hasSession, shown }
}
const asked = (shown: string) =>
  until('the question in Slack', async () => {
    const card = await scene.card(scene.workspace.people.owner)
    return JSON.stringify(card.message).includes(shown) ? card : undefined
  })
const of = async (...types: string[]) =>
  (await scene.lane.ledger()).filter(({ type }) => types.includes(type))
const answer = async (shown: string, word: 'YES' | 'NO') => {
  const before = (await of('REQUEST_RESOLVED')).length
  await scene.person.press(scene.workspace.people.owner, await asked(shown), word)
  await until('the end of it', async () =>
    (await of('REQUEST_RESOLVED')).length > before ? true : undefined,
  )
}

test.each(Object.keys(ACCOUNTS).filter(sub => sub !== 'own' && sub !== 'stranger'))(
  'an address that is not theirs, or that the provider has not verified: %s asks nobody and is nobody',
  async sub => {
    const before = (await scene.lane.ledger()).length
    expect(await signIn(sub)).toEqual({ status: 403, hasSession: false, shown: '' })
    expect((await scene.lane.ledger()).length).toBe(before)
  },
)

test('a stranger with the same address at another tenant of the provider: the person is asked, says NO, and it stays nobody’s', async () => {
  const { status, hasSession, shown } = await signIn('stranger')
  expect([status, hasSession, shown === '']).toEqual([200, false, false])
  await answer(shown, 'NO')
  expect(await of('RECIPIENT_LINKED')).toEqual([])
  const again = await signIn('stranger')
  expect([again.status, again.hasSession]).toEqual([200, false])
  await answer(again.shown, 'NO')
})

test('the person’s own account is linked by their YES in Slack, and signs in from then on', async () => {
  const { status, hasSession, shown } = await signIn('own')
  expect([status, hasSession]).toEqual([200, false])
  await answer(shown, 'YES')
  await until('its link', async () => ((await of('RECIPIENT_LINKED')).length > 0 ? true : undefined))
  expect((await of('RECIPIENT_LINKED')).map(({ body }) => body)).toEqual([
    { user_id: 'owner', channel: 'web' },
  ])
  const signed = await until('the sign-in', async () => {
    const tried = await signIn('own')
    return tried.status === 303 ? tried : undefined
  })
  expect(signed.hasSession).toBe(true)
  // No entry holds the account or the address.
  expect(JSON.stringify(await scene.lane.ledger())).not.toMatch(/kim@example|"sub"/i)
})

test('a second account of a linked person asks nobody and is nobody, also after a restart', async () => {
  scene.lane = await scene.lane.restart()
  const before = (await of('REQUEST_OPENED')).length
  expect(await signIn('stranger')).toEqual({ status: 403, hasSession: false, shown: '' })
  expect((await of('REQUEST_OPENED')).length).toBe(before)
  expect((await signIn('own')).status).toBe(303)
})
