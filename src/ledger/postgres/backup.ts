// A consistent copy of the whole store while every replica goes on writing: one transaction's view, as the file an
// embedded lane would have. An auditor reads it with nothing but the lane, and a lane can be started from it;
// PostgreSQL itself is restored from its own pg_dump.
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { migrate } from '../sqlite/schema.js'
import { type Client, type Connect, leave, type Row } from './connection.js'

const PAGE = 500

/** Each table's columns; a star marks columns that are bytes here and text there. */
const TABLES: Readonly<Record<string, string>> = {
  entries: 'seq type story line seal nodes',
  requests: 'opened_seq request_id version type state resolved_seq run_id opened_by alarm_ms',
  inbox: 'opened_seq user_id deadline_ms type urgency over_seq',
  directed_runs: 'run_id',
  policy_tokens: 'jti request_id',
  claims: 'space value*',
  asked: 'opened_by user_id ms seq',
  attempts: 'delivery_id under* count',
  open_codes: 'channel user_id request_id handle_hash',
  code_misses: 'channel user_id ms count',
  code_rests: 'channel user_id until_ms length_ms',
  grants: 'handle_hash use code_hash token request_id delivery_id channel user_id seal',
  refs: 'channel ref* delivery_id handle_hash seal',
  raw_replies: 'reply_id request_id salt raw* beside',
  evidence: 'reply_id evidence',
  passkeys: 'credential_hash credential_id user_id public_key by seal',
  cursors: 'channel cursor*',
  callbacks: 'request_id url seal',
  links: 'user_id channel address* seal',
  invitations: 'code_hash user_id channel expires_ms seal',
  away: 'user_id from_ms until_ms deputy seal',
  enrolments: 'request_id user_id claim seal',
  keys: 'kid purpose public_jwk wrapped not_before verify_until renewed_at seal',
  checkpoint: 'size note at_ms',
  api_keys: 'key_id name scopes secret_hash created_at revoked_at owner urgent seal',
  bundles: 'key_id list bytes',
  blob_use: 'key_id bytes',
}
/** What is laid out otherwise there: each content that a key has sent is a bundle of its own (../sqlite/late-tables.ts). */
const READ_FROM: Readonly<Record<string, string>> = {
  bundles: `(SELECT o.key_id, substr(o.handle, 8) || lpad(to_hex(o.size), 8, '0') AS list, b.bytes
    FROM blob_owners o JOIN blobs b USING (handle)) AS each`,
}
/** The order in which grants were made is the order of their rows there. */
const ORDER: Readonly<Record<string, string>> = { entries: 'ORDER BY seq', grants: 'ORDER BY place' }

export async function* copyOut(connect: Connect): AsyncIterable<Uint8Array> {
  const directory = await mkdtemp(join(tmpdir(), 'lane-backup-'))
  const file = join(directory, 'ledger.db')
  try {
    await copyTo(file, connect)
    yield* createReadStream(file)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function copyTo(file: string, connect: Connect): Promise<void> {
  const client = await connect('backup', { answerMs: 0 })
  const db = new Sqlite(file)
  try {
    // Nobody reads the file before it is whole.
    db.pragma('synchronous = OFF')
    migrate(db)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const table of Object.keys(TABLES)) await copyTable(table, client, db)
    const { rows } = await client.query('SELECT size, frontier, seal FROM head')
    db.prepare('UPDATE head SET size = @size, frontier = @frontier, seal = @seal').run(rows[0])
  } finally {
    db.close()
    await leave(client)
  }
}

async function copyTable(table: string, client: Client, db: Database): Promise<void> {
  const columns = (TABLES[table] ?? '').split(' ')
  const names = columns.map(column => column.replace('*', ''))
  const spelt = new Set(columns.filter(column => column.endsWith('*')).map(column => column.slice(0, -1)))
  const put = db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(name => `@${name}`).join(', ')})`,
  )
  const putAll = db.transaction((rows: readonly Row[]) => {
    for (const row of rows) put.run(spell(row, spelt))
  })
  await client.query(
    `DECLARE ${table}_copy NO SCROLL CURSOR FOR SELECT ${names.join(', ')} FROM ${READ_FROM[table] ?? table} ${ORDER[table] ?? ''}`,
  )
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${PAGE} FROM ${table}_copy`)
    if (rows.length === 0) return
    putAll(rows)
  }
}

const spell = (row: Row, spelt: ReadonlySet<string>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      spelt.has(name) && Buffer.isBuffer(value) ? value.toString('utf8') : value,
    ]),
  )
