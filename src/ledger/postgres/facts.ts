// The facts by which a batch is judged, asked for the whole batch at once, after the head is locked: the stories its
// appends continue and the rows their guards look at (L4, L5). Each append of the batch sees the changes of those
// before it.
import type { Append, Guard } from '../contract.js'
import type { Row, Statement } from './connection.js'
import { STANDING } from './passkeys.js'

export const HOUR_MS = 3_600_000

export type KnownStory = {
  readonly request_id: string
  readonly opened_seq: number
  readonly version: number
  readonly type: string
  readonly state: string
  /** Null while it is open. */
  readonly resolved_seq: number | null
  readonly run_id: string
  readonly opened_by: string
  readonly alarm_ms: number | null
}

export type StoreFacts = {
  readonly requests: Map<string, KnownStory>
  readonly claimed: Set<string>
  /** Counts, by the key of what is counted; an absent key is none. */
  readonly counts: Map<string, number>
  /** The person who has linked an address, by its guard's key; an absent key is nobody. */
  readonly owners: Map<string, string>
}

type Question = Statement & { readonly values: readonly unknown[] }
type Asked = {
  readonly question: Question
  readonly learn: (facts: StoreFacts, rows: readonly Row[]) => void
}

export const hexOf = (text: string): string => Buffer.from(text, 'utf8').toString('hex')

/** Two guards look at the same thing exactly if they have the same key. */
export function keyOf(guard: Guard): string {
  switch (guard.kind) {
    case 'unclaimed':
      return `unclaimed ${guard.space} ${hexOf(guard.value)}`
    case 'open_questions':
      return `open_questions ${JSON.stringify([guard.opened_by, guard.run_id])}`
    case 'recipient_budget':
      return `recipient_budget ${JSON.stringify([guard.opened_by, guard.user_id])}`
    case 'attempts':
      return `attempts ${JSON.stringify([guard.delivery_id, hexOf(guard.under)])}`
    case 'open_codes':
      return `open_codes ${JSON.stringify([guard.channel, guard.user_id, guard.request_id])}`
    case 'misses':
      return `misses ${JSON.stringify([guard.channel, guard.user_id])}`
    case 'unopened':
      return `unopened ${JSON.stringify([guard.opened_by, guard.since])}`
    case 'content_quota':
      return `content_quota ${JSON.stringify([guard.key_id, guard.contents.map(({ handle }) => handle)])}`
    case 'address':
      return `address ${JSON.stringify([guard.channel, hexOf(guard.address)])}`
    case 'passkey':
      return `passkey ${guard.credential_hash}`
  }
}

/** The requests that this batch itself has opened for a key. */
export const openedBy = (key_id: string): string => `opened ${key_id}`

/** The bytes of contents that this batch itself has taken from a key. */
export const sentBy = (key_id: string): string => `sent ${key_id}`

/** The person's codes that this batch itself has given out or laid to rest. */
export const codesOf = (what: 'given' | 'rested', channel: string, user_id: string): string =>
  `${what} ${JSON.stringify([channel, user_id])}`

export const questionsOf = ({ opened_by, run_id }: Pick<KnownStory, 'opened_by' | 'run_id'>): string =>
  keyOf({ kind: 'open_questions', opened_by, run_id, at_most: 0 })

/** The open request of each row of a table. It is looked up by its id and then filtered: a plan made while few
 *  requests are open would rather walk through all of them, and would be kept when there are many. */
export const joinOpen = (table: string): string => `JOIN LATERAL
  (SELECT opened_seq, resolved_seq FROM requests WHERE request_id = ${table}.request_id OFFSET 0) q
  ON q.resolved_seq IS NULL`

