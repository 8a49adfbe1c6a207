// Sessions, in a real store and on a clock set by hand: how they begin, and everything that ends them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instant } from '../../src/clock.js'
import { cookieFor, foreignForm, isFromOurs, sessionOf } from '../../src/http/session.js'
import { KeyBook, makeKey } from '../../src/keys/key-book.js'
import { LEDGER_FILE, openSqlite, type SqliteStore } from '../../src/ledger/sqlite/open.js'
import { begin, end, endAll, endEverywhere, find, type Session } from '../../src/session/session.js'
import { macUnder } from '../../src/token/mac.js'
import { stamper } from '../../src/token/stamp.js'
import { TestClock } from '../contract/ledger/stage.js'
import { registered } from '../passkey/registered.js'
import { unlocked } from '../unlocked.js'

const HOUR_MS = 3_600_000
const PERSON = { kind: 'person', user_id: 'ann', by: 'passkey' } as const

let directory: string
let clock: TestClock
let store: SqliteStore
let keys: KeyBook
const csrf = stamper(macUnder(new Uint8Array(32).fill(1)))
const recipients: Record<string, never> = {}
const partsOf = () => ({ store, keys, csrf, config: { recipients } })
const seen = (id: string): Promise<Session | null> => find(partsOf(), id)

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'session-'))
  clock = new TestClock()
  store = unlocked(openSqlite(directory, clock))
  keys = new KeyBook(store)
  Object.assign(recipients, { ann: {}, bo: {} })
})
afterEach(async () => {
  await store.ledger.close()
  rmSync(directory, { recursive: true, force: true })
})

async function operator(...scopes: ('operate' | 'request')[]) {
  const { key } = makeKey('desk', scopes, instant(store.ledger.now()))
  await keys.add(key, 'lane')
  return { key, ...(await begin(store, { kind: 'operator', key_id: key.key_id })) }
}

test('a person is signed in for twelve hours, an operator for one', async () => {
  const ann = await begin(store, PERSON)
  const desk = await operator('operate')
  expect([ann.seconds, desk.seconds]).toEqual([12 * 3600, 3600])
  const until = (hours: number) => instant(store.ledger.now() + hours * HOUR_MS)
  expect(await seen(ann.id)).toEqual({ ...PERSON, csrf: expect.any(String), until: until(12) })
  expect(await seen(desk.id)).toMatchObject({ kind: 'operator', key_id: desk.key.key_id, name: 'desk' })
  clock.pass(HOUR_MS)
  expect([await seen(desk.id), (await seen(ann.id))?.kind]).toEqual([null, 'person'])
  clock.pass(11 * HOUR_MS)
  expect(await seen(ann.id)).toBeNull()
})

test('a fixated session: the id is drawn at each sign-in, and the one the browser had before ends', async () => {
  const planted = await begin(store, { ...PERSON, user_id: 'bo' })
  const own = await begin(store, PERSON, planted.id)
  expect(own.id).not.toBe(planted.id)
  expect([await seen(planted.id), (await seen(own.id))?.kind]).toEqual([null, 'person'])
  // An id that nobody was given is no session, whoever sends it.
  for (const made of ['A'.repeat(43), '', 'A'.repeat(42), `${own.id}A`]) expect(await seen(made)).toBeNull()
})

test('the database holds no id: who reads it has no session', async () => {
  const { id } = await begin(store, PERSON)
  const db = new Sqlite(join(directory, LEDGER_FILE), { readonly: true })
  const rows = db.prepare('SELECT * FROM sessions').all()
  db.close()
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(id)
})

test('signing out ends one session, signing out everywhere all of that person, and nobody else is signed out', async () => {
  const [one, two, three] = [
    await begin(store, PERSON),
    await begin(store, PERSON),
    await begin(store, PERSON),
  ]
  const bo = await begin(store, { ...PERSON, user_id: 'bo' })
  const desk = await operator('operate')
  await end(store, one.id)
  expect([await seen(one.id), (await seen(two.id))?.kind]).toEqual([null, 'person'])
  await endEverywhere(store, 'ann')
  expect([await seen(two.id), await seen(three.id)]).toEqual([null, null])
  expect([(await seen(bo.id))?.kind, (await seen(desk.id))?.kind]).toEqual(['person', 'operator'])
  await endAll(store, 'bo', desk.key.key_id)
  expect([await seen(bo.id), (await seen(desk.id))?.kind]).toEqual([null, 'operator'])
  const last = []
  for await (const entry of store.ledger.entries(0)) last.push(entry)
  expect(last.at(-1)).toMatchObject({
    type: 'OPERATOR_ACTED',
    body: { deed: 'sessions_ended', about: 'bo', by: desk.key.key_id },
  })
})

