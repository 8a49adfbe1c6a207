// For auditors: the same database, read in one transaction, so that lanes that go on writing do not move the ledger under
// the audit. It can change nothing, and needs no more than the right to read.
import type { RawReply } from '../contract.js'
import { type Client, connector, leave, query, type Statement } from './connection.js'

const PAGE = 1000

const LINES: Statement = {
  name: 'audit_lines',
  text: 'SELECT seq, line FROM entries WHERE seq > $1 ORDER BY seq LIMIT $2',
}
const RAWS: Statement = {
  name: 'audit_raws',
  text: 'SELECT reply_id, request_id, salt, raw FROM raw_replies',
}
const TOTAL: Statement = { name: 'audit_total', text: 'SELECT count(*) AS total FROM entries' }

export type Snapshot = {
  readonly total: number
  lines(): AsyncIterable<string>
  raws(): Promise<ReadonlyMap<string, RawReply>>
  close(): Promise<void>
}

export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connector(url)('audit', { answerMs: 0 })
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows } = await query(client, TOTAL)
    return {
      total: Number(rows[0]?.total),
      lines: () => linesOf(client),
      raws: () => rawsOf(client),
      close: () => leave(client),
    }
  } catch (error) {
    await leave(client)
    throw error
  }
}

async function* linesOf(client: Client): AsyncIterable<string> {
  // From the very first row, even one that no lane would have written.
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const { rows } = await query(client, { ...LINES, values: [last, PAGE] })
    for (const { line } of rows as readonly { line: string }[]) yield line
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
