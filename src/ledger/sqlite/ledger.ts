// The embedded ledger: one SQLite file, one writer, group commit. The promises L1–L15 are those of ../contract.ts.
import { setTimeout } from 'node:timers'
import type { Database, Statement } from 'better-sqlite3'
import type { Hash } from '../../canonical.js'
import type { Clock } from '../../clock.js'
import type { Entry } from '../../event.js'
import { LedgerClock } from '../clock.js'
import {
  type Alarm,
  type Append,
  type Appended,
  type AppendOutcome,
  type Filter,
  type InboxFilter,
  isOfOpen,
  type Ledger,
  LedgerUnavailable,
  type Listed,
  type OnCommit,
  type Past,
  RIDE_MS,
  unlessBroken,
  type Waiting as WaitingRequest,
} from '../contract.js'
import { GENESIS, type Head, parseEntry } from '../entry.js'
import { LOCKED, type SealedLine, type Seals, soundEntries } from '../seals.js'
import type { TreeHash } from '../tree/hash.js'
import type { Frontier, Node } from '../tree/nodes.js'
import { inboxReader } from './inbox.js'
import type { Late } from './late.js'
import { SCHEMA_VERSION } from './schema.js'
import type { Storage } from './storage.js'
import { readNodes } from './tree.js'
import { Writer } from './writer.js'

/** One commit takes at most this many appends, so that a burst cannot hold up everything else for long. */
const BATCH = 256
const PAGE = 500

type Waiting = {
  readonly append: Append<unknown>
  readonly settle: (outcome: AppendOutcome) => void
  readonly fail: (error: unknown) => void
}

export class SqliteLedger implements Ledger {
  readonly #db: Database
  readonly #release: () => void
  readonly #clock: LedgerClock
  readonly #writer: Writer
  readonly #storage: Storage
  readonly #seals: Seals
  readonly #listeners = new Set<OnCommit>()
  /** Appends not yet committed, in order. Filled by append(), emptied by #flush(). */
  #waiting: Waiting[] = []
  #scheduled = false
  /** Runs out for the first append that rides. */
  #riding: NodeJS.Timeout | undefined
  #closed = false
  readonly #inboxes: ReturnType<typeof inboxReader>
  #nodes: ReturnType<typeof readNodes> | null = null

  constructor(db: Database, clock: Clock, storage: Storage, seals: Seals, late: Late, release: () => void) {
    this.#db = db
    this.#storage = storage
    this.#seals = seals
    this.#release = release
    this.#inboxes = inboxReader(db)
    const last = db.prepare('SELECT line FROM entries ORDER BY seq DESC LIMIT 1').pluck().get() as
      | string
      | undefined
    const entry = last === undefined ? null : parseEntry(last)
    const head: Head = entry === null ? { size: 0, hash: GENESIS } : { size: entry.seq + 1, hash: entry.hash }
    this.#clock = new LedgerClock(clock, entry === null ? 0 : Date.parse(entry.at))
    this.#writer = new Writer(db, head, this.#clock, seals, late)
  }

