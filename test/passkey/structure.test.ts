// A request's page that asks for a passkey is HTML that holds together, as every page is, and says what it needs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest } from '../lane-under-test.js'
import { asPerson } from '../session/signed-in.js'
import { holdsTogether } from '../web/structure.js'
import { startWithPasskeys } from './enrolled.js'

const CONFIG = `
recipients:
  operator: { name: Operator, web: true, delegates: [second] }
  second: { name: Second person, web: true }
actions:
  PUBLISH: { approvers: [operator, second], proofs: [passkey] }
  EXPORT: { approvers: [operator, second], proofs: [passkey, web_session, link_code] }
`
const PAGES = ['operator needed', 'operator beside', 'second needed', 'second beside'] as const

let lane: LaneUnderTest
const bodies = new Map<string, string>()
const policies = new Map<string, string>()
beforeAll(async () => {
  lane = (await startWithPasskeys(CONFIG, ['operator'])).lane
  const recipients = ['operator', 'second']
  await lane.submit(approval('needed'), { recipients })
  await lane.submit(approval('beside', { action: 'EXPORT', default_action: 'DO_NOT_EXPORT' }), { recipients })
  for (const name of PAGES) {
    const [user = '', id] = name.split(' ')
    const headers = { ...(await asPerson(lane, user)), host: `localhost:${new URL(lane.url).port}` }
    const { text, headers: given } = await lane.call('GET', `/console/requests/${id}`, { key: null, headers })
    bodies.set(name, text)
    policies.set(name, given.get('permissions-policy') ?? '')
  }
})
afterAll(() => lane.close())

describe.each(PAGES)('the request before: %s', name => {
  holdsTogether(() => bodies.get(name) ?? '')
})

test('passkeys are asked for and never made there', () => {
  for (const policy of policies.values()) {
    expect(policy).toContain('publickey-credentials-get=(self)')
    expect(policy).toContain('publickey-credentials-create=()')
  }
})

test('whoever needs one and has none is led to where they are made; where a code is enough nothing is said of it', () => {
  const needed = bodies.get('second needed') ?? ''
  expect(needed).toContain('and you have none that is enough. <a href="/console/passkeys">Your passkeys</a>')
  expect(needed).not.toContain('data-challenge="')
  expect(needed).not.toContain('>Send answer<')
  const beside = bodies.get('second beside') ?? ''
  expect(beside).not.toContain('passkey, and you have none')
  expect(beside).toContain('>Send answer<')
})

test('the challenge is named under the path of the request, and only where there is a passkey for it', () => {
  for (const id of ['needed', 'beside'])
    expect(bodies.get(`operator ${id}`)).toContain(`data-challenge="/console/requests/${id}/challenge"`)
})
