// A passkey becomes a person's: made at the console, confirmed in Slack. The lane, its store, its pages and the adapter
// are real; people sit at Slack's emulator and at an authenticator in software.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEDGER_FILE } from '../../src/ledger/sqlite/open.js'
import { question } from '../lane-under-test.js'
import { type Credential, makeCredential, NEW_KEY, PRESENT } from '../passkey/authenticator.js'
import { freePort } from '../port.js'
import { asPerson } from '../session/signed-in.js'
import { raise, type Scene } from '../slack/scene.js'
import { until } from '../until.js'
import { assertionOf, fingerprint, Visitor } from './scene.js'

let scene: Scene
let origin: string
const lane = () => scene.lane
const visitor = async (user = 'owner') => new Visitor(lane, origin, (await asPerson(scene.lane, user)).cookie)
const stranger = () => new Visitor(lane, origin)

beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  scene = await raise({
    owner: 'delegates: [deputy]',
    env: { PORT: String(port), PUBLIC_URL: origin },
  })
})
afterAll(() => scene.end())

const registered = async () => (await scene.lane.ledger()).filter(({ type }) => type === 'PASSKEY_REGISTERED')
const questions = async () =>
  (await scene.lane.ledger()).filter(
    ({ type, request_id }) => type === 'REQUEST_OPENED' && request_id?.startsWith('enrolment-'),
  )
const lastQuestion = async (): Promise<string> => (await questions()).at(-1)?.request_id ?? ''
/** The card of the newest question. */
async function asked(credential: Credential) {
  const { owner } = scene.workspace.people
  return until('the question in Slack', async () => {
    const card = await scene.card(owner)
    return JSON.stringify(card.message).includes(fingerprint(credential)) ? card : undefined
  })
}
const resolved = (id: string) =>
  until('its end', async () =>
    (await scene.lane.story(id)).some(({ type }) => type === 'REQUEST_RESOLVED') ? true : undefined,
  )
/** Whatever waited is settled. */
const settled = async (id: string): Promise<number> => {
  await resolved(id)
  await scene.lane.call('GET', '/healthz', { key: null })
  return (await registered()).length
}
async function made(): Promise<Credential> {
  const credential = makeCredential()
  const before = (await registered()).length
  expect((await (await visitor()).make(credential)).status).toBe(200)
  await scene.person.press(scene.workspace.people.owner, await asked(credential), 'YES')
  await until('its registration', async () => ((await registered()).length > before ? true : undefined))
  return credential
}

