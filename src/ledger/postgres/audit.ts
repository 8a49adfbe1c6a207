// For auditors: the same database, read in one transaction, so that lanes that go on writing do not move the ledger
// under the audit. It can change nothing, and needs no more than the right to read.

import type { SealedLine } from '../seals.js'
import type { KeyRow, RawReply } from '../shelf.js'
import { type Client, connector, leave, query, type Statement } from './connection.js'

const PAGE = 1000

const linesWith = (columns: string): Statement => ({
  name: `audit_${columns}`,
  text: `SELECT seq, ${columns} FROM entries WHERE seq > $1 ORDER BY seq LIMIT $2`,
})
const SEALED: Statement = {
  name: 'audit_sealed',
  text: `SELECT to_regclass('keys') IS NOT NULL AS sealed`,
}
const KEYS: Statement = { name: 'audit_keys', text: 'SELECT * FROM keys' }
const RAWS: Statement = {
  name: 'audit_raws',
  text: 'SELECT reply_id, request_id, salt, raw, beside FROM raw_replies',
}
const EVIDENCE: Statement = { name: 'audit_evidence', text: 'SELECT reply_id, evidence FROM evidence' }
const HAS_EVIDENCE: Statement = {
  name: 'audit_has_evidence',
  text: `SELECT to_regclass('evidence') IS NOT NULL AS kept`,
}
const TOTAL: Statement = { name: 'audit_total', text: 'SELECT count(*) AS total FROM entries' }

export type Snapshot = {
  readonly total: number
  lines(): AsyncIterable<string>
  /** Null for a database from before there were seals. */
  readonly sealed: {
    rows(): AsyncIterable<SealedLine>
    keyring(): Promise<readonly KeyRow[]>
  } | null
  raws(): Promise<ReadonlyMap<string, RawReply>>
  /** The evidence of passkeys, by reply. */
  evidence(): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}

export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connector(url)('audit', { answerMs: 0 })
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows } = await query(client, TOTAL)
    const isSealed = (await query(client, SEALED)).rows[0]?.sealed === true
    return {
      total: Number(rows[0]?.total),
      async *lines() {
        for await (const { line } of rowsOf<{ line: string }>(client, 'line')) yield line
      },
      sealed: isSealed ? sealedIn(client) : null,
      raws: () => rawsOf(client),
      evidence: () => evidenceOf(client),
      close: () => leave(client),
    }
  } catch (error) {
    await leave(client)
    throw error
  }
}

const sealedIn = (client: Client): Snapshot['sealed'] => ({
  rows: () => rowsOf<SealedLine>(client, 'line, seal'),
  keyring: async () => (await query(client, KEYS)).rows as readonly unknown[] as readonly KeyRow[],
})

/** From the very first row, even one that no lane would have written. */
async function* rowsOf<T>(client: Client, columns: string): AsyncIterable<T> {
  const page = linesWith(columns)
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const { rows } = await query(client, { ...page, values: [last, PAGE] })
    yield* rows as readonly T[]
    const end = rows.at(-1)
    if (end === undefined) return
    last = Number(end.seq)
  }
}

async function rawsOf(client: Client): Promise<ReadonlyMap<string, RawReply>> {
  const { rows } = await query(client, RAWS)
  const replies = (rows as readonly (Omit<RawReply, 'raw'> & { raw: Buffer })[]).map(row => ({
    ...row,
    raw: row.raw.toString('utf8'),
  }))
  return new Map(replies.map(reply => [reply.reply_id, reply]))
}

async function evidenceOf(client: Client): Promise<ReadonlyMap<string, string>> {
  // A database of before there were passkeys has no table for it.
  if ((await query(client, HAS_EVIDENCE)).rows[0]?.kept !== true) return new Map()
  const { rows } = await query(client, EVIDENCE)
  return new Map(rows.map(({ reply_id, evidence }) => [String(reply_id), String(evidence)]))
}
