// The cluster's ledger: one PostgreSQL, many replicas. The promises L1–L10 are those of ../contract.ts; how appends are
// serialised is in writer.ts, how commits are told in tail.ts.
import type { Hash } from '../../canonical.js'
import type { Clock } from '../../clock.js'
import type { Entry } from '../../event.js'
import {
  type Alarm,
  type Append,
  type Appended,
  type Filter,
  type Ledger,
  LedgerUnavailable,
  type Listed,
} from '../contract.js'
import { parseEntry } from '../entry.js'
import type { DatabaseClock } from './clock.js'
import { Away, unavailable } from './failure.js'
import type { Notices } from './notices.js'
import type { Outcome } from './page.js'
import { PATIENCE_MS, type Readers } from './reading.js'
import { Tail } from './tail.js'
import { type Doubt, InDoubt, Refused, type Writer, type Written } from './writer.js'

/** One commit takes at most this many appends, so that a burst cannot hold up the other replicas for long. */
const BATCH = 256
const PAGE = 500
const LOOK_MS = 1_000

/** What an append does first; after that nothing but a full disk could refuse it. */
const PROBE = [
  { name: 'probe_begin', text: 'BEGIN' },
  { name: 'probe_patience', text: `SET LOCAL lock_timeout = ${PATIENCE_MS}` },
  { name: 'probe_lock', text: 'SELECT size FROM head FOR UPDATE' },
  { name: 'probe_end', text: 'ROLLBACK' },
]

type Waiting = {
  readonly append: Append<unknown>
  readonly since: number
  readonly settle: (outcome: Outcome) => void
  readonly fail: (error: unknown) => void
}

export type Parts = {
  readonly writer: Writer
  readonly readers: Readers
  readonly notices: Notices
  readonly clock: DatabaseClock
  readonly machine: Pick<Clock, 'monotonic'>
  /** How many entries there were when the store was opened. */
  readonly size: number
  /** Reads the head and the database's clock once. */
  look(): Promise<{ readonly size: number }>
  /** All that is closed with the ledger. */
  readonly connections: readonly { close(): Promise<void> }[]
}