describe('a passkey', () => {
  test('is made at the console, confirmed in Slack by its characters, and then signs in', async () => {
    const credential = makeCredential()
    const answer = await (await visitor()).make(credential)
    expect([answer.status, answer.text.includes(fingerprint(credential))]).toEqual([200, true])
    expect((await stranger().signIn(credential)).status).toBe(403)
    const card = await asked(credential)
    // What the browser says of itself is quoted, and can do nothing.
    expect(JSON.stringify(card.message)).toContain('Tests 1.0 b(of the lane)')
    await scene.person.press(scene.workspace.people.owner, card, 'YES')
    await until('its registration', async () => ((await registered()).length > 0 ? true : undefined))
    expect((await registered()).map(({ body }) => body)).toEqual([
      { user_id: 'owner', credential_hash: credential.credential_hash, by: 'person' },
    ])
    const signed = await stranger().signIn(credential, {}, '/console/inbox?view=past')
    expect([signed.status, signed.to]).toEqual([303, '/console/inbox?view=past'])
    const inside = new Visitor(lane, origin, signed.cookie)
    expect((await inside.open('/console/passkeys')).text).toContain(fingerprint(credential))
    // The person is told on the channel where they were asked.
    const closed = await until('the closing of the card', async () => {
      const bodies = await scene.bodies(await lastQuestion(), 'DELIVERY_CLOSED')
      return bodies.length > 0 ? bodies : undefined
    })
    expect(closed).toEqual([expect.objectContaining({ edited: true })])
    expect(JSON.stringify((await scene.now(card)).message)).toContain('YES')
  })

  test('that somebody else made in their name, and they refuse in Slack, is nobody’s', async () => {
    const credential = makeCredential()
    const before = (await registered()).length
    await (await visitor()).make(credential)
    await scene.person.press(scene.workspace.people.owner, await asked(credential), 'NO')
    expect(await settled(await lastQuestion())).toBe(before)
    expect((await stranger().signIn(credential)).status).toBe(403)
  })

  test('a stolen session makes a passkey, and cannot confirm it at the console', async () => {
    const credential = makeCredential()
    const before = (await registered()).length
    const thief = await visitor()
    await thief.make(credential)
    const id = await lastQuestion()
    const page = await thief.open(`/console/requests/${id}`)
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''
    const tried = await thief.post(`/console/requests/${id}`, {
      reply: 'YES',
      csrf: field('csrf'),
      display: field('display'),
    })
    expect([tried.status, (await scene.reasons(id)).at(-1)]).toEqual([403, 'proof_insufficient'])
    // No link of it is printed where the lane runs.
    expect(scene.lane.printed.join()).not.toContain(id)
    expect((await registered()).length).toBe(before)
    await scene.person.press(scene.workspace.people.owner, await asked(credential), 'NO')
    await resolved(id)
  })

  test('a delegate who says YES in their place makes it nobody’s', async () => {
    const credential = makeCredential()
    const before = (await registered()).length
    await (await visitor()).make(credential)
    const id = await lastQuestion()
    const { owner, deputy } = scene.workspace.people
    await scene.person.write(owner, await asked(credential), 'DELEGATE deputy')
    const card = await until('the card of the deputy', async () => {
      const copy = await scene.card(deputy)
      return JSON.stringify(copy.message).includes(fingerprint(credential)) ? copy : undefined
    })
    await scene.person.press(deputy, card, 'YES')
    expect(await settled(id)).toBe(before)
    expect((await stranger().signIn(credential)).status).toBe(403)
  })

  test('that waits for its YES while the lane starts again is registered once', async () => {
    const credential = makeCredential()
    await (await visitor()).make(credential)
    const id = await lastQuestion()
    const card = await asked(credential)
    const before = (await registered()).length
    scene.lane = await scene.lane.restart()
    await scene.person.press(scene.workspace.people.owner, card, 'YES')
    await until('its registration', async () => ((await registered()).length > before ? true : undefined))
    scene.lane = await scene.lane.restart()
    scene.lane = await scene.lane.restart()
    expect(
      (await registered()).filter(({ body }) => body.credential_hash === credential.credential_hash),
    ).toHaveLength(1)
    expect((await scene.lane.story(id)).filter(({ type }) => type === 'REQUEST_RESOLVED')).toHaveLength(1)
  })

  test('whose question somebody has rewritten in the database registers nothing, and keeps no lane from starting', async () => {
    const credential = makeCredential()
    await (await visitor()).make(credential)
    const id = await lastQuestion()
    const card = await asked(credential)
    const before = (await registered()).length
    rewrite(id, 'yours?', 'mine??')
    scene.lane = await scene.lane.restart()
    expect([
      (await scene.lane.call('GET', '/healthz', { key: null })).status,
      (await registered()).length,
    ]).toEqual([200, before])
    rewrite(id, 'mine??', 'yours?')
    await scene.person.press(scene.workspace.people.owner, card, 'YES')
    await until('its registration', async () => ((await registered()).length > before ? true : undefined))
  })

  test('a page, a ticket or a form that is not theirs makes none', async () => {
    const before = (await questions()).length
    const own = await visitor()
    const other = await visitor('deputy')
    const credential = makeCredential()
    const page = await own.open('/console/passkeys')
    const fields = { ticket: page.ticket, csrf: page.csrf, ...credential.attest(page.challenge, origin) }
    const theirs = await other.open('/console/passkeys')
    expect((await other.post('/console/passkeys', { ...fields, csrf: theirs.csrf })).status).toBe(422)
    expect((await own.post('/console/passkeys', { ...fields, csrf: theirs.csrf })).status).toBe(403)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await own.post('/console/passkeys', fields, foreign)).status).toBe(403)
    expect((await stranger().post('/console/passkeys', fields)).to).toBe('/console/sign-in')
    for (const oddly of [
      { origin: 'http://127.0.0.1' },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      // In somebody's frame.
      { more: { crossOrigin: true } },
      { more: { crossOrigin: null } },
      // Nobody was verified, or nobody was there.
      { flags: PRESENT | NEW_KEY },
      { flags: NEW_KEY },
    ])
      expect([oddly, (await own.make(makeCredential(), '/console/passkeys', oddly)).status]).toEqual([
        oddly,
        422,
      ])
    expect(
      (await own.post('/console/passkeys', { ...fields, ...credential.attest('bm90aGluZw', origin) })).status,
    ).toBe(422)
    // A passkey with a longer id could sign in, and never confirm an answer.
    expect((await own.make(makeCredential('ES256', 1024))).status).toBe(422)
    expect((await questions()).length).toBe(before)
    // The same form twice: it counts once.
    expect((await own.post('/console/passkeys', fields)).status).toBe(200)
    expect((await own.post('/console/passkeys', fields)).status).toBe(422)
    expect((await questions()).length).toBe(before + 1)
    await scene.person.press(scene.workspace.people.owner, await asked(credential), 'NO')
    await resolved(await lastQuestion())
  })

  test('of somebody, brought by another person under the same id, is not taken', async () => {
    const credential = await made()
    const other = await visitor('deputy')
    expect((await other.make(credential)).status).toBe(422)
    const impostor = { ...makeCredential(), credential_id: credential.credential_id }
    expect((await stranger().signIn(impostor)).status).toBe(403)
  })
})