const REQUESTS: Statement = {
  name: 'facts_requests',
  text: `SELECT request_id, opened_seq, version, type, state, resolved_seq, run_id, opened_by, alarm_ms
    FROM requests WHERE request_id = ANY ($1::text[])`,
}
const CLAIMS: Statement = {
  name: 'facts_claims',
  text: `SELECT x.key, 1 AS count FROM json_to_recordset($1) AS x (key text, space text, value text)
    JOIN claims c ON c.space = x.space AND c.value = decode(x.value, 'hex')`,
}
const QUESTIONS: Statement = {
  name: 'facts_questions',
  text: `SELECT x.key, (SELECT count(*) FROM requests q
      WHERE q.opened_by = x.opened_by AND q.run_id = x.run_id AND q.type = 'REQUEST_QUESTION'
        AND q.resolved_seq IS NULL) AS count
    FROM json_to_recordset($1) AS x (key text, opened_by text, run_id text)`,
}
const ASKED: Statement = {
  name: 'facts_asked',
  text: `SELECT x.key, (SELECT count(*) FROM asked a
      WHERE a.opened_by = x.opened_by AND a.user_id = x.user_id AND a.ms > $2) AS count
    FROM json_to_recordset($1) AS x (key text, opened_by text, user_id text)`,
}
const ATTEMPTS: Statement = {
  name: 'facts_attempts',
  text: `SELECT x.key, a.count FROM json_to_recordset($1) AS x (key text, delivery_id text, under text)
    JOIN attempts a ON a.delivery_id = x.delivery_id AND a.under = decode(x.under, 'hex')`,
}
/** While codes rest they count as more than any bound. */
const RESTING = `EXISTS (SELECT FROM code_rests r
  WHERE r.channel = x.channel AND r.user_id = x.user_id AND r.until_ms > $2) THEN 2147483647`
const OPEN_CODES: Statement = {
  name: 'facts_open_codes',
  text: `SELECT x.key, CASE WHEN ${RESTING} ELSE (SELECT count(*) FROM open_codes c ${joinOpen('c')}
      WHERE c.channel = x.channel AND c.user_id = x.user_id AND c.request_id <> x.request_id) END AS count
    FROM json_to_recordset($1) AS x (key text, channel text, user_id text, request_id text)`,
}
const MISSES: Statement = {
  name: 'facts_misses',
  text: `SELECT x.key, CASE WHEN ${RESTING} ELSE (SELECT coalesce(sum(m.count), 0)::bigint FROM code_misses m
      WHERE m.channel = x.channel AND m.user_id = x.user_id AND m.ms > $2::bigint - ${HOUR_MS}) END AS count
    FROM json_to_recordset($1) AS x (key text, channel text, user_id text)`,
}

const CONTENT_QUOTA: Statement = {
  name: 'facts_content_quota',
  text: `SELECT x.key, coalesce((SELECT u.bytes FROM blob_use u WHERE u.key_id = x.key_id), 0) + coalesce((
      SELECT sum(c.size) FROM json_to_recordset(x.contents) AS c (handle text, size bigint)
      WHERE NOT EXISTS (SELECT FROM blob_owners o WHERE o.key_id = x.key_id AND o.handle = c.handle)), 0)::bigint AS count
    FROM json_to_recordset($1) AS x (key text, key_id text, contents json)`,
}
const UNOPENED: Statement = {
  name: 'facts_unopened',
  text: `SELECT x.key, (SELECT count(*) FROM requests q
      WHERE q.opened_seq >= x.since AND q.opened_by = x.opened_by) AS count
    FROM json_to_recordset($1) AS x (key text, opened_by text, since bigint)`,
}
const ADDRESSES: Statement = {
  name: 'facts_addresses',
  text: `SELECT x.key, l.user_id AS owner FROM json_to_recordset($1) AS x (key text, channel text, address text)
    JOIN links l ON l.channel = x.channel AND l.address = decode(x.address, 'hex')`,
}

const PASSKEYS: Statement = {
  name: 'facts_passkeys',
  text: `SELECT x.key, 1 AS count FROM json_to_recordset($1) AS x (key text, credential_hash text),
    ${STANDING} AND p.credential_hash = x.credential_hash`,
}

