// An intruder who can write the database and does not have the lane's secret: their deeds on either store, with a
// real lane on it before, beside and after.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Desk } from '../../src/adapter/contract.js'
import { openDesk } from '../../src/channel/desk.js'
import type { Draft, Entry } from '../../src/event.js'
import { KeyBook } from '../../src/keys/key-book.js'
import { keepKeyring, type Signing } from '../../src/keys/signing.js'
import { unlock } from '../../src/keys/unlocking.js'
import { Lane } from '../../src/lane/lane.js'
import type { Store } from '../../src/ledger/contract.js'
import { inscribe, parseEntry } from '../../src/ledger/entry.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { LEDGER_FILE, openSqlite } from '../../src/ledger/sqlite/open.js'
import { Absences } from '../../src/people/absences.js'
import { Directory } from '../../src/people/directory.js'
import { Rests } from '../../src/people/rests.js'
import type { Channel } from '../../src/request/channel.js'
import { ask, present, startPostgres } from '../cluster/postgres.js'
import { configure, SECRET, StageAdapter, StageClock } from '../lane/stage.js'
import { started } from './craft.js'

export const CONFIG = `
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, telegram: link, web: true, channels: [slack] }
actions:
  PUBLISH: { approvers: [owner], proofs: [slack_signed] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`

type Row = Record<string, unknown>
type Place = {
  open(clock: StageClock): Promise<Store>
  sql<T extends Row>(text: string): Promise<T[]>
  /** A text that PostgreSQL keeps as bytes. */
  bytes(text: string): string
  /** Whoever owns the tables drops what refuses. */
  readonly disarm: string
  /** What the cluster's head is to say; the file has no such row. */
  head(entry: Entry): string
  end(): Promise<void>
}