export class PostgresLedger implements Ledger {
  readonly #parts: Parts
  readonly #tail: Tail
  /** Appends not yet committed, in order. Filled by append(), emptied by #work(). */
  #waiting: Waiting[] = []
  #working: Promise<void> | null = null
  #looking: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#tail = new Tail(parts.size, (from, limit) => this.#lines(from, limit))
    this.#lookLater()
  }

  /** For the listener: another replica has committed. */
  heard(size: number): void {
    this.#tail.heard(size)
  }

  append<R>(append: Append<R>): Promise<Appended<R>> {
    if (this.#closed) return Promise.reject(new LedgerUnavailable('the ledger is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        append: append as Append<unknown>,
        since: this.#parts.machine.monotonic(),
        settle: resolve as (outcome: Outcome) => void,
        fail: reject,
      })
      this.#working ??= this.#work()
    })
  }

  /** One batch after the other: what comes while one is under way goes with the next. */
  async #work(): Promise<void> {
    // Whatever is appended in this turn of the loop shares the first commit.
    await new Promise(resolve => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#settle(this.#waiting.splice(0, BATCH))
    this.#working = null
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const { outcomes } = await this.#told(batch)
      for (const [index, waiting] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome === undefined || 'error' in outcome) waiting.fail(outcome?.error)
        else waiting.settle(outcome)
      }
    } catch (error) {
      if (error instanceof Refused && batch.length > 1) return await this.#settleApart(batch)
      const failure = error instanceof Refused ? error.why : unavailable(error)
      for (const waiting of batch) waiting.fail(failure)
    }
  }

  /** One of them broke a constraint the store keeps (L7): the halves are tried apart until it stands alone. */
  async #settleApart(batch: readonly Waiting[]): Promise<void> {
    const half = Math.ceil(batch.length / 2)
    await this.#settle(batch.slice(0, half))
    await this.#settle(batch.slice(half))
  }

  /** Tries again while the database is away, for as long as the longest waiting has patience. */
  async #commit(batch: readonly Waiting[]): Promise<Written> {
    const { writer, machine } = this.#parts
    const appends = batch.map(({ append }) => append)
    let until = (batch[0]?.since ?? 0) + PATIENCE_MS
    let doubt: Doubt | null = null
    for (;;) {
      try {
        if (doubt !== null && (await writer.wasCommitted(doubt))) return doubt.written
        doubt = null
        return await writer.commit(appends)
      } catch (error) {
        if (error instanceof InDoubt) {
          doubt = error.doubt
          // What may be committed is worth finding out, however long it has taken so far.
          until = machine.monotonic() + PATIENCE_MS
        } else if (!(error instanceof Away)) throw error
        else if (machine.monotonic() > until) throw error
      }
    }
  }

  /** Committed, and everyone told of it. */
  async #told(batch: readonly Waiting[]): Promise<Written> {
    let entries: readonly Entry[] = []
    this.#tail.begin()
    try {
      const written = await this.#commit(batch)
      entries = written.entries
      return written
    } finally {
      this.#tail.end(entries)
      const last = entries.at(-1)
      if (last !== undefined) this.#parts.notices.tell(last.seq + 1)
    }
  }

  #lookLater(): void {
    if (this.#closed) return
    this.#looking = setTimeout(async () => {
      const found = await this.#parts.look().catch(() => null)
      if (found !== null) this.#tail.heard(found.size)
      this.#lookLater()
    }, LOOK_MS)
  }

  now(): number {
    return this.#parts.clock.now()
  }

  suspect(): boolean {
    return this.#parts.clock.suspect
  }

  async head(): Promise<{ size: number; hash: Hash }> {
    const asked = { name: 'head', text: 'SELECT size, hash FROM head' }
    const head = await this.#parts.readers.one<{ size: number; hash: Hash }>(asked)
    if (head === null) throw new Error('the ledger has no head')
    return head
  }

  async story(requestId: string): Promise<readonly Entry[]> {
    const rows = await this.#parts.readers.rows<{ line: string }>({
      name: 'story',
      text: `SELECT line FROM entries WHERE story = (SELECT opened_seq FROM requests WHERE request_id = $1)
        ORDER BY seq`,
      values: [requestId],
    })
    return rows.map(({ line }) => parseEntry(line))
  }

  async #lines(from: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#parts.readers.rows<{ line: string }>({
      name: 'lines',
      text: 'SELECT line FROM entries WHERE seq >= $1 ORDER BY seq LIMIT $2',
      values: [from, limit],
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
    const wanted: [name: string, clause: string, value: unknown][] = [
      ['state', 'state =', filter.state],
      ['run', 'run_id =', filter.run_id],
      ['opener', 'opened_by =', filter.opened_by],
      ['before', 'opened_seq <', filter.before],
    ]
    const used = wanted.filter(([, , value]) => value !== undefined)
    const clauses = used.map(([, clause], index) => `${clause} $${index + 2}`)
    const where = used.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`
    return await this.#parts.readers.rows<Listed>({
      name: ['list', ...used.map(([name]) => name)].join('_'),
      text: `SELECT request_id, opened_seq FROM requests ${where} ORDER BY opened_seq DESC LIMIT $1`,
      values: [filter.limit, ...used.map(([, , value]) => value)],
    })
  }

  async hasDirector(runId: string): Promise<boolean> {
    const text = 'SELECT 1 FROM directed_runs WHERE run_id = $1'
    return (await this.#parts.readers.one({ name: 'has_director', text, values: [runId] })) !== null
  }

  async requestOfToken(jti: string): Promise<string | null> {
    const text = 'SELECT request_id FROM policy_tokens WHERE jti = $1'
    const asked = { name: 'request_of_token', text, values: [jti] }
    return (await this.#parts.readers.one<{ request_id: string }>(asked))?.request_id ?? null
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

  onCommit(listener: (entries: readonly Entry[]) => void): () => void {
    return this.#tail.listen(listener)
  }

  async probe(): Promise<void> {
    if (this.#closed) throw new LedgerUnavailable('the ledger is closed')
    await this.#parts.readers.all(PROBE)
  }

  async close(): Promise<void> {
    while (this.#working !== null) await this.#working
    this.#closed = true
    clearTimeout(this.#looking)
    await Promise.all(this.#parts.connections.map(one => one.close()))
  }
}
