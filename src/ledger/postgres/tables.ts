// The writing of one chunk of a judged batch: one statement for all rows of a table, in the order in which they need
// each other. The rows come as one JSON value, with bytes as hexadecimal.
import type { Head } from '../entry.js'
import type { Chunk } from './batch.js'
import type { Statement } from './connection.js'
import { HOUR_MS, joinOpen } from './facts.js'

/** The head, and the facts beside it that every append must know. */
export type HeadRow = Head & {
  readonly at_ms: number
  /** The seq of a CLOCK_SUSPECT that nothing has answered yet. */
  readonly suspected: number | null
  /** The rules of the last LANE_STARTED. */
  readonly rules: string
}
/** The head as it is read under its lock: with the frontier of the tree, and its seal. */
export type LockedHead = HeadRow & { readonly frontier: Uint8Array; readonly seal: string | null }

/** Rows by table, and within a table by their key. */
export type Rows = Map<string, Map<string | symbol, object>>
type Write = Statement & { readonly values: readonly unknown[] }

const ENTRIES: Statement = {
  name: 'write_entries',
  text: `INSERT INTO entries (seq, type, story, line, seal, nodes)
    SELECT $1::bigint + place - 1, type, story::bigint, line, seal, decode(nodes, 'hex')
    FROM unnest(string_to_array($2, ','), string_to_array($3, ',', ''), string_to_array($4, E'\\n'),
      string_to_array($5, ',', ''), string_to_array($6, ',')) WITH ORDINALITY AS x (type, story, line, seal, nodes, place)`,
}
const OPENED: Statement = {
  name: 'write_opened',
  text: `INSERT INTO requests (opened_seq, request_id, version, type, state, resolved_seq, run_id, opened_by, alarm_ms)
    SELECT opened_seq, request_id, version, type, state, resolved_seq, run_id, opened_by, alarm_ms
    FROM json_populate_recordset(NULL::requests, $1)`,
}
const CHANGED: Statement = {
  name: 'write_changed',
  text: `UPDATE requests q SET version = x.version, state = x.state, resolved_seq = x.resolved_seq,
      alarm_ms = x.alarm_ms
    FROM json_populate_recordset(NULL::requests, $1) AS x WHERE q.opened_seq = x.opened_seq`,
}
const HEAD: Statement = {
  name: 'write_head',
  text: 'UPDATE head SET size = $1, hash = $2, at_ms = $3, suspected = $4, rules = $5, frontier = $6, seal = $7',
}
const FORGET: Statement = {
  name: 'write_forget',
  text: `DELETE FROM asked a USING json_populate_recordset(NULL::asked, $1) AS x
    WHERE a.opened_by = x.opened_by AND a.user_id = x.user_id AND a.ms <= $2`,
}

