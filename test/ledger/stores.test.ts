// Stores written under rules 1, kept as they were: a later program opens them, brings them forward, and whoever was asked
// then can still answer.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Inbound } from '../../src/adapter/contract.js'
import { holds } from '../../src/agenda/asked.js'
import { isOpen } from '../../src/agenda/case.js'
import { holdUntil } from '../../src/agenda/hold.js'
import { openDesk } from '../../src/channel/desk.js'
import { KeyBook } from '../../src/keys/key-book.js'
import { openSecret } from '../../src/keys/secret.js'
import { unlock } from '../../src/keys/unlocking.js'
import { Lane } from '../../src/lane/lane.js'
import type { Store } from '../../src/ledger/contract.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { replay } from '../../src/ledger/replay.js'
import { inboxTable } from '../../src/ledger/sqlite/inbox-table.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { verify } from '../../src/ledger/verify.js'
import { Absences } from '../../src/people/absences.js'
import { Directory } from '../../src/people/directory.js'
import { Rests } from '../../src/people/rests.js'
import type { Channel, Proof } from '../../src/request/channel.js'
import { openKeyring } from '../../src/token/keyring.js'
import { present, type Server, startPostgres, tell } from '../cluster/postgres.js'
import { configure, StageAdapter, StageClock } from '../lane/stage.js'
import { question, startLane } from '../lane-under-test.js'
import { SEAL_KEY } from '../unlocked.js'
import { until } from '../until.js'
import { started } from './craft.js'

const FOLDER = new URL('../vectors/stores/1/', import.meta.url)
const PINS: Readonly<Record<string, string>> = {
  'lane.yaml': 'd3aabd496f892cea2f523cf3c521b22dc694af93d890908ae4512dd108ec84d1',
  'ledger.db': '0a3c36d5a977c6dddb9eb9b00f5a54f3c8f2cb188ec58fb2c441cf346acd1e20',
  'operator.key': '85f56e11aac38e3916a48d53108567707c78b1ece1ae85f804d67de1f5b6985b',
  'postgres.json': '033de00ca39b4d80b19b939a0f9b6969ff157b124c467f9330bbfda7f7caa5d2',
  'postgres.sql': 'ce208a73a6fbfaac88e62d620922749c007cfdcca16b161f2f7dd48cbac5e0ca',
  secret: 'ee8de2964187c6e3c6e5ea8612b81fe926cb95af354ab471d57138bdd3de9dd2',
  'sqlite.json': '089ff1db8995b2545e66bb91789497628edc2cdbc13e8abed3e6eca6e526a754',
}

type Copy = {
  readonly request_id: string
  readonly user_id: string
  readonly channel: Channel
  readonly address: unknown
  readonly handle: string
  readonly code: string
}
/** What only those who were there know of a store. */
type Known = {
  readonly now: string
  readonly entries: number
  readonly head: string
  readonly keys: readonly { readonly key_id: string; readonly secret: string; readonly revoked?: true }[]
  readonly open: readonly string[]
  readonly copies: readonly Copy[]
  readonly policy_tokens: { readonly unspent: string }
  readonly lane_secret?: string
}

const ANSWERS: Readonly<Record<string, string>> = {
  'open-slack': 'yes',
  'open-email': 'wie gehabt',
  'open-telegram': 'b',
  'open-sms': 'max spend 50 chips',
  'open-web': '2100-02-01',
  'open-approval': 'YES',
  'open-multi': 'a, b',
  'open-guessed': 'no',
  'open-callback': 'yes',
  'open-failing': 'no',
  'open-directed': 'yes',
  'open-linked': 'no',
}
const PROOF: Readonly<Record<Channel, Proof>> = {
  slack: 'slack_signed',
  email: 'dmarc',
  telegram: 'telegram_id',
  sms: 'sms_from',
  web: 'console',
}

const bytesOf = (file: string): Buffer => readFileSync(new URL(file, FOLDER))
const knownOf = (file: string): Known => JSON.parse(bytesOf(file).toString())