describe('an invitation', () => {
  const invite = () =>
    scene.lane.call('POST', '/v1/recipients/owner/passkeys', { key: scene.lane.operatorKey })
  let last = ''
  /** The link and the code that the card carries. */
  async function sent(): Promise<{ readonly path: string; readonly code: string }> {
    const found = await until('the invitation in Slack', () => {
      const said = scene.workspace.of('chat.postMessage').at(-1)?.body.blocks ?? ''
      const path = /\/r\/[0-9a-z]{26}/.exec(said)?.[0]
      const code = /"text":"([A-Z0-9]{4})","style":\{"code":true\}/.exec(said)?.[1]
      const isFresh = path !== undefined && path !== last
      return said.includes('make a passkey') && isFresh && code !== undefined ? { path, code } : undefined
    })
    last = found.path
    return found
  }
  async function take({ path, code }: { readonly path: string; readonly code: string }, reply = 'YES') {
    const visiting = stranger()
    const page = await visiting.open(path)
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    return visiting.post(path, { reply, code, csrf })
  }
  const pathIn = (to: string | null): string => to ?? ''

  test('is sent to the person’s own channel, taken with its code, used once, and confirmed there', async () => {
    const { status, json } = await invite()
    expect([status, json.by, json.channels, json.url]).toEqual([201, 'person', ['slack'], null])
    const invitation = await sent()
    const led = await take(invitation)
    expect([led.status, led.to?.startsWith('/console/passkeys/new?link=')]).toEqual([303, true])
    const credential = makeCredential()
    const before = (await registered()).length
    // Looking uses nothing up.
    expect((await stranger().open(pathIn(led.to))).status).toBe(200)
    const asked_ = await stranger().make(credential, pathIn(led.to))
    expect([asked_.status, asked_.text.includes(fingerprint(credential))]).toEqual([200, true])
    expect((await stranger().make(makeCredential(), pathIn(led.to))).status).toBe(422)
    expect((await take(invitation)).status).toBe(409)
    await scene.person.press(scene.workspace.people.owner, await asked(credential), 'YES')
    await until('its registration', async () => ((await registered()).length > before ? true : undefined))
    expect((await stranger().signIn(credential)).status).toBe(303)
    expect(
      (await scene.lane.ledger()).filter(({ type }) => type === 'OPERATOR_ACTED').at(-1)?.body,
    ).toMatchObject({
      deed: 'recipient_invited',
      about: 'owner',
    })
  })

  test('an invitation used by another person: without its code, signed in as somebody else, or forwarded, it gives them nothing', async () => {
    await invite()
    const invitation = await sent()
    const before = (await registered()).length
    expect((await take({ ...invitation, code: 'AAAA' })).status).toBe(403)
    const led = await take(invitation)
    const deputy = await visitor('deputy')
    expect((await deputy.open(pathIn(led.to))).status).toBe(404)
    const page = await stranger().open(pathIn(led.to))
    const credential = makeCredential()
    const fields = { ticket: page.ticket, csrf: '', ...credential.attest(page.challenge, origin) }
    expect((await deputy.post('/console/passkeys/new', fields)).status).toBe(404)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await stranger().post('/console/passkeys/new', fields, foreign)).status).toBe(403)
    const [until_ = '', nonce, about, stamp] = page.ticket.split('.')
    const later = (Number.parseInt(until_, 36) + 3_600_000).toString(36)
    const other = Buffer.from(JSON.stringify({ by: 'person', user_id: 'deputy' })).toString('base64url')
    for (const ticket of [
      [later, nonce, about, stamp],
      [until_, nonce, other, stamp],
    ])
      expect(
        (await stranger().post('/console/passkeys/new', { ...fields, ticket: ticket.join('.') })).status,
      ).toBe(404)
    // Forwarded with its code: the person it was sent to is asked, and says NO.
    expect((await stranger().post('/console/passkeys/new', fields)).status).toBe(200)
    await scene.person.press(scene.workspace.people.owner, await asked(credential), 'NO')
    expect(await settled(await lastQuestion())).toBe(before)
    expect((await stranger().signIn(credential)).status).toBe(403)
  })

  test('that is declined leads nowhere', async () => {
    await invite()
    const led = await take(await sent(), 'NO')
    expect([led.status, led.to]).toEqual([200, null])
  })

  test('a request of an agent’s that calls itself an invitation leads nowhere', async () => {
    const id = 'passkey-invitation-0123456789ab'
    await scene.lane.submit(question(id), { recipients: [{ user_id: 'owner', channels: ['web'] }] })
    const { link, code } = await scene.lane.link(id, 'owner')
    const led = await take({ path: new URL(link).pathname, code })
    expect([led.status, led.to]).toEqual([200, null])
  })
})