const FORGET_MISSES: Statement = {
  name: 'write_forget_misses',
  text: `DELETE FROM code_misses m USING json_populate_recordset(NULL::code_misses, $1) AS x
    WHERE m.channel = x.channel AND m.user_id = x.user_id AND m.ms <= $2`,
}
/** Forgets the codes of settled requests: there are never more than a person may have open, and one chunk's. */
const FORGET_CODES: Statement = {
  name: 'write_forget_codes',
  text: `DELETE FROM open_codes c USING json_populate_recordset(NULL::open_codes, $1) AS x, requests q
    WHERE c.channel = x.channel AND c.user_id = x.user_id AND q.request_id = c.request_id AND q.resolved_seq IS NOT NULL`,
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

/** Also for keys that are put beside no append. A retired key stays retired. */
export const KEYS: Statement = {
  name: 'write_keys',
  text: `INSERT INTO keys (kid, purpose, public_jwk, wrapped, not_before, verify_until, renewed_at, seal)
    SELECT kid, purpose, public_jwk, decode(wrapped, 'hex'), not_before, verify_until, renewed_at, seal
    FROM json_to_recordset($1) AS x (kid text, purpose text, public_jwk text, wrapped text, not_before bigint,
      verify_until bigint, renewed_at bigint, seal text)
    ON CONFLICT (kid) DO UPDATE
      SET wrapped = excluded.wrapped, verify_until = excluded.verify_until, renewed_at = excluded.renewed_at,
        seal = excluded.seal
      WHERE keys.verify_until IS NULL OR keys.verify_until >= excluded.verify_until`,
}

/** The rows written beside the entries, in this order: a row must be there before it is erased. */
const BESIDE: Readonly<Record<string, Statement>> = {
  claims: insertBytes('claims', ['space', 'value'], ['value']),
  asked: insert('asked', 'opened_by, user_id, ms, seq'),
  attempts: {
    name: 'write_attempts',
    text: `INSERT INTO attempts (delivery_id, under, count) SELECT delivery_id, decode(under, 'hex'), count
      FROM json_to_recordset($1) AS x (delivery_id text, under text, count bigint)
      ON CONFLICT (delivery_id, under) DO UPDATE SET count = excluded.count`,
  },
  code_misses: {
    name: 'write_code_misses',
    text: `INSERT INTO code_misses (channel, user_id, ms, count) SELECT channel, user_id, ms, count(*)
      FROM json_to_recordset($1) AS x (channel text, user_id text, ms bigint) GROUP BY channel, user_id, ms
      ON CONFLICT (channel, user_id, ms) DO UPDATE SET count = code_misses.count + excluded.count`,
  },
  misses_over: {
    name: 'write_misses_over',
    text: `DELETE FROM code_misses m USING json_to_recordset($1) AS x (channel text, user_id text)
      WHERE m.channel = x.channel AND m.user_id = x.user_id`,
  },
  code_rests: insert(
    'code_rests',
    'channel, user_id, until_ms, length_ms',
    'ON CONFLICT (channel, user_id) DO UPDATE SET until_ms = excluded.until_ms, length_ms = excluded.length_ms',
  ),
  directed_runs: insert('directed_runs', 'run_id', 'ON CONFLICT DO NOTHING'),
  policy_tokens: insert('policy_tokens', 'jti, request_id'),
  inbox: insert('inbox', 'opened_seq, user_id, deadline_ms, type, urgency', 'ON CONFLICT DO NOTHING'),
  // After the people a request was opened with, whose deadline it is.
  inbox_changed: {
    name: 'write_inbox_changed',
    text: `INSERT INTO inbox (opened_seq, user_id, deadline_ms, type, urgency, over_seq)
      SELECT x.opened_seq, x.user_id, i.deadline_ms, i.type, i.urgency, x.over_seq
      FROM json_to_recordset($1) AS x (opened_seq bigint, user_id text, over_seq bigint) JOIN LATERAL
        (SELECT deadline_ms, type, urgency FROM inbox WHERE opened_seq = x.opened_seq LIMIT 1) i ON true
      ON CONFLICT (opened_seq, user_id) DO UPDATE SET over_seq = excluded.over_seq`,
  },
  inbox_settled: {
    name: 'write_inbox_settled',
    text: `UPDATE inbox i SET over_seq = x.over_seq FROM json_to_recordset($1) AS x (opened_seq bigint, over_seq bigint)
      WHERE i.opened_seq = x.opened_seq AND i.over_seq IS NULL`,
  },
  grants: insert(
    'grants',
    'handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal',
  ),
  open_codes: insert(
    'open_codes',
    'channel, user_id, request_id, handle_hash',
    'ON CONFLICT (channel, user_id, request_id) DO UPDATE SET handle_hash = excluded.handle_hash',
  ),
  // After the codes of this chunk: the agenda is asked about the requests that were given one as well.
  asked_again: {
    name: 'write_asked_again',
    text: `UPDATE requests r SET alarm_ms = least(coalesce(r.alarm_ms, x.since_ms), x.since_ms)
      FROM json_to_recordset($1) AS x (channel text, user_id text, since_ms bigint)
        JOIN open_codes c ON c.channel = x.channel AND c.user_id = x.user_id ${joinOpen('c')}
      WHERE r.opened_seq = q.opened_seq`,
  },
  refs: insertBytes(
    'refs',
    ['channel', 'ref', 'delivery_id', 'handle_hash', 'seal'],
    ['ref'],
    `ON CONFLICT (channel, ref) DO UPDATE
      SET delivery_id = excluded.delivery_id, handle_hash = excluded.handle_hash, seal = excluded.seal`,
  ),
  raw_replies: insertBytes(
    'raw_replies',
    ['reply_id', 'request_id', 'salt', 'raw', 'beside'],
    ['salt', 'raw'],
  ),
  evidence: insert('evidence', 'reply_id, evidence'),
  cursors: insertBytes(
    'cursors',
    ['channel', 'cursor'],
    ['cursor'],
    'ON CONFLICT (channel) DO UPDATE SET cursor = excluded.cursor',
  ),
  blobs: insertBytes('blobs', ['handle', 'bytes'], ['bytes'], 'ON CONFLICT DO NOTHING'),
  blob_owners: insert('blob_owners', 'handle, key_id, size', 'ON CONFLICT DO NOTHING'),
  content_erasures: {
    name: 'write_content_erasures',
    text: `DELETE FROM blob_owners o USING json_to_recordset($1) AS x (handle text, key_id text)
      WHERE o.handle = x.handle AND o.key_id = x.key_id`,
  },
  // In a statement of its own, which sees that the one before has left nobody.
  forgotten_contents: {
    name: 'write_forgotten_contents',
    text: `DELETE FROM blobs b USING json_to_recordset($1) AS x (handle text)
      WHERE b.handle = x.handle AND NOT EXISTS (SELECT FROM blob_owners o WHERE o.handle = b.handle)`,
  },
  callbacks: insert('callbacks', 'request_id, url, seal'),
  addresses: {
    name: 'write_addresses',
    text: `DELETE FROM links l USING json_to_recordset($1) AS x (channel text, address text)
      WHERE l.channel = x.channel AND l.address = decode(x.address, 'hex')`,
  },
  links: insertBytes(
    'links',
    ['user_id', 'channel', 'address', 'seal'],
    ['address'],
    'ON CONFLICT (user_id, channel) DO UPDATE SET address = excluded.address, seal = excluded.seal',
  ),
  keys: KEYS,
  checkpoint: {
    name: 'write_checkpoint',
    text: `INSERT INTO checkpoint (size, note, at_ms)
      SELECT size, note, at_ms FROM json_to_recordset($1) AS x (size bigint, note text, at_ms bigint) ORDER BY size DESC LIMIT 1
      ON CONFLICT (one) DO UPDATE SET size = excluded.size, note = excluded.note, at_ms = excluded.at_ms
        WHERE checkpoint.size <= excluded.size`,
  },
  invitations: insert('invitations', 'code_hash, user_id, channel, expires_ms, seal'),
  away: insert(
    'away',
    'user_id, from_ms, until_ms, deputy, seal',
    `ON CONFLICT (user_id) DO UPDATE SET from_ms = excluded.from_ms, until_ms = excluded.until_ms,
      deputy = excluded.deputy, seal = excluded.seal`,
  ),
  passkeys: insert('passkeys', 'credential_hash, credential_id, user_id, public_key, by, seal'),
  passkeys_end: {
    name: 'write_passkeys_end',
    text: `DELETE FROM passkeys p USING json_to_recordset($1) AS x (credential_hash text)
      WHERE p.credential_hash = x.credential_hash`,
  },
  passkey_sessions_end: {
    name: 'write_passkey_sessions_end',
    text: `DELETE FROM sessions s USING json_to_recordset($1) AS x (credential_hash text)
      WHERE s.credential_hash = x.credential_hash`,
  },
  enrolments: insert('enrolments', 'request_id, user_id, claim, seal'),
  enrolments_end: {
    name: 'write_enrolments_end',
    text: `DELETE FROM enrolments e USING json_to_recordset($1) AS x (request_id text)
      WHERE e.request_id = x.request_id`,
  },
  sessions_end: {
    name: 'write_sessions_end',
    text: `DELETE FROM sessions s USING json_to_recordset($1) AS x (whose text)
      WHERE s.kind = 'person' AND s.whose = x.whose`,
  },
  api_keys: insert(
    'api_keys',
    'key_id, name, scopes, secret_hash, created_at, revoked_at, owner, urgent, seal',
    `ON CONFLICT (key_id) DO UPDATE SET revoked_at = excluded.revoked_at, seal = excluded.seal
      WHERE api_keys.revoked_at IS NULL`,
  ),
  erasures: {
    name: 'write_erasures',
    text: `DELETE FROM raw_replies r USING json_to_recordset($1) AS x (reply_id text) WHERE r.reply_id = x.reply_id`,
  },
}

export function writesOf(chunk: Chunk, atMs: number): readonly Write[] {
  return [...writesOfEntries(chunk), ...writesOfRequests(chunk), ...writesBeside(chunk, atMs)]
}

/** The end of the batch: the next one begins here. */
export const writeOfHead = ({ size, hash, at_ms, suspected, rules, frontier, seal }: LockedHead): Write => ({
  ...HEAD,
  values: [size, hash, at_ms, suspected, rules, frontier, seal],
})

function writesOfEntries({ entries, lines, stories, seals, nodes }: Chunk): Write[] {
  const [first] = entries
  if (first === undefined) return []
  const types = entries.map(({ type }) => type).join(',')
  // An entry's text holds no line feed: JSON spells it out. A story or a seal that is null is joined as nothing.
  const texts = [types, stories.join(','), lines.join('\n'), seals.join(','), nodes.join(',')]
  return [{ ...ENTRIES, values: [first.seq, ...texts] }]
}

function writesOfRequests({ opened, changed }: Chunk): Write[] {
  const writes: Write[] = []
  if (opened.size > 0) writes.push({ ...OPENED, values: [JSON.stringify([...opened.values()])] })
  if (changed.size > 0) writes.push({ ...CHANGED, values: [JSON.stringify([...changed.values()])] })
  return writes
}

function writesBeside({ rows }: Chunk, atMs: number): Write[] {
  const writes: Write[] = []
  for (const [table, statement] of Object.entries(BESIDE)) {
    const values = [...(rows.get(table)?.values() ?? [])]
    if (values.length === 0) continue
    const json = JSON.stringify(values)
    // Requests put to a person more than an hour ago count for nothing any more.
    if (table === 'asked') writes.push({ ...FORGET, values: [json, atMs - HOUR_MS] })
    if (table === 'code_misses') writes.push({ ...FORGET_MISSES, values: [json, atMs - HOUR_MS] })
    if (table === 'open_codes') writes.push({ ...FORGET_CODES, values: [json] })
    writes.push({ ...statement, values: [json] })
  }
  return writes
}
