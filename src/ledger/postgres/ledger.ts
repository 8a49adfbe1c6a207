// The cluster's ledger: one PostgreSQL, many replicas. The promises L1–L15 are those of ../contract.ts; writer.ts
// serialises the appends, tail.ts tells of the commits.
import type { Hash } from '../../canonical.js'
import type { Clock } from '../../clock.js'
import type { Entry, EventType } from '../../event.js'
import {
  type Alarm,
  type Append,
  type Appended,
  type Filter,
  type InboxFilter,
  isOfOpen,
  type Ledger,
  LedgerUnavailable,
  type Listed,
  type OnCommit,
  type Past,
  type Waiting,
} from '../contract.js'
import type { Head } from '../entry.js'
import { LOCKED, type SealedLine, type Seals, soundEntries } from '../seals.js'
import { HASH_BYTES, type TreeHash } from '../tree/hash.js'
import { type Frontier, type Node, seqOf } from '../tree/nodes.js'
import type { DatabaseClock } from './clock.js'
import type { KnownHead } from './known-head.js'
import type { Notices } from './notices.js'
import { Queue } from './queue.js'
import { PATIENCE_MS, type Readers } from './reading.js'
import type { LockedHead } from './tables.js'
import { type Heeded, Tail } from './tail.js'
import { treeOf, type Writer } from './writer.js'

const PAGE = 500
const LOOK_MS = 1_000

/** The first statements of an append; after them nothing but a full disk could refuse it. */
const PROBE = [
  { name: 'probe_begin', text: 'BEGIN' },
  { name: 'probe_patience', text: `SET LOCAL lock_timeout = ${PATIENCE_MS}` },
  { name: 'probe_lock', text: 'SELECT size FROM head FOR UPDATE' },
  { name: 'probe_end', text: 'ROLLBACK' },
]

/** PostgreSQL keeps no U+0000 as text and refuses to look for it: nothing here has such a name. */
const isNoName = (name: string | undefined): boolean => name?.includes('\0') === true

type Parts = {
  readonly writer: Writer
  readonly readers: Readers
  readonly notices: Notices
  readonly knownHead: KnownHead
  readonly clock: DatabaseClock
  readonly machine: Pick<Clock, 'monotonic'>
  readonly seals: Seals
  /** How many entries there were when the store was opened. */
  readonly size: number
  /** Reads the head and the database's clock once. */
  look(): Promise<{ readonly size: number }>
  /** Everything that is closed with the ledger. */
  readonly connections: readonly { close(): Promise<void> }[]
}