type Members = Readonly<Record<string, unknown>>
function membersOf(guard: Guard): Members {
  switch (guard.kind) {
    case 'unclaimed':
      return { space: guard.space, value: hexOf(guard.value) }
    case 'open_questions':
      return { opened_by: guard.opened_by, run_id: guard.run_id }
    case 'recipient_budget':
      return { opened_by: guard.opened_by, user_id: guard.user_id }
    case 'attempts':
      return { delivery_id: guard.delivery_id, under: hexOf(guard.under) }
    case 'open_codes':
      return { channel: guard.channel, user_id: guard.user_id, request_id: guard.request_id }
    case 'misses':
      return { channel: guard.channel, user_id: guard.user_id }
    case 'unopened':
      return { opened_by: guard.opened_by, since: guard.since }
    case 'content_quota':
      return { key_id: guard.key_id, contents: guard.contents }
    case 'address':
      return { channel: guard.channel, address: hexOf(guard.address) }
    case 'passkey':
      return { credential_hash: guard.credential_hash }
  }
}

const STATEMENTS: Readonly<Record<Guard['kind'], Statement>> = {
  unclaimed: CLAIMS,
  open_questions: QUESTIONS,
  recipient_budget: ASKED,
  attempts: ATTEMPTS,
  open_codes: OPEN_CODES,
  misses: MISSES,
  content_quota: CONTENT_QUOTA,
  unopened: UNOPENED,
  address: ADDRESSES,
  passkey: PASSKEYS,
}

/**
 * The questions of a batch. The hour of a budget is counted from `now`, read before the lock: the wait for the lock
 * makes it count more than it must, never less.
 */
export function questions(batch: readonly Append<unknown>[], now: number): readonly Asked[] {
  const ids = new Set(batch.flatMap(({ story }) => (story ? [story.request_id] : [])))
  const guards = new Map(batch.flatMap(({ guards: all = [] }) => all.map(guard => [keyOf(guard), guard])))
  const asked: Asked[] = []
  if (ids.size > 0) asked.push({ question: { ...REQUESTS, values: [[...ids]] }, learn: learnRequests })
  for (const kind of Object.keys(STATEMENTS) as Guard['kind'][]) {
    const rows = [...guards].filter(([, guard]) => guard.kind === kind)
    if (rows.length === 0) continue
    const values: unknown[] = [JSON.stringify(rows.map(([key, guard]) => ({ key, ...membersOf(guard) })))]
    if (kind === 'recipient_budget') values.push(now - HOUR_MS)
    if (kind === 'open_codes' || kind === 'misses') values.push(now)
    const learn = kind === 'address' ? learnOwners : learnCounts
    asked.push({ question: { ...STATEMENTS[kind], values }, learn })
  }
  return asked
}

function learnRequests({ requests }: StoreFacts, rows: readonly Row[]): void {
  for (const row of rows as readonly KnownStory[]) requests.set(row.request_id, row)
}

function learnCounts({ counts, claimed }: StoreFacts, rows: readonly Row[]): void {
  for (const { key, count } of rows as readonly { key: string; count: number }[]) {
    if (key.startsWith('unclaimed ')) claimed.add(key)
    else counts.set(key, count)
  }
}

function learnOwners({ owners }: StoreFacts, rows: readonly Row[]): void {
  for (const { key, owner } of rows as readonly { key: string; owner: string }[]) owners.set(key, owner)
}

export function holds({ claimed, counts, owners }: StoreFacts, guard: Guard): boolean {
  const key = keyOf(guard)
  if (guard.kind === 'address') {
    const owner = owners.get(key)
    return owner === undefined || guard.theirs.includes(owner)
  }
  if (guard.kind === 'unclaimed') return !claimed.has(key)
  const count = counts.get(key) ?? 0
  if (guard.kind === 'passkey') return count > 0
  if (guard.kind === 'unopened') return count + (counts.get(openedBy(guard.opened_by)) ?? 0) === 0
  if (guard.kind === 'content_quota') return count + (counts.get(sentBy(guard.key_id)) ?? 0) <= guard.at_most
  if (guard.kind !== 'open_codes' && guard.kind !== 'misses') return count < guard.at_most
  const { channel, user_id } = guard
  if (counts.has(codesOf('rested', channel, user_id))) return false
  const given = guard.kind === 'open_codes' ? (counts.get(codesOf('given', channel, user_id)) ?? 0) : 0
  return count + given < guard.at_most
}