/** The person's reply as their channel would bring it: by SMS the code stands for the handle, on the page beside it. */
function reply({ channel, address, handle, code }: Copy, text: string): Inbound {
  const common = { channel, proof: PROOF[channel], authenticated: true, automated: false, text }
  const byHandle = { binding: { kind: 'handle', handle } } as const
  if (channel === 'web') return { ...common, ...byHandle, code }
  const sender = channel === 'email' ? String(address).toLowerCase() : address
  return channel === 'sms'
    ? { ...common, sender, binding: { kind: 'code', code } }
    : { ...common, sender, ...byHandle }
}

/** A clock that stands where the store's last entry does. */
function clockOf({ now }: Known): StageClock {
  const clock = new StageClock()
  clock.wallMs = Date.parse(now)
  return clock
}

async function laneOn(store: Store, known: Known, dataDir: string) {
  const { ledger, shelf } = store
  // A question was answered by text message then without a word about it.
  const config = configure(
    `${bytesOf('lane.yaml')}questions: { proofs: [slack_signed, telegram_id, dmarc, console, sms_from] }`,
  )
  const secret = openSecret(dataDir, known.lane_secret ?? null)
  await unlock(store, secret, started)
  const keyring = await openKeyring(shelf, secret)
  if (keyring === null) throw new Error('the store has no key that signs')
  const keys = new KeyBook(store)
  await keys.reload()
  const directory = await Directory.open(config.recipients, shelf)
  const channels = Object.keys(PROOF) as Channel[]
  const keyName = (id: string): string => keys.nameOf(id)
  const lane = new Lane({
    store,
    config,
    directory,
    rests: await Rests.open(store),
    absences: await Absences.open(store),
    adapters: new Map(channels.map(channel => [channel, new StageAdapter(channel)])),
    keyring: () => keyring,
    publicUrl: () => 'https://lane.example.org',
    keyName,
    onTrouble: error => {
      throw error
    },
  })
  const desk = (channel: Channel) =>
    openDesk(channel, { lane, store, directory, keyName, onStranger: () => undefined })
  const lines = async (): Promise<string[]> => {
    const all: string[] = []
    for await (const line of ledger.lines(0)) all.push(line)
    return all
  }
  return { lane, keys, desk, lines }
}

type Kept = { readonly known: Known; readonly store: Store; readonly dataDir: string; end(): Promise<void> }

async function fromSqlite(): Promise<Kept> {
  const dataDir = copied()
  const known = knownOf('sqlite.json')
  const store = openSqlite(dataDir, clockOf(known))
  const end = async (): Promise<void> => rmSync(dataDir, { recursive: true, force: true })
  return { known, store, dataDir, end }
}

async function fromPostgres(): Promise<Kept> {
  const server: Server = await startPostgres()
  const url = await server.corner()
  await tell(url, bytesOf('postgres.sql').toString())
  const known = knownOf('postgres.json')
  const clock = clockOf(known)
  const store = await openPostgres(url, { clock, wallOf: () => clock.wallMs })
  return { known, store, dataDir: '', end: () => server.end() }
}

/** The files of the embedded store, in a directory of their own. */
function copied(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'lane-kept-'))
  for (const file of ['ledger.db', 'secret', 'operator.key'])
    copyFileSync(new URL(file, FOLDER), join(dataDir, file))
  return dataDir
}

test('the stores of rules 1 are the ones that were written then', () => {
  const hashes = readdirSync(FOLDER)
    .filter(file => file !== 'README.md')
    .map(file => [file, createHash('sha256').update(bytesOf(file)).digest('hex')])
  expect(Object.fromEntries(hashes)).toEqual(PINS)
})