export class PostgresLedger implements Ledger {
  readonly #parts: Parts
  readonly #tail: Tail
  readonly #queue: Queue
  #looking: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#tail = new Tail(parts.size, (from, limit, heeded) => this.#heededLines(from, limit, heeded))
    this.#queue = new Queue(parts.writer, this.#tail, parts.notices, parts.machine)
    this.#lookLater()
  }

  /** For the listener: another replica has committed. After a loss nothing more is told: it would continue a ledger
   *  other than the one told so far. */
  heard(size: number): void {
    if (this.#parts.knownHead.isWhole) this.#tail.heard(size)
  }

  append<R>(append: Append<R>): Promise<Appended<R>> {
    if (this.#closed) return Promise.reject(new LedgerUnavailable('the ledger is closed'))
    if (this.#parts.seals.isLocked) return Promise.reject(new Error(LOCKED))
    return this.#queue.append(append)
  }

  #lookLater(): void {
    if (this.#closed) return
    this.#looking = setTimeout(async () => {
      const found = await this.#parts.look().catch(() => null)
      if (found !== null) this.heard(found.size)
      this.#lookLater()
    }, LOOK_MS)
  }

  now(): number {
    return this.#parts.clock.now()
  }

  suspect(): boolean {
    return this.#parts.clock.suspect
  }

  async head(): Promise<Head> {
    const asked = { name: 'head', text: 'SELECT size, hash FROM head' }
    const head = await this.#parts.readers.one<Head>(asked)
    if (head === null) throw new Error('the ledger has no head')
    return head
  }

  async tree(): Promise<Frontier> {
    const text = 'SELECT size, hash, at_ms, suspected, rules, frontier, seal FROM head'
    const head = await this.#parts.readers.one<LockedHead>({ name: 'tree', text })
    if (head === null) throw new Error('the ledger has no head')
    return treeOf(head, this.#parts.seals)
  }

  async nodes(wanted: readonly Node[]): Promise<readonly (TreeHash | null)[]> {
    const places = [wanted.map(seqOf), wanted.map(({ level }) => level * HASH_BYTES + 1)]
    const rows = await this.#parts.readers.rows<{ hash: TreeHash | null }>({
      name: 'nodes',
      text: `SELECT substring(e.nodes FROM x.first FOR ${HASH_BYTES}) AS hash
        FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS x (seq, first, place)
          LEFT JOIN entries e ON e.seq = x.seq ORDER BY x.place`,
      values: places,
    })
    return rows.map(({ hash }) => (hash?.length === HASH_BYTES ? hash : null))
  }

  async story(requestId: string): Promise<readonly Entry[]> {
    if (isNoName(requestId)) return []
    const rows = await this.#parts.readers.rows<SealedLine & { version: number }>({
      name: 'story',
      text: `SELECT q.version, e.line, e.seal FROM requests q LEFT JOIN entries e ON e.story = q.opened_seq
        WHERE q.request_id = $1 ORDER BY e.seq`,
      values: [requestId],
    })
    const [first] = rows
    return first === undefined ? [] : this.#parts.seals.story(requestId, first.version, rows)
  }

  async version(requestId: string): Promise<number> {
    if (isNoName(requestId)) return 0
    const [known] = await this.#parts.readers.rows<{ version: number }>({
      name: 'version',
      text: 'SELECT version FROM requests WHERE request_id = $1',
      values: [requestId],
    })
    return known?.version ?? 0
  }

  entries(from: number, limit?: number): AsyncIterable<Entry> {
    return soundEntries(this.#parts.seals, this.lines(from, limit), id => this.story(id))
  }

  async sealed(): Promise<Entry | null> {
    const rows = await this.#parts.readers.rows<SealedLine>({
      name: 'sealed',
      text: `SELECT e.line, e.seal FROM entries s JOIN entries e ON e.seq BETWEEN s.seq - 1 AND s.seq
        WHERE s.type = 'LEDGER_SEALED' ORDER BY e.seq`,
    })
    return rows.length === 0 ? null : this.#parts.seals.ledgerSealed(rows)
  }

  async #lines(from: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#parts.readers.rows<{ line: string }>({
      name: 'lines',
      text: 'SELECT line FROM entries WHERE seq >= $1 ORDER BY seq LIMIT $2',
      values: [from, limit],
    })
    return rows.map(({ line }) => line)
  }

  async #heededLines(from: number, limit: number, heeded: Heeded): Promise<readonly (string | null)[]> {
    const rows = await this.#parts.readers.rows<{ line: string | null }>({
      name: 'heeded_lines',
      text: `SELECT CASE WHEN $3::text[] IS NULL OR type = ANY ($3) THEN line END AS line
        FROM entries WHERE seq >= $1 ORDER BY seq LIMIT $2`,
      values: [from, limit, heeded],
    })
    return rows.map(({ line }) => line)
  }

  async *lines(from: number, limit = Number.POSITIVE_INFINITY): AsyncIterable<string> {
    for (let next = from, left = limit; left > 0; ) {
      const lines = await this.#lines(next, Math.min(PAGE, left))
      yield* lines
      if (lines.length < Math.min(PAGE, left)) return
      next += lines.length
      left -= lines.length
    }
  }

  async list(filter: Filter): Promise<readonly Listed[]> {
    if (isNoName(filter.run_id)) return []
    const wanted: [name: string, clause: string, value: unknown][] = [
      ['state', 'state =', filter.state],
      ['run', 'run_id =', filter.run_id],
      ['opener', 'opened_by =', filter.opened_by],
      ['before', 'opened_seq <', filter.before],
    ]
    const used = wanted.filter(([, , value]) => value !== undefined)
    const clauses = used.map(([, clause], index) => `${clause} $${index + 2}`)
    const names = used.map(([name]) => name)
    if (isOfOpen(filter)) {
      clauses.push('resolved_seq IS NULL')
      names.push('open')
    }
    const where = clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`
    return await this.#parts.readers.rows<Listed>({
      name: ['list', ...names].join('_'),
      text: `SELECT request_id, opened_seq FROM requests ${where} ORDER BY opened_seq DESC LIMIT $1`,
      values: [filter.limit, ...used.map(([, , value]) => value)],
    })
  }

  async countOpen(openedBy: string, atMost: number): Promise<number> {
    const text = `SELECT count(*) AS open
      FROM (SELECT 1 FROM requests WHERE opened_by = $1 AND resolved_seq IS NULL LIMIT $2) AS counted`
    const asked = { name: 'count_open', text, values: [openedBy, atMost] }
    return (await this.#parts.readers.one<{ open: number }>(asked))?.open ?? 0
  }

  async inbox({ user_id, type, urgency, after, limit }: InboxFilter): Promise<readonly Waiting[]> {
    const wanted: [name: string, value: unknown][] = [
      ['type', type],
      ['urgency', urgency],
    ]
    const used = wanted.filter(([, value]) => value !== undefined)
    const clauses = used.map(([name], index) => `AND i.${name} = $${index + 5}`).join(' ')
    return await this.#parts.readers.rows<Waiting>({
      name: ['inbox', ...used.map(([name]) => name)].join('_'),
      text: `SELECT q.request_id, i.opened_seq, i.deadline_ms FROM inbox i JOIN requests q ON q.opened_seq = i.opened_seq
        WHERE i.user_id = $1 AND i.over_seq IS NULL
          AND (i.deadline_ms, i.opened_seq) > ($2::bigint, $3::bigint) ${clauses}
        ORDER BY i.deadline_ms, i.opened_seq LIMIT $4`,
      values: [
        user_id,
        after?.deadline_ms ?? -1,
        after?.opened_seq ?? -1,
        limit,
        ...used.map(([, value]) => value),
      ],
    })
  }

  async countWaiting(userId: string, atMost: number): Promise<number> {
    const text = `SELECT count(*) AS waiting
      FROM (SELECT 1 FROM inbox WHERE user_id = $1 AND over_seq IS NULL LIMIT $2) AS counted`
    const asked = { name: 'count_waiting', text, values: [userId, atMost] }
    return (await this.#parts.readers.one<{ waiting: number }>(asked))?.waiting ?? 0
  }

  async past(userId: string, before: number, limit: number): Promise<readonly Past[]> {
    return await this.#parts.readers.rows<Past>({
      name: 'past',
      text: `SELECT q.request_id, i.over_seq FROM inbox i JOIN requests q ON q.opened_seq = i.opened_seq
        WHERE i.user_id = $1 AND i.over_seq IS NOT NULL AND i.over_seq < $2 ORDER BY i.over_seq DESC LIMIT $3`,
      values: [userId, before, limit],
    })
  }

  async hasDirector(runId: string): Promise<boolean> {
    if (isNoName(runId)) return false
    const text = 'SELECT 1 FROM directed_runs WHERE run_id = $1'
    return (await this.#parts.readers.one({ name: 'has_director', text, values: [runId] })) !== null
  }

  async requestOfToken(jti: string): Promise<string | null> {
    if (isNoName(jti)) return null
    const text = 'SELECT request_id FROM policy_tokens WHERE jti = $1'
    const asked = { name: 'request_of_token', text, values: [jti] }
    return (await this.#parts.readers.one<{ request_id: string }>(asked))?.request_id ?? null
  }

  async registrationOf(credentialHash: Hash): Promise<number | null> {
    const text = `SELECT seq FROM entries
      WHERE type = 'PASSKEY_REGISTERED' AND substring(line from '"credential_hash":"([^"]*)"') = $1`
    const asked = { name: 'registration_of', text, values: [credentialHash] }
    return (await this.#parts.readers.one<{ seq: number }>(asked))?.seq ?? null
  }

  async due(ms: number, limit: number): Promise<readonly string[]> {
    const text = 'SELECT request_id FROM requests WHERE alarm_ms <= $1 ORDER BY alarm_ms, request_id LIMIT $2'
    const asked = { name: 'due', text, values: [ms, limit] }
    return (await this.#parts.readers.rows<Listed>(asked)).map(({ request_id }) => request_id)
  }

  async nextAlarm(after = Number.MIN_SAFE_INTEGER): Promise<number | null> {
    const text = 'SELECT min(alarm_ms) AS at FROM requests WHERE alarm_ms > $1'
    const row = await this.#parts.readers.one<Alarm>({ name: 'next_alarm', text, values: [after] })
    return row?.at ?? null
  }

  async alarms({ at, request_id }: Alarm, until: number, limit: number): Promise<readonly Alarm[]> {
    return await this.#parts.readers.rows<Alarm>({
      name: 'alarms',
      text: `SELECT request_id, alarm_ms AS at FROM requests
        WHERE (alarm_ms, request_id) > ($1::bigint, $2::text) AND alarm_ms <= $3
        ORDER BY alarm_ms, request_id LIMIT $4`,
      values: [at, request_id, until, limit],
    })
  }

  onCommit(listener: OnCommit, heeded?: readonly EventType[]): () => void {
    return this.#tail.listen(listener, heeded ?? null)
  }

  onOwnCommit(listener: OnCommit): () => void {
    return this.#tail.listenToOwn(listener)
  }

  async probe(): Promise<void> {
    if (this.#closed) throw new LedgerUnavailable('the ledger is closed')
    this.#parts.knownHead.assertWhole()
    await this.#parts.writer.ready()
    await this.#parts.readers.all(PROBE)
  }

  async close(): Promise<void> {
    await this.#queue.emptied()
    this.#closed = true
    clearTimeout(this.#looking)
    await Promise.all(this.#parts.connections.map(one => one.close()))
  }
}