describe('signing in by a passkey', () => {
  test('an assertion that is replayed, or was made for another page, device or answer, signs nobody in', async () => {
    const credential = await made()
    const spent = tickets()
    const page = await stranger().open('/console/sign-in')
    const fields = assertionOf(credential, page.ticket, page.challenge, origin)
    for (const oddly of [
      { origin: 'https://evil.example' },
      { origin: origin.replace('localhost', '127.0.0.1') },
      { rpId: 'evil.example' },
      { type: 'webauthn.create' },
      { flags: PRESENT },
      { more: { crossOrigin: true } },
    ])
      expect([oddly, (await stranger().signIn(credential, oddly)).status]).toEqual([oddly, 403])
    const another = await stranger().open('/console/sign-in')
    const tries = [
      { ...fields, ticket: another.ticket },
      { ...fields, ticket: '' },
      { ...fields, credential_id: makeCredential().credential_id },
      { ...fields, signature: `${fields.signature?.slice(0, -4)}AAAA` },
      { ...assertionOf(credential, page.ticket, 'b3RoZXI', origin) },
      // The ticket of the page on which passkeys are made.
      assertionOf(credential, ...(Object.values(await ticketOf()) as [string, string]), origin),
    ]
    for (const tried of tries) {
      const { status, cookie } = await stranger().post('/console/sign-in', tried)
      expect([status, cookie]).toEqual([403, ''])
    }
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await stranger().post('/console/sign-in', fields, foreign)).status).toBe(403)
    const signed = await stranger().post('/console/sign-in', fields)
    expect([signed.status, signed.cookie === '']).toEqual([303, false])
    expect((await stranger().post('/console/sign-in', fields)).status).toBe(403)
    // Nothing is kept of those that signed nobody in.
    expect(tickets()).toBe(spent + 1)
  })

  test('a fixated session: the id that was planted in the browser is not the one that is signed in', async () => {
    const credential = await made()
    const planted = await visitor('deputy')
    const signed = await planted.signIn(credential)
    expect([signed.status, signed.cookie === planted.cookie]).toEqual([303, false])
    expect((await planted.open('/console/passkeys')).status).toBe(303)
  })
})