async function sqlitePlace(): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'intruder-'))
  return {
    open: async clock => openSqlite(dir, clock),
    async sql<T extends Row>(text: string) {
      const db = new Sqlite(join(dir, LEDGER_FILE))
      try {
        if (/^\s*SELECT/i.test(text)) return db.prepare(text).all() as T[]
        db.exec(text)
        return []
      } finally {
        db.close()
      }
    },
    bytes: text => `'${text}'`,
    disarm: 'DROP TRIGGER entries_are_not_changed; DROP TRIGGER entries_are_not_removed',
    head: () => '',
    end: async () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** One server for all, a corner of it for each. */
async function postgresPlaces() {
  const server = await startPostgres()
  const place = async (): Promise<Place> => {
    const url = await server.corner()
    return {
      open: clock => openPostgres(url, { clock, wallOf: () => clock.wallMs }),
      sql: text => ask(url, text),
      bytes: text => `'\\x${Buffer.from(text).toString('hex')}'::bytea`,
      disarm: 'ALTER TABLE entries DISABLE TRIGGER USER',
      head: ({ seq, hash }) => `UPDATE head SET size = ${seq + 1}, hash = '${hash}'`,
      end: async () => undefined,
    }
  }
  return { place, end: () => server.end() }
}

type Places = { place(): Promise<Place>; end(): Promise<void> }
const sqlitePlaces = async (): Promise<Places> => ({ place: sqlitePlace, end: async () => undefined })

export const STORES: readonly (readonly [name: string, there: boolean, open: () => Promise<Places>])[] = [
  ['SQLite', true, sqlitePlaces],
  ['PostgreSQL', present, postgresPlaces],
]

type Cast = { store: Store; lane: Lane; keys: KeyBook; signing: Signing; desk(channel: Channel): Desk }

export class Intrusion {
  readonly place: Place
  readonly clock = new StageClock()
  readonly slack = new StageAdapter('slack')
  #cast: Cast | null = null

  private constructor(place: Place) {
    this.place = place
  }

  static async begin({ place }: Places): Promise<Intrusion> {
    const scene = new Intrusion(await place())
    await scene.start()
    return scene
  }

  get cast(): Cast {
    if (this.#cast === null) throw new Error('the lane is not started')
    return this.#cast
  }

  get broken(): readonly string[] {
    return this.cast.store.seals.broken()
  }

  /** As main.ts puts it together, as far as the store is concerned. */
  async start(): Promise<void> {
    const store = await this.place.open(this.clock)
    try {
      await unlock(store, SECRET, started)
    } catch (error) {
      await store.ledger.close()
      throw error
    }
    const config = configure(CONFIG)
    const signing = await keepKeyring(store, SECRET, 0, error => {
      throw error
    })
    const keys = new KeyBook(store)
    await keys.reload()
    const directory = await Directory.open(config.recipients, store.shelf)
    const lane = new Lane({
      store,
      config,
      directory,
      rests: await Rests.open(store),
      absences: await Absences.open(store),
      adapters: new Map([['slack', this.slack]]),
      keyring: signing.current,
      publicUrl: () => 'https://lane.example.org',
      keyName: id => id,
      onTrouble: () => undefined,
    })
    const desk = (channel: Channel): Desk =>
      openDesk(channel, { lane, store, directory, keyName: id => id, onStranger: () => undefined })
    this.#cast = { store, lane, keys, signing, desk }
  }

  async stop(): Promise<void> {
    const { lane, signing, store } = this.cast
    this.#cast = null
    await lane.drain()
    signing.stop()
    await store.ledger.close()
  }

  /** The lane is stopped, somebody writes to the database, and the lane is started again. */
  async restartAfter(...sql: readonly string[]): Promise<void> {
    await this.stop()
    await this.write(...sql)
    await this.start()
  }

  async write(...sql: readonly string[]): Promise<void> {
    for (const text of sql.filter(one => one !== '')) await this.place.sql(text)
  }

  async entries(): Promise<Entry[]> {
    const rows = await this.place.sql<{ line: string }>('SELECT line FROM entries ORDER BY seq')
    return rows.map(({ line }) => parseEntry(line))
  }

  async seqsOf(requestId: string): Promise<number[]> {
    return (await this.entries()).filter(entry => entry.request_id === requestId).map(({ seq }) => seq)
  }

  /** The statements that put these at the end of the ledger, as part of a request's story, each with its right hash. */
  async forged(requestId: string, drafts: readonly Draft[], state: string): Promise<string[]> {
    const entries = await this.entries()
    const [opened] = entries.filter(entry => entry.request_id === requestId)
    if (opened === undefined) throw new Error(`no request ${requestId}`)
    let last = entries.at(-1) as Entry
    const inserts = drafts.map(draft => {
      const { entry, line } = inscribe(draft, { seq: last.seq + 1, at: last.at, prev: last.hash })
      last = entry
      return `INSERT INTO entries (seq, type, story, line)
        VALUES (${entry.seq}, '${entry.type}', ${opened.seq}, '${line.replaceAll("'", "''")}')`
    })
    const version = entries.filter(entry => entry.request_id === requestId).length + drafts.length
    const request = `UPDATE requests SET version = ${version}, state = '${state}' WHERE request_id = '${requestId}'`
    return [...inserts, request, this.place.head(last)]
  }

  /** The statements that put these entries back as they stand now, with their seals. */
  async copied(seqs: readonly number[]): Promise<string[]> {
    const rows = await this.place.sql<{
      seq: number
      type: string
      story: number
      line: string
      seal: string
    }>(`SELECT seq, type, story, line, seal FROM entries WHERE seq IN (${seqs.join(', ')}) ORDER BY seq`)
    return rows.map(({ seq, type, story, line, seal }) => {
      const texts = [type, line, seal].map(one => (one === null ? 'NULL' : `'${one.replaceAll("'", "''")}'`))
      return `INSERT INTO entries (seq, story, type, line, seal) VALUES (${seq}, ${story}, ${texts.join(', ')})`
    })
  }

  /** The statements that put these rows of a table beside the ledger back as they stand now, with their seals. */
  async copiedRows(table: string, where: string): Promise<string[]> {
    const rows = await this.place.sql<Record<string, string | number | null>>(
      `SELECT * FROM ${table} ${where}`,
    )
    return rows.map(row => {
      const values = Object.values(row).map(one =>
        typeof one === 'string' ? `'${one}'` : String(one ?? 'NULL'),
      )
      return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`
    })
  }

  /** The statements that leave the ledger its first entries, and forget what was made of the others. */
  async rolledBackTo(size: number): Promise<string[]> {
    const last = (await this.entries())[size - 1] as Entry
    const made = ['claims', 'grants', 'refs', 'policy_tokens'].map(table => `DELETE FROM ${table}`)
    return [
      this.place.disarm,
      `DELETE FROM entries WHERE seq >= ${size}`,
      `DELETE FROM requests WHERE opened_seq >= ${size}`,
      ...made,
      this.place.head(last),
    ]
  }

  /** The statements that change one entry and hash it and all after it anew. */
  async rewritten(seq: number, change: (entry: Entry) => Entry): Promise<string[]> {
    const entries = await this.entries()
    const statements = [this.place.disarm]
    let prev = entries[seq]?.prev
    for (const entry of entries.slice(seq)) {
      const { v: _, hash: __, seq: at, ...rest } = entry.seq === seq ? change(entry) : entry
      const { at: time, prev: ___, ...draft } = rest
      const written = inscribe(draft as Draft, { seq: at, at: time, prev: prev ?? entry.prev })
      prev = written.entry.hash
      statements.push(
        `UPDATE entries SET line = '${written.line.replaceAll("'", "''")}' WHERE seq = ${entry.seq}`,
      )
      if (entry.seq === entries.length - 1) statements.push(this.place.head(written.entry))
    }
    return statements
  }

  async end(): Promise<void> {
    if (this.#cast !== null) await this.stop()
    await this.place.end()
  }
}

/** A fresh scene for each test, on a server that the tests of a suite share. */
export function intrudeEach(
  there: boolean,
  open: () => Promise<Places>,
  use: (scene: Intrusion) => void,
): void {
  let places: Places | null = null
  let scene: Intrusion | null = null
  beforeAll(async () => {
    if (there) places = await open()
  })
  beforeEach(async () => {
    if (places === null) return
    scene = await Intrusion.begin(places)
    use(scene)
  })
  afterEach(() => scene?.end())
  afterAll(() => places?.end())
}