test('a session that began with a passkey is over with it, and no other of that person is', async () => {
  const { credential_hash } = await registered(store, 'ann')
  const begun = await begin(store, { ...PERSON, credential_hash })
  const other = await begin(store, PERSON)
  expect(await seen(begun.id)).toMatchObject({ user_id: 'ann', credential_hash })
  await store.ledger.append({
    decide: () => ({
      kind: 'append',
      events: [{ type: 'PASSKEY_REVOKED', body: { user_id: 'ann', credential_hash, by: 'person' } }],
      shelve: [{ put: 'passkey_end', credential_hash }],
    }),
  })
  expect([await seen(begun.id), (await seen(other.id))?.kind]).toEqual([null, 'person'])
  // A sign-in that looked at the passkey before, and is recorded after.
  const late = await begin(store, { ...PERSON, credential_hash })
  expect(await seen(late.id)).toBeNull()
})

test('who leaves the configuration is signed out, and so is an operator whose key is revoked or may not operate', async () => {
  const ann = await begin(store, PERSON)
  delete recipients.ann
  expect(await seen(ann.id)).toBeNull()
  const desk = await operator('operate')
  await keys.revoke(desk.key.key_id, 'lane')
  expect(await seen(desk.id)).toBeNull()
  const asker = await operator('request')
  expect(await seen(asker.id)).toBeNull()
})

test('a row that somebody else has written to the database is nobody’s session', async () => {
  const ann = await begin(store, PERSON)
  const db = new Sqlite(join(directory, LEDGER_FILE))
  db.prepare("UPDATE sessions SET whose = 'bo'").run()
  db.close()
  expect(await seen(ann.id)).toBeNull()
  expect(store.seals.broken()).toEqual(['session of person bo'])
})

const at = (url: string, headers: Record<string, string>) =>
  [{ ...partsOf(), publicUrl: () => url }, { headers: { host: new URL(url).host, ...headers } }] as const

test('the cookie is bound to the host on https, has another name on this machine, and is none elsewhere', async () => {
  const { id } = await begin(store, PERSON)
  const named = (url: string, host = new URL(url).host) => cookieFor(...at(url, { host }))?.name ?? null
  expect([
    named('https://lane.example'),
    named('http://127.0.0.1:8787'),
    named('http://127.0.0.1:8787', 'localhost:8787'),
    named('http://[::1]:8787'),
    named('http://lane.example'),
    named('http://127.0.0.1:8787', '192.168.1.5:8787'),
    named('http://127.0.0.1:8787', 'localhost.evil.example'),
  ]).toEqual(['__Host-lane', 'lane-session', 'lane-session', 'lane-session', null, null, null])
  const read = (url: string, cookie: string) => sessionOf(...at(url, { cookie }))
  expect((await read('http://localhost:1', `other=1; lane-session=${id}`))?.kind).toBe('person')
  expect((await read('https://lane.example', `__Host-lane=${id}`))?.kind).toBe('person')
  // A cookie that any host of the domain could have set.
  expect(await read('https://lane.example', `lane-session=${id}`)).toBeNull()
  expect(await read('http://lane.example', `lane-session=${id}; __Host-lane=${id}`)).toBeNull()
})

test('a cross-site form, one of another port and one that hides where it stands are refused; so is a stamp of another session', async () => {
  const ours = 'http://localhost:8787'
  const from = (headers: Record<string, string>, url = ours) =>
    isFromOurs({ host: new URL(url).host, ...headers }, url)
  expect(from({ origin: ours })).toBe(true)
  expect(from({ 'sec-fetch-site': 'same-origin' })).toBe(true)
  expect(from({ origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(true)
  expect(from({ origin: 'http://127.0.0.1:8787', host: '127.0.0.1:8787' })).toBe(true)
  expect(from({ origin: 'https://lane.example', host: 'inside:1' }, 'https://lane.example')).toBe(true)
  for (const foreign of [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://127.0.0.1:8787' },
    { origin: ours, 'sec-fetch-site': 'same-site' },
    { origin: ours, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
  ] as Record<string, string>[])
    expect([foreign, from(foreign)]).toEqual([foreign, false])
  // Behind a proxy the host is the proxy's word.
  expect(from({ origin: 'https://evil.example', host: 'evil.example' }, 'https://lane.example')).toBe(false)
  const [ann, bo] = [await begin(store, PERSON), await begin(store, PERSON)]
  const [one, other] = [await seen(ann.id), await seen(bo.id)]
  if (one === null || other === null) throw new Error('both are signed in')
  const judged = (stamp: string, origin: string) => foreignForm(...at(ours, { origin }), one, stamp)
  expect(judged(one.csrf, ours)).toBeNull()
  expect(judged(other.csrf, ours)).toBe('csrf_mismatch')
  expect(judged('', ours)).toBe('csrf_mismatch')
  expect(judged(one.csrf, 'http://localhost:3000')).toBe('foreign_origin')
})