  append<R>(append: Append<R>): Promise<Appended<R>> {
    if (this.#storage.broken) return Promise.reject(this.#storage.broken)
    if (this.#closed) return Promise.reject(new LedgerUnavailable('the ledger is closed'))
    if (this.#seals.isLocked) return Promise.reject(new Error(LOCKED))
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        append: append as Append<unknown>,
        settle: resolve as (outcome: AppendOutcome) => void,
        fail: reject,
      })
      if (append.rides) this.#ride()
      else this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  /** Whatever commit comes first takes it along. */
  #ride(): void {
    if (this.#scheduled) return
    this.#riding ??= setTimeout(() => this.#schedule(), RIDE_MS)
  }

  #flush(): void {
    this.#scheduled = false
    clearTimeout(this.#riding)
    this.#riding = undefined
    const batch = this.#waiting.splice(0, BATCH)
    if (batch.length === 0) return
    if (this.#waiting.length > 0) this.#schedule()
    try {
      const written = this.#storage.write(() => this.#writer.commit(batch.map(waiting => waiting.append)))
      if (written.entries.length > 0) this.#announce(written.entries)
      for (const [index, waiting] of batch.entries()) {
        const outcome = written.outcomes[index]
        if (outcome === undefined || 'error' in outcome) waiting.fail(outcome?.error)
        else waiting.settle(outcome)
      }
    } catch (error) {
      for (const waiting of batch) waiting.fail(error)
    }
  }

  #announce(entries: readonly Entry[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(entries)
      } catch (error) {
        // A listener's bug must not make a committed append look like a failed one; it surfaces on its own.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  now(): number {
    return this.#clock.peek()
  }

  suspect(): boolean {
    return this.#clock.suspect
  }

  async head(): Promise<Head> {
    return this.#writer.head
  }

  async tree(): Promise<Frontier> {
    return this.#writer.tree
  }

  async nodes(wanted: readonly Node[]): Promise<readonly (TreeHash | null)[]> {
    this.#nodes ??= readNodes(this.#db)
    return this.#nodes(wanted)
  }

  /** Grows the tree anew where the head does not hold, and reports it where a head was there. */
  mendTree(grow: () => void): void {
    try {
      void this.#writer.tree
    } catch (error) {
      unlessBroken(error)
      if (this.#writer.hasTree) this.#seals.tellOfHead()
      grow()
    }
  }

  async story(requestId: string): Promise<readonly Entry[]> {
    const rows = this.#row(
      `SELECT q.version, e.line, e.seal FROM requests q LEFT JOIN entries e ON e.story = q.opened_seq
       WHERE q.request_id = ? ORDER BY e.seq`,
    ).all(requestId) as (SealedLine & { readonly version: number })[]
    const [first] = rows
    return first === undefined ? [] : this.#seals.story(requestId, first.version, rows)
  }

  async version(requestId: string): Promise<number> {
    const known = this.#statement('SELECT version FROM requests WHERE request_id = ?').get(requestId)
    return (known as number | undefined) ?? 0
  }

  entries(from: number, limit?: number): AsyncIterable<Entry> {
    return soundEntries(this.#seals, this.lines(from, limit), id => this.story(id))
  }

  async sealed(): Promise<Entry | null> {
    const seq = this.#statement(`SELECT seq FROM entries WHERE type = 'LEDGER_SEALED'`).get() as
      | number
      | undefined
    if (seq === undefined) return null
    const lines = this.#row('SELECT line, seal FROM entries WHERE seq IN (?, ?) ORDER BY seq').all(
      seq - 1,
      seq,
    )
    return this.#seals.ledgerSealed(lines as SealedLine[])
  }

  async *lines(from: number, limit = Number.POSITIVE_INFINITY): AsyncIterable<string> {
    const page = this.#statement('SELECT line FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?')
    for (let next = from, left = limit; left > 0; ) {
      const lines = page.all(next, Math.min(PAGE, left)) as string[]
      yield* lines
      if (lines.length < Math.min(PAGE, left)) return
      next += lines.length
      left -= lines.length
    }
  }

  async list(filter: Filter): Promise<readonly Listed[]> {
    const wanted: [string, unknown][] = [
      ['state = ?', filter.state],
      ['run_id = ?', filter.run_id],
      ['opened_by = ?', filter.opened_by],
      ['opened_seq < ?', filter.before],
    ]
    const used = wanted.filter(([, value]) => value !== undefined)
    const clauses = used.map(([clause]) => clause)
    if (isOfOpen(filter)) clauses.push('resolved_seq IS NULL')
    const where = clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`
    return this.#db
      .prepare(`SELECT request_id, opened_seq FROM requests ${where} ORDER BY opened_seq DESC LIMIT ?`)
      .all(...used.map(([, value]) => value), filter.limit) as Listed[]
  }

  async countOpen(openedBy: string, atMost: number): Promise<number> {
    return this.#statement(
      `SELECT count(*) FROM (SELECT 1 FROM requests WHERE opened_by = ? AND resolved_seq IS NULL LIMIT ?)`,
    ).get(openedBy, atMost) as number
  }

  async inbox(filter: InboxFilter): Promise<readonly WaitingRequest[]> {
    return this.#inboxes.waiting(filter)
  }

  async countWaiting(userId: string, atMost: number): Promise<number> {
    return this.#inboxes.count(userId, atMost)
  }

  async past(userId: string, before: number, limit: number): Promise<readonly Past[]> {
    return this.#inboxes.past(userId, before, limit)
  }

  async hasDirector(runId: string): Promise<boolean> {
    if (!this.#writer.isDirected) return false
    return this.#statement('SELECT 1 FROM directed_runs WHERE run_id = ?').get(runId) !== undefined
  }

  async requestOfToken(jti: string): Promise<string | null> {
    const found = this.#statement('SELECT request_id FROM policy_tokens WHERE jti = ?').get(jti)
    return (found as string | undefined) ?? null
  }

  async registrationOf(credentialHash: Hash): Promise<number | null> {
    const found = this.#statement(
      `SELECT seq FROM entries WHERE type = 'PASSKEY_REGISTERED' AND json_extract(line, '$.body.credential_hash') = ?`,
    ).get(credentialHash)
    return (found as number | undefined) ?? null
  }

  async due(ms: number, limit: number): Promise<readonly string[]> {
    return this.#statement(
      'SELECT request_id FROM requests WHERE alarm_ms <= ? ORDER BY alarm_ms LIMIT ?',
    ).all(ms, limit) as string[]
  }

  async nextAlarm(after = Number.MIN_SAFE_INTEGER): Promise<number | null> {
    return this.#statement('SELECT min(alarm_ms) FROM requests WHERE alarm_ms > ?').get(after) as
      | number
      | null
  }

  async alarms({ at, request_id }: Alarm, until: number, limit: number): Promise<readonly Alarm[]> {
    return this.#db
      .prepare(
        `SELECT request_id, alarm_ms AS at FROM requests
         WHERE (alarm_ms, request_id) > (?, ?) AND alarm_ms <= ? ORDER BY alarm_ms, request_id LIMIT ?`,
      )
      .all(at, request_id, until, limit) as Alarm[]
  }

  onCommit(listener: OnCommit): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Nobody else commits here. */
  onOwnCommit(listener: OnCommit): () => void {
    return this.onCommit(listener)
  }

  async probe(): Promise<void> {
    if (this.#storage.broken) throw this.#storage.broken
    if (this.#closed) throw new LedgerUnavailable('the ledger is closed')
    // After a failure only a write can tell; this one writes a page and changes nothing.
    if (this.#storage.troubled) this.#storage.write(() => this.#db.pragma(`user_version = ${SCHEMA_VERSION}`))
    this.#statement('SELECT 1').get()
  }

  async close(): Promise<void> {
    while (this.#waiting.length > 0) this.#flush()
    this.#closed = true
    this.#db.close()
    this.#release()
  }

  readonly #statements = new Map<string, Statement<unknown[]>>()
  /** Single-column statements of the reading side, prepared once. */
  #statement(sql: string): Statement<unknown[]> {
    return this.#prepared(sql, () => this.#db.prepare<unknown[]>(sql).pluck())
  }

  /** The same, with rows. */
  #row(sql: string): Statement<unknown[]> {
    return this.#prepared(sql, () => this.#db.prepare<unknown[]>(sql))
  }

  #prepared(sql: string, prepare: () => Statement<unknown[]>): Statement<unknown[]> {
    const known = this.#statements.get(sql) ?? prepare()
    this.#statements.set(sql, known)
    return known
  }
}