describe.each([
  ['SQLite', true, fromSqlite],
  ['PostgreSQL', present, fromPostgres],
] as const)('a store of rules 1 on %s', (_name, there, open) => {
  let kept: Kept
  let scene: Awaited<ReturnType<typeof laneOn>>
  beforeAll(async () => {
    if (!there) return
    kept = await open()
    scene = await laneOn(kept.store, kept.known, kept.dataDir)
  })
  afterAll(async () => {
    if (!there) return
    await scene.lane.drain()
    await kept.store.ledger.close()
    await kept.end()
  })

  test.runIf(there)('begins with the lines it had, and they verify', async () => {
    const { entries, head } = kept.known
    const lines = (await scene.lines()).slice(0, entries)
    expect(await verify(lines)).toMatchObject({ ok: true, entries, head, problems: [] })
  })

  test.runIf(there)('is sealed as it stood, whoever wrote it then, and says so', async () => {
    const { entries, head } = kept.known
    expect(await kept.store.ledger.sealed()).toMatchObject({
      seq: entries + 1,
      body: { size: entries, hash: head },
    })
    expect(kept.store.seals.broken()).toEqual([])
  })

  test.runIf(there)('knows its keys, and which of them was revoked', () => {
    const known = kept.known.keys.map(({ secret }) => scene.keys.authenticate(secret)?.key_id ?? null)
    expect(known).toEqual(kept.known.keys.map(({ key_id, revoked }) => (revoked ? null : key_id)))
  })

  test.runIf(there)('has every open request open, each with its deadline before it', async () => {
    const { ledger } = kept.store
    const listed = await ledger.list({ open: true, limit: 100 })
    expect(listed.map(({ request_id }) => request_id).sort()).toEqual([...kept.known.open].sort())
    for (const id of kept.known.open)
      expect((await scene.lane.current(id))?.deadline_ms).toBeGreaterThan(ledger.now())
  })

  test.runIf(there)('holds nothing of these in quiet hours: they were opened without terms', async () => {
    for (const id of kept.known.open) {
      const subject = await scene.lane.current(id)
      if (subject === null) throw new Error(`no request ${id}`)
      expect(subject.terms).toBeNull()
      const now = kept.store.ledger.now()
      expect(holdUntil(subject, 'owner', now, { quietUntil: () => now + 1000 })).toBeNull()
    }
  })

  test.runIf(there)(
    'has given everybody the inbox that its stories make: what waits, and what has ended',
    async () => {
      const { ledger } = kept.store
      const all = await ledger.list({ limit: 1000 })
      const cases = await Promise.all(all.map(({ request_id }) => scene.lane.current(request_id)))
      const people = new Set(cases.flatMap(one => one?.asked.map(({ user_id }) => user_id) ?? []))
      expect(people.size).toBeGreaterThan(1)
      for (const user_id of people) {
        const theirs = cases.filter(one => one !== null && holds(one.asked, user_id))
        const idsOf = (isWanted: boolean) =>
          theirs.flatMap(one => (one !== null && isOpen(one) === isWanted ? [one.request_id] : [])).sort()
        const waiting = await ledger.inbox({ user_id, limit: 1000 })
        expect(waiting.map(({ request_id }) => request_id).sort()).toEqual(idsOf(true))
        for (const { request_id, deadline_ms } of waiting)
          expect([request_id, deadline_ms]).toEqual([
            request_id,
            cases.find(one => one?.request_id === request_id)?.deadline_ms,
          ])
        expect(await ledger.countWaiting(user_id, 1000)).toBe(waiting.length)
        const past = await ledger.past(user_id, Number.MAX_SAFE_INTEGER, 1000)
        expect(past.map(({ request_id }) => request_id).sort()).toEqual(idsOf(false))
      }
    },
  )

  test.runIf(there)(
    'is opened in a session by whoever is asked, on whatever channels it was asked',
    async () => {
      const subject = await scene.lane.current('open-slack')
      if (subject === null) throw new Error('nobody was asked')
      expect(subject.asked).toMatchObject([{ user_id: 'owner', channels: ['slack', 'email'] }])
      const copy = await scene.lane.openFor(subject, 'owner')
      expect(copy?.delivery).toMatchObject({ user_id: 'owner', channel: 'web', state: 'sent' })
      expect((await verify(await scene.lines())).problems).toEqual([])
    },
  )

  test.runIf(there).each(Object.entries(ANSWERS))('is answered: %s', async (id, text) => {
    const copy = kept.known.copies.find(({ request_id }) => request_id === id)
    if (copy === undefined) throw new Error(`nobody was asked ${id}`)
    const verdict = await scene.desk(copy.channel).take(reply(copy, text))
    expect(verdict).toMatchObject({ kind: 'recorded', answered_by: copy.user_id })
  })

  test.runIf(there)('lets the right that was given then be spent, once', async () => {
    const by = kept.known.keys[0]?.key_id ?? ''
    const wanted = { action: 'PUBLISH', parameters: { artifact: `sha256:${'b'.repeat(64)}` }, by }
    const token = kept.known.policy_tokens.unspent
    const first = await scene.lane.director.spend(token, { ...wanted, spend_id: 'first' })
    expect(first).toMatchObject({ kind: 'spent' })
    const second = await scene.lane.director.spend(token, { ...wanted, spend_id: 'second' })
    expect(second).toEqual({ kind: 'refused', why: 'already_spent' })
  })

  test.runIf(there)('verifies and replays after all of this', async () => {
    await scene.lane.drain()
    const lines = await scene.lines()
    expect((await verify(lines)).problems).toEqual([])
    const again = await replay(lines, id => kept.store.shelf.raw(id))
    expect(again).toMatchObject({ ok: true, erased: 1, absent: 0, problems: [] })
  })
})