/** The work of somebody who can write the database, and has no key. */
function rewrite(id: string, words: string, others: string): void {
  const db = new Sqlite(join(scene.lane.dataDir, LEDGER_FILE))
  try {
    const name = 'entries_are_not_changed'
    const trigger = String(db.prepare('SELECT sql FROM sqlite_master WHERE name = ?').pluck().get(name))
    db.exec(`DROP TRIGGER ${name}`)
    const update = 'UPDATE entries SET line = replace(line, ?, ?) WHERE instr(line, ?) > 0'
    db.prepare(update).run(words, others, `"request_id":"${id}"`)
    db.exec(trigger)
  } finally {
    db.close()
  }
}

/** How many tickets the store remembers as used. */
function tickets(): number {
  const db = new Sqlite(join(scene.lane.dataDir, LEDGER_FILE), { readonly: true })
  try {
    return Number(db.prepare(`SELECT count(*) FROM claims WHERE space = 'ticket'`).pluck().get())
  } finally {
    db.close()
  }
}

const ticketOf = async () => {
  const { ticket, challenge } = await (await visitor()).open('/console/passkeys')
  return { ticket, challenge }
}

describe('a passkey that its person takes back', () => {
  const taking = (who: Visitor, csrf: string, { credential_hash }: Credential, headers = {}) =>
    who.post('/console/passkeys/revoke', { csrf, credential: credential_hash }, headers)

  test('is gone with the sessions that began with it, is told in Slack, and no form but their own takes it', async () => {
    const credential = await made()
    const begun = new Visitor(lane, origin, (await stranger().signIn(credential)).cookie)
    const other = await visitor()
    const { csrf, text } = await other.open('/console/passkeys')
    expect(text).toContain(`Take back ${fingerprint(credential)}`)
    expect((await begun.open('/console/passkeys')).text).toContain('you have signed in here with it')
    expect((await taking(other, 'another', credential)).status).toBe(403)
    expect((await taking(other, csrf, credential, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await taking(stranger(), csrf, credential)).to).toBe('/console/sign-in')
    const deputy = await visitor('deputy')
    const theirs = await deputy.open('/console/passkeys')
    expect((await taking(deputy, theirs.csrf, credential)).status).toBe(404)
    expect((await stranger().signIn(credential)).status).toBe(303)
    const taken = await taking(other, csrf, credential)
    expect([taken.status, taken.to]).toEqual([303, '/console/passkeys'])
    const revoked = (await scene.lane.ledger()).filter(({ type }) => type === 'PASSKEY_REVOKED')
    expect(revoked.map(({ body }) => body)).toEqual([
      { user_id: 'owner', credential_hash: credential.credential_hash, by: 'person' },
    ])
    expect((await begun.open('/console/inbox')).to).toContain('/console/sign-in')
    expect((await other.open('/console/passkeys')).text).not.toContain(fingerprint(credential))
    expect((await stranger().signIn(credential)).status).toBe(403)
    expect((await taking(other, csrf, credential)).status).toBe(404)
    await until('the notice in Slack', async () => {
      const card = await scene.card(scene.workspace.people.owner)
      const words = JSON.stringify(card.message)
      return words.includes(fingerprint(credential)) && words.includes('was taken back') ? true : undefined
    })
  })
})
