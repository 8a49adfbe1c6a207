// How a leaf of a judged batch is written: one statement for all rows of a table, in an order in which they need each
// other. The rows come as one JSON value; what was bytes comes as hexadecimal.
import type { Hash } from '../../canonical.js'
import type { Statement } from './connection.js'
import { HOUR_MS } from './facts.js'
import type { Leaf } from './page.js'

export type Head = {
  readonly size: number
  readonly hash: Hash
  readonly at_ms: number
  /** The seq of a CLOCK_SUSPECT that nothing has answered yet. */
  readonly suspected: number | null
  /** Those of the last LANE_STARTED. */
  readonly rules: string
}

/** Rows by table, and within a table by what makes them one. */
export type Rows = Map<string, Map<string | symbol, object>>
export type Write = Statement & { readonly values: readonly unknown[] }

const ENTRIES: Statement = {
  name: 'write_entries',
  text: `INSERT INTO entries (seq, type, story, line)
    SELECT $1::bigint + place - 1, type, story::bigint, line
    FROM unnest(string_to_array($2, ','), string_to_array($3, ',', ''), string_to_array($4, E'\\n'))
      WITH ORDINALITY AS x (type, story, line, place)`,
}
const OPENED: Statement = {
  name: 'write_opened',
  text: `INSERT INTO requests (opened_seq, request_id, version, type, state, run_id, opened_by, alarm_ms)
    SELECT opened_seq, request_id, version, type, state, run_id, opened_by, alarm_ms
    FROM json_populate_recordset(NULL::requests, $1)`,
}
const CHANGED: Statement = {
  name: 'write_changed',
  text: `UPDATE requests q SET version = x.version, state = x.state, alarm_ms = x.alarm_ms
    FROM json_populate_recordset(NULL::requests, $1) AS x WHERE q.opened_seq = x.opened_seq`,
}
const HEAD: Statement = {
  name: 'write_head',
  text: 'UPDATE head SET size = $1, hash = $2, at_ms = $3, suspected = $4, rules = $5',
}
const FORGET: Statement = {
  name: 'write_forget',
  text: `DELETE FROM asked a USING json_populate_recordset(NULL::asked, $1) AS x
    WHERE a.opened_by = x.opened_by AND a.user_id = x.user_id AND a.ms <= $2`,
}

const insert = (table: string, columns: string, after = ''): Statement => ({
  name: `write_${table}`,
  text: `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1) ${after}`,
})
/** `bytes` come as hexadecimal. */
const insertBytes = (table: string, columns: readonly string[], bytes: readonly string[], after = '') => {
  const given = columns.map(column => (bytes.includes(column) ? `decode(${column}, 'hex')` : column))
  return {
    name: `write_${table}`,
    text: `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${given.join(', ')}
      FROM json_to_recordset($1) AS x (${columns.map(column => `${column} text`).join(', ')}) ${after}`,
  }
}

/** What is written beside the entries, in this order: what is erased must be there before. */
const BESIDE: Readonly<Record<string, Statement>> = {
  claims: insertBytes('claims', ['space', 'value'], ['value']),
  asked: insert('asked', 'opened_by, user_id, ms, seq'),
  attempts: {
    name: 'write_attempts',
    text: `INSERT INTO attempts (delivery_id, sender, count) SELECT delivery_id, decode(sender, 'hex'), count
      FROM json_to_recordset($1) AS x (delivery_id text, sender text, count bigint)
      ON CONFLICT (delivery_id, sender) DO UPDATE SET count = excluded.count`,
  },
  directed_runs: insert('directed_runs', 'run_id', 'ON CONFLICT DO NOTHING'),
  policy_tokens: insert('policy_tokens', 'jti, request_id'),
  grants: insert('grants', 'handle_hash, code_hash, token, request_id, delivery_id, channel, user_id'),
  refs: insertBytes(
    'refs',
    ['channel', 'ref', 'delivery_id', 'handle_hash'],
    ['ref'],
    `ON CONFLICT (channel, ref) DO UPDATE
      SET delivery_id = excluded.delivery_id, handle_hash = excluded.handle_hash`,
  ),
  raw_replies: insertBytes('raw_replies', ['reply_id', 'request_id', 'salt', 'raw'], ['salt', 'raw']),
  cursors: insertBytes(
    'cursors',
    ['channel', 'cursor'],
    ['cursor'],
    'ON CONFLICT (channel) DO UPDATE SET cursor = excluded.cursor',
  ),
  callbacks: insert('callbacks', 'request_id, url'),
  links: insertBytes(
    'links',
    ['user_id', 'channel', 'address'],
    ['address'],
    'ON CONFLICT (user_id, channel) DO UPDATE SET address = excluded.address',
  ),
  invitations: insert('invitations', 'code_hash, user_id, channel, expires_ms'),
  api_keys: insert(
    'api_keys',
    'key_id, name, scopes, secret_hash, created_at, revoked_at',
    `ON CONFLICT (key_id) DO UPDATE SET revoked_at = excluded.revoked_at WHERE api_keys.revoked_at IS NULL`,
  ),
  erasures: {
    name: 'write_erasures',
    text: `DELETE FROM raw_replies r USING json_to_recordset($1) AS x (reply_id text) WHERE r.reply_id = x.reply_id`,
  },
}

export function writesOf(leaf: Leaf, atMs: number): readonly Write[] {
  return [...writesOfEntries(leaf), ...writesOfRequests(leaf), ...writesBeside(leaf, atMs)]
}

/** The page is over: this is where the next one begins. */
export const writeOfHead = ({ size, hash, at_ms, suspected, rules }: Head): Write => ({
  ...HEAD,
  values: [size, hash, at_ms, suspected, rules],
})

function writesOfEntries({ entries, lines, stories }: Leaf): Write[] {
  const [first] = entries
  if (first === undefined) return []
  const types = entries.map(({ type }) => type).join(',')
  // An entry's text holds no line feed: JSON spells it out. A story that is null is joined as nothing.
  return [{ ...ENTRIES, values: [first.seq, types, stories.join(','), lines.join('\n')] }]
}

function writesOfRequests({ opened, changed }: Leaf): Write[] {
  const writes: Write[] = []
  if (opened.size > 0) writes.push({ ...OPENED, values: [JSON.stringify([...opened.values()])] })
  if (changed.size > 0) writes.push({ ...CHANGED, values: [JSON.stringify([...changed.values()])] })
  return writes
}

function writesBeside({ rows }: Leaf, atMs: number): Write[] {
  const writes: Write[] = []
  for (const [table, statement] of Object.entries(BESIDE)) {
    const values = [...(rows.get(table)?.values() ?? [])]
    if (values.length === 0) continue
    const json = JSON.stringify(values)
    // What was asked more than an hour ago counts for nothing any more.
    if (table === 'asked') writes.push({ ...FORGET, values: [json, atMs - HOUR_MS] })
    writes.push({ ...statement, values: [json] })
  }
  return writes
}