describe('the first start on a store of rules 1', () => {
  const known = knownOf('sqlite.json')
  const files = (): { dataDir: string; file: string } => {
    const dataDir = copied()
    return { dataDir, file: join(dataDir, 'ledger.db') }
  }
  async function start(dataDir: string, secret = openSecret(dataDir, null)): Promise<Store> {
    const store = openSqlite(dataDir, clockOf(known))
    try {
      await unlock(store, secret, started)
    } finally {
      await store.ledger.close()
    }
    return store
  }

  test('that was cut short before LEDGER_SEALED begins anew, with another key', async () => {
    const { dataDir } = files()
    const cut = openSqlite(dataDir, clockOf(known))
    cut.seals.unlock(SEAL_KEY)
    await cut.sealAll()
    await cut.ledger.close()
    await start(dataDir)
    const store = openSqlite(dataDir, clockOf(known))
    await unlock(store, openSecret(dataDir, null), started)
    for (const id of known.open) expect((await store.ledger.story(id)).length).toBeGreaterThan(0)
    expect(await store.shelf.apiKeys()).toHaveLength(known.keys.length)
    expect(store.seals.broken()).toEqual([])
    await store.ledger.close()
  })

  test('takes away what somebody has put in the place of seals before it', async () => {
    const { dataDir, file } = files()
    const before = openSqlite(dataDir, clockOf(known))
    await before.ledger.close()
    const db = new Sqlite(file)
    db.exec(`UPDATE entries SET seal = 'theirs'`)
    db.close()
    await start(dataDir)
    const store = openSqlite(dataDir, clockOf(known))
    await unlock(store, openSecret(dataDir, null), started)
    for (const id of known.open) expect((await store.ledger.story(id)).length).toBeGreaterThan(0)
    await store.ledger.close()
  })

  test('takes no key over that was not wrapped with the secret: what it signs is not the lane’s', async () => {
    const { dataDir, file } = files()
    const db = new Sqlite(file)
    db.exec(`INSERT INTO signing_keys (kid, public_jwk, sealed_private, not_before, verify_until)
      SELECT 'theirs', public_jwk, x'00', 0, 4102444800000 FROM signing_keys LIMIT 1`)
    db.close()
    await start(dataDir)
    const store = openSqlite(dataDir, clockOf(known))
    await unlock(store, openSecret(dataDir, null), started)
    const kids = (await store.shelf.keyring()).map(({ kid }) => kid)
    expect([kids.length > 1, kids.includes('theirs')]).toEqual([true, false])
    expect(store.seals.broken()).toEqual(['key theirs of purpose reply-token'])
    await store.ledger.close()
  })

  test('seals no ledger that does not hold', async () => {
    const { dataDir, file } = files()
    const db = new Sqlite(file)
    db.exec(`DROP TRIGGER entries_are_not_changed;
      UPDATE entries SET line = replace(line, '"causes"', '"CAUSES"') WHERE seq = (
        SELECT max(seq) FROM entries WHERE type = 'REQUEST_RESOLVED')`)
    db.close()
    await expect(start(dataDir)).rejects.toThrow(/does not hold, and is not sealed as it is: entry \d+/)
  })

  test('seals nothing with another secret, or without the keys of before', async () => {
    const { dataDir, file } = files()
    await expect(start(dataDir, { bytes: new Uint8Array(32) })).rejects.toThrow(
      /no key that opens with this secret/,
    )
    const db = new Sqlite(file)
    db.exec('DELETE FROM keys')
    db.close()
    await expect(start(dataDir)).rejects.toThrow(/no key that opens with this secret/)
  })
})

