// The sources of an audit: an export, a backup, the ledger beside us, the cluster's database, or a lane over HTTP.
// All give the same lines, so the same check is made on each.

import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { type Endpoint, openStream, type Trouble } from '../client/call.js'
import { isFields } from '../client/case.js'
import { plainTextIn } from '../config/plain-text.js'
import type { Environment } from '../config/settings.js'
import type { SealedLine } from '../ledger/seals.js'
import type { KeyRow, RawReply } from '../ledger/shelf.js'
import { LEDGER_FILE, openReadOnly } from '../ledger/sqlite/open.js'
import type { Shell } from './command.js'
import { clientSettings } from './environment.js'
import { writeWhole } from './file.js'
import { linesOf } from './lines.js'
import { complain, enter } from './tell.js'

/** The raw words, by reply; null if the source does not have them. */
type Words = {
  readonly lines: AsyncIterable<string>
  raw(replyId: string): RawReply | null
  /** The evidence of a passkey, by reply; null if the source does not have any. */
  readonly evidence: ((replyId: string) => string | null) | null
  /** False for an export, which never holds them: then their absence says nothing. */
  readonly complete: boolean
}

export type SealedSource = {
  rows(): AsyncIterable<SealedLine>
  keyring(): Promise<readonly KeyRow[]>
}

export type Source = {
  readonly name: string
  /** The number of entries, if it can be known beforehand. */
  readonly total: number | null
  /** The meaning of a source without entries, and the remedy: a lane that starts writes LANE_STARTED first. */
  readonly ifEmpty: string
  lines(): AsyncIterable<string>
  /** The lines with their seals, and the keyring they were made with; null for a source without seals, and then
   *  `ifUnsealed` says why. */
  readonly sealed: SealedSource | null
  readonly ifUnsealed: string
  /** These lines, with the words beside them. */
  withWords(lines: AsyncIterable<string>): Promise<Words>
  close(): void
}

/** Thrown inside an iteration for a stream that did not begin, and told as any other trouble. */
export class SourceTrouble extends Error {
  override readonly name = 'SourceTrouble'
  readonly trouble: Trouble
  readonly endpoint: Endpoint
  constructor(trouble: Trouble, endpoint: Endpoint) {
    super(trouble.kind)
    this.trouble = trouble
    this.endpoint = endpoint
  }
}

/** The file that is named; else the ledger beside us; else a lane over HTTP. Null after saying why there is none. */
export async function chooseSource(shell: Shell, file: string | undefined): Promise<Source | null> {
  const database = file === undefined ? sharedLedger(shell.env) : null
  if (database !== null)
    return await opening(shell, 'the database', async () => databaseSource(encrypted(database, shell.env)))
  const named = file ?? localLedger(shell.env)
  if (named !== null) return await opening(shell, named, () => openFile(named))
  const endpoint = enter(shell)
  return endpoint === null ? null : httpSource(endpoint)
}

async function opening(shell: Shell, name: string, open: () => Promise<Source>): Promise<Source | null> {
  try {
    return await open()
  } catch (error) {
    complain(shell, [`${name} cannot be read: ${error instanceof Error ? error.message : error}`])
    return null
  }
}

/** The cluster's ledger, unless LANE_URL says that another lane is meant. */
const sharedLedger = (env: Environment): string | null =>
  env.LANE_URL?.trim() ? null : env.DATABASE_URL?.trim() || null

/** An audit over a connection that others could change proves nothing. */
function encrypted(database: string, env: Environment): string {
  const plain = plainTextIn(name => env[name]?.trim() || null)
  const flaw = plain.find(({ variable, permitted }) => variable === 'DATABASE_URL' && !permitted)
  if (flaw !== undefined) throw new Error(flaw.message)
  return database
}

/** The ledger beside us, unless LANE_URL says that another lane is meant. */
function localLedger(env: Environment): string | null {
  const read = clientSettings(env)
  if (!read.ok || env.LANE_URL?.trim()) return null
  const file = join(read.settings.dataDir, LEDGER_FILE)
  return existsSync(file) ? file : null
}

const SQLITE_MAGIC = 'SQLite format 3\0'

async function openFile(file: string): Promise<Source> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(SQLITE_MAGIC.length),
      0,
      SQLITE_MAGIC.length,
      0,
    )
    const isSqlite = buffer.toString('latin1', 0, bytesRead) === SQLITE_MAGIC
    return isSqlite ? sqliteSource(file) : exportSource(file)
  } finally {
    await handle.close()
  }
}

const NEVER_STARTED =
  'no lane has started on this ledger yet, or its entries were removed; `lane serve` writes the first one'

const BEFORE_SEALS = 'it was written by a lane that did not seal'

const exportSource = (file: string): Source => ({
  name: file,
  total: null,
  sealed: null,
  ifUnsealed: 'an export has none',
  ifEmpty:
    'every ledger begins with LANE_STARTED, so the export failed or the file was emptied; export again with ' +
    '`lane ledger export FILE`',
  lines: () => linesOf(createReadStream(file)),
  withWords: async lines => ({ lines, raw: () => null, evidence: null, complete: false }),
  close: () => undefined,
})

const PAGE = 1000

/** One transaction for the whole reading: a lane that goes on writing does not move the ledger under the audit. */
function sqliteSource(file: string): Source {
  const db = openReadOnly(file)
  db.exec('BEGIN')
  const total = db.prepare('SELECT count(*) FROM entries').pluck().get() as number
  return {
    name: file,
    total,
    ifEmpty: NEVER_STARTED,
    sealed: hasSeals(db) ? sealedIn(db) : null,
    ifUnsealed: BEFORE_SEALS,
    async *lines() {
      for (const { line } of rowsOf<{ line: string }>(db, 'line')) yield line
    },
    async withWords(lines) {
      // A ledger of rules 1 has nothing beside its replies, and no column for it.
      const row = db.prepare('SELECT * FROM raw_replies WHERE reply_id = ?')
      const raw = (replyId: string): RawReply | null => (row.get(replyId) as RawReply | undefined) ?? null
      return { lines, raw, evidence: evidenceIn(db), complete: true }
    },
    close: () => void db.close(),
  }
}

const hasSeals = (db: Database): boolean =>
  (db.pragma('table_info(entries)') as { name: string }[]).some(({ name }) => name === 'seal')

/** A ledger of before there were passkeys has no table for it, and nothing that needs one. */
function evidenceIn(db: Database): Words['evidence'] {
  const table = db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'evidence'`).get()
  if (table === undefined) return () => null
  const kept = db.prepare('SELECT evidence FROM evidence WHERE reply_id = ?').pluck()
  return replyId => (kept.get(replyId) as string | undefined) ?? null
}

const sealedIn = (db: Database): SealedSource => ({
  async *rows() {
    yield* rowsOf<SealedLine>(db, 'line, seal')
  },
  keyring: async () => db.prepare('SELECT * FROM keys').all() as KeyRow[],
})

/** Every row from the very first, even one that no lane would have written. */
function* rowsOf<T>(db: Database, columns: string): Iterable<T> {
  const page = db.prepare(`SELECT seq, ${columns} FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`)
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(last, PAGE) as (T & { seq: number })[]
    yield* rows
    const end = rows.at(-1)
    if (end === undefined) return
    last = end.seq
  }
}

async function databaseSource(url: string): Promise<Source> {
  const { openSnapshot } = await import('../ledger/postgres/audit.js')
  const snapshot = await openSnapshot(url)
  return {
    name: 'the database',
    total: snapshot.total,
    ifEmpty: NEVER_STARTED,
    sealed: snapshot.sealed,
    ifUnsealed: BEFORE_SEALS,
    lines: snapshot.lines,
    async withWords(lines) {
      const words = await snapshot.raws()
      const kept = await snapshot.evidence()
      return {
        lines,
        raw: replyId => words.get(replyId) ?? null,
        evidence: replyId => kept.get(replyId) ?? null,
        complete: true,
      }
    },
    close: () => void snapshot.close(),
  }
}

const httpSource = (endpoint: Endpoint): Source => {
  const directory = mkdtempSync(join(tmpdir(), 'lane-audit-'))
  return {
    name: endpoint.url,
    total: null,
    sealed: null,
    ifUnsealed: 'a lane gives out none over HTTP',
    ifEmpty:
      'a lane that runs has written LANE_STARTED, so this is no ledger of one; see what LANE_URL names',
    lines: () => linesOf(streamOf(endpoint, '/v1/ledger')),
    async withWords(lines) {
      // The lines are kept first and the words fetched after: the words of every reply are stored by then.
      const file = join(directory, 'ledger.ndjson')
      await writeWhole(file, ended(lines))
      const words = await fetchWords(endpoint)
      const raw = (replyId: string): RawReply | null => words.get(replyId) ?? null
      return { lines: linesOf(createReadStream(file)), raw, evidence: null, complete: true }
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Each line with its end, as an export has it. */
export async function* ended(lines: AsyncIterable<string>): AsyncIterable<string> {
  for await (const line of lines) yield `${line}\n`
}

async function* streamOf(endpoint: Endpoint, path: string): AsyncIterable<Uint8Array> {
  const stream = await openStream(endpoint, path)
  if (stream.kind !== 'stream') throw new SourceTrouble(stream, endpoint)
  yield* stream.chunks
}

async function fetchWords(endpoint: Endpoint): Promise<ReadonlyMap<string, RawReply>> {
  const words = new Map<string, RawReply>()
  for await (const line of linesOf(streamOf(endpoint, '/v1/raw-replies'))) {
    const reply = readRaw(JSON.parse(line))
    words.set(reply.reply_id, reply)
  }
  return words
}

function readRaw(row: unknown): RawReply {
  if (!isFields(row)) throw new Error('a raw reply is not an object')
  const { reply_id, request_id, salt, raw, beside } = row
  return {
    reply_id: String(reply_id),
    request_id: String(request_id),
    salt: Buffer.from(String(salt), 'base64url'),
    raw: String(raw),
    ...(typeof beside === 'string' && { beside }),
  }
}