test('a lane that starts on a store of rules 1 serves it: its keys are let in, its page takes the answer', async () => {
  const { keys, copies, entries } = knownOf('sqlite.json')
  const [agentKey = '', operatorKey = ''] = keys.map(({ secret }) => secret)
  const copy = copies.find(({ request_id }) => request_id === 'open-web')
  if (copy === undefined) throw new Error('nobody was asked')
  // The other channels need their providers; whoever has the link needs only the page.
  const config = 'recipients: { guest: { name: Guest, web: true } }'
  const lane = await startLane({
    dataDir: copied(),
    owned: true,
    config,
    keys: { agentKey, operatorKey },
  })
  try {
    const { handle, code, user_id } = copy
    const link = `${lane.url}/r/${handle}`
    const answered = await lane.answer({ link, code, user_id, delivery_id: '' }, '2100-02-01')
    expect([answered.status, answered.json.state]).toEqual([200, 'answered'])
    expect((await lane.call('GET', '/v1/requests/open-web')).json.answer).toMatchObject({
      answered_by: user_id,
      proof: 'console',
    })
    const { text } = await lane.call('GET', '/v1/ledger', { key: operatorKey })
    const verified = await verify(text.trimEnd().split('\n'))
    expect(verified).toMatchObject({ ok: true, problems: [] })
    expect(verified.entries).toBeGreaterThan(entries)
  } finally {
    await lane.close()
  }
})

test('the inbox that a store is given is the one that is kept as it goes: handed on, escalated, settled', async () => {
  const lane = await startLane({
    config: `recipients:
  ann: { name: Ann, web: true, delegates: [bo] }
  bo: { name: Bo, web: true, delegates: [ann] }
  cy: { name: Cy, web: true }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`,
  })
  try {
    for (const id of ['waits', 'handed', 'handed-settled', 'settled'])
      await lane.submit(question(id), { recipients: ['ann'] })
    const ladder = [{ after_seconds: 1, do: 'add', recipients: ['cy'] }]
    await lane.submit(question('escalated'), { recipients: ['ann'], ladder })
    await until('the step', async () => (await lane.call('GET', '/v1/requests/escalated')).json.escalations)
    for (const id of ['handed', 'handed-settled'])
      await lane.answer(await lane.link(id, 'ann'), 'DELEGATE bo')
    await lane.answer(await lane.link('handed-settled', 'bo'), 'yes')
    await lane.answer(await lane.link('settled', 'ann'), 'no')
    const db = new Sqlite(join(lane.dataDir, 'ledger.db'))
    const rows = (): unknown[] => db.prepare('SELECT * FROM inbox ORDER BY opened_seq, user_id').all()
    const kept = rows()
    db.exec('BEGIN; DROP TABLE inbox')
    db.exec(inboxTable)
    const given = rows()
    db.exec('ROLLBACK')
    db.close()
    expect(given).toEqual(kept)
    const own = kept.map(one => one as { user_id: string; over_seq: number | null })
    const over = (user: string) => own.filter(one => one.user_id === user).map(one => one.over_seq !== null)
    expect([over('ann'), over('bo'), over('cy')]).toEqual([
      [false, true, true, true, false],
      [false, true],
      [false],
    ])
  } finally {
    await lane.close()
  }
})
