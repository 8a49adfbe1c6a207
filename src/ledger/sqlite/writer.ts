// The serialised section. A batch of appends is judged and written in one transaction. Every reason to refuse an
// append is found before it has written anything, so a refusal costs its neighbours nothing (L3).
import type { Database } from 'better-sqlite3'
import { instant } from '../../clock.js'
import { type Body, type Draft, type Entry, LANE } from '../../event.js'
import { NEWEST_RULES } from '../../rules.js'
import type { LedgerClock, Reading } from '../clock.js'
import {
  type Append,
  type AppendDecision,
  type AppendOutcome,
  assertKnownRules,
  type Moment,
} from '../contract.js'
import { type Head, inscribe } from '../entry.js'
import { placeOf, type Seals, type Standing } from '../seals.js'
import { type Frontier, grow, packed } from '../tree/nodes.js'
import { guardKeeper, readsEntries } from './guards.js'
import { inboxKeeper } from './inbox.js'
import { type Late, settle } from './late.js'
import { Rows } from './rows.js'
import { shelver } from './shelving.js'
import { isStorageFailure } from './storage.js'
import { readTree } from './tree.js'

const COLUMNS = ['seq', 'type', 'story', 'line', 'seal', 'nodes'] as const

type Judged = AppendOutcome | { readonly error: unknown }
/** The story an append is of: the seq it begins with, and where it stands. */
type Story = { readonly begins: number; readonly at: Standing }
/** Puts an append at the head, sealed; null for entries of no request. */
type Place = (drafts: readonly Draft[], ms: number, story: Story | null) => readonly Entry[]
type Placed = { readonly entries: readonly Entry[]; readonly head: Head; readonly tree: Frontier }
/** What an append has added to its story, and where it stands there. */
type Grown = { readonly entries: readonly Entry[]; readonly at: Standing }

export class Writer {
  readonly #db: Database
  readonly #clock: LedgerClock
  readonly #statements: ReturnType<typeof prepare>
  readonly #guards: ReturnType<typeof guardKeeper>
  readonly #shelve: ReturnType<typeof shelver>
  readonly #inbox: ReturnType<typeof inboxKeeper>
  readonly #seals: Seals
  readonly #late: Late
  readonly #rows: Rows
  /** Whether any run has a director of its own. Hardly any lane has one, and each resolution asks. Nobody else writes
   *  here; one of a batch that did not stand says too much. */
  #isDirected: boolean
  /** The committed head. Moves only after a COMMIT. */
  #head: Head
  /** The committed tree; null until it is first needed, since its seal cannot be checked before the store is unlocked. */
  #tree: Frontier | null = null
  /** Changes of the clock's state that no commit holds yet. */
  readonly #unrecorded: Body<'CLOCK_SUSPECT'>[] = []

  constructor(db: Database, head: Head, clock: LedgerClock, seals: Seals, late: Late) {
    this.#db = db
    this.#head = head
    this.#clock = clock
    this.#statements = prepare(db)
    this.#guards = guardKeeper(db, late.contents)
    this.#shelve = shelver(db, seals, late)
    this.#inbox = inboxKeeper(db)
    this.#seals = seals
    this.#late = late
    this.#rows = new Rows(db, 'entries', COLUMNS)
    this.#isDirected = db.prepare('SELECT 1 FROM directed_runs LIMIT 1').get() !== undefined
  }

  /** False where no run can have a director of its own. */
  get isDirected(): boolean {
    return this.#isDirected
  }

  /** What the batch has not written yet: nothing in it has had to read them. */
  get #waiting(): readonly Rows[] {
    return [this.#rows, this.#inbox.rows, this.#late.grants.rows]
  }

  get head(): Head {
    return this.#head
  }

  get tree(): Frontier {
    this.#tree ??= readTree(this.#db, this.#head, this.#seals)
    return this.#tree
  }

  /** Whether the head says that there is a tree, sound or not. */
  get hasTree(): boolean {
    return this.#statements.seal.get() !== null
  }

  commit(batch: readonly Append<unknown>[]): { entries: readonly Entry[]; outcomes: readonly Judged[] } {
    try {
      return this.#transact(batch)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      if (batch.length === 1) return { entries: [], outcomes: [{ error }] }
      // One of them broke a constraint of the store (L7): find it by giving each a transaction of its own.
      const apart = batch.map(append => this.commit([append]))
      return { entries: apart.flatMap(one => one.entries), outcomes: apart.flatMap(one => one.outcomes) }
    }
  }

  #transact(batch: readonly Append<unknown>[]) {
    const entries: Entry[] = []
    const grown: Grown[] = []
    let head = this.#head
    let tree = this.tree
    let recorded = 0
    const place: Place = (drafts, ms, story) => {
      const placed = this.#place(drafts, ms, head, tree, story)
      head = placed.head
      tree = placed.tree
      entries.push(...placed.entries)
      if (story !== null) grown.push({ entries: placed.entries, at: story.at })
      return placed.entries
    }
    const judge = (append: Append<unknown>): Judged => {
      const reading = this.#clock.read()
      if (reading.change) this.#unrecorded.push(reading.change)
      for (const body of this.#unrecorded.slice(recorded)) {
        place([{ type: 'CLOCK_SUSPECT', body }], reading.ms, null)
        recorded++
      }
      return this.#one(append, reading, head, place)
    }
    settle(this.#late)
    this.#statements.begin.run()
    try {
      assertKnownRules(this.#statements.rules.get() as string)
      const outcomes = batch.map(judge)
      for (const rows of this.#waiting) rows.write()
      if (entries.length > 0)
        this.#statements.setHead.run(head.size, packed(tree.peaks), this.#seals.ofHead(head, tree))
      this.#statements.commit.run()
      this.#head = head
      this.#tree = tree
      this.#unrecorded.splice(0, recorded)
      for (const { entries: told, at } of grown) this.#seals.keep(told, at)
      // The write-ahead log still holds the pages as they were: erased words must not live on in it.
      if (entries.some(({ type }) => type === 'RAW_ERASED' || type === 'CONTENT_ERASED'))
        this.#db.pragma('wal_checkpoint(TRUNCATE)')
      return { entries, outcomes }
    } catch (error) {
      for (const rows of this.#waiting) rows.drop()
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  #place(drafts: readonly Draft[], ms: number, from: Head, grown: Frontier, story: Story | null): Placed {
    let head = from
    let tree = grown
    const entries: Entry[] = []
    const lines: { readonly line: string; readonly nodes: Uint8Array }[] = []
    const at = instant(ms)
    for (const draft of drafts) {
      const { entry, line, leaf } = inscribe(draft, { seq: head.size, at, prev: head.hash })
      const more = grow(tree, leaf)
      head = { size: head.size + 1, hash: entry.hash }
      tree = more.frontier
      entries.push(entry)
      lines.push({ line, nodes: packed(more.completed) })
    }
    if (entries.length === 0) return { entries, head, tree }
    const seal = this.#seals.ofAppend(placeOf(entries, story?.at ?? null))
    for (const [place, { line, nodes }] of lines.entries()) {
      const { seq, type } = entries[place] as Entry
      this.#rows.add(seq, type, story?.begins ?? null, line, seq + 1 === head.size ? seal : null, nodes)
    }
    if (entries.some(({ type }) => type === 'LANE_STARTED')) this.#statements.setRules.run(NEWEST_RULES)
    return { entries, head, tree }
  }

  #one(append: Append<unknown>, reading: Reading, { size: seq, hash }: Head, place: Place): Judged {
    const { story } = append
    const known = story ? this.#known(story.request_id) : null
    if (story && (known?.version ?? 0) !== story.expected) return { kind: 'moved' }
    if (append.guards?.some(readsEntries)) this.#rows.write()
    for (const guard of append.guards ?? []) {
      if (!this.#guards.holds(guard, reading.ms)) return { kind: 'guarded', guard }
    }
    const { ms, suspect } = reading
    const moment: Moment = { at: instant(ms), ms, seq, prev: hash, suspect }
    let decision: AppendDecision<unknown>
    try {
      decision = append.decide(moment)
    } catch (error) {
      return { error }
    }
    if (decision.kind === 'refuse') return { kind: 'refused', why: decision.why }
    for (const guard of append.guards ?? []) this.#guards.claim(guard, reading.ms, seq)
    // A story is named by the seq it begins with: its entries then lie close together in the index.
    const begins = story ? (known?.opened_seq ?? seq) : null
    const version = known?.version ?? 0
    const at = { version, last: story?.last ?? null }
    const placed = place(decision.events, reading.ms, begins === null ? null : { begins, at })
    if (begins !== null) this.#project(begins, version, placed, decision.alarm)
    for (const shelving of decision.shelve ?? []) this.#shelve(shelving)
    return { kind: 'appended', entries: placed }
  }

  #known(requestId: string): { readonly opened_seq: number; readonly version: number } | null {
    const row = this.#statements.known.get(requestId)
    return (row as { opened_seq: number; version: number } | undefined) ?? null
  }

  /** Keeps the projection beside the entries it is made from. */
  #project(
    begins: number,
    version: number,
    placed: readonly Entry[],
    alarm: number | null | undefined,
  ): void {
    const after = version + placed.length
    for (const entry of placed) {
      if (entry.type === 'REQUEST_OPENED') {
        const { request, run, opened_by } = entry.body
        const row = [begins, entry.request_id, after, request.type, run.run_id, opened_by, ringAt(alarm)]
        this.#statements.open.run(...row)
      }
      if (entry.type === 'REQUEST_RESOLVED')
        this.#statements.resolve.run(entry.body.outcome, entry.seq, begins)
      this.#inbox.keep(begins, entry)
      if (entry.type === 'DIRECTOR_DECIDED' && entry.body.by !== LANE) {
        this.#isDirected = true
        this.#statements.direct.run(entry.run_id)
      }
      if (entry.type === 'POLICY_TOKEN_ISSUED') this.#statements.issue.run(entry.body.jti, entry.request_id)
    }
    // A reply that decides is followed by its resolution.
    if (placed.at(-1)?.type === 'HUMAN_REPLY_EVENT') this.#statements.count.run(begins)
    // The row of a story that begins here has just been written as it is.
    if (version === 0) return
    if (alarm === undefined) this.#statements.grow.run(after, begins)
    else this.#statements.growAndArm.run(after, ringAt(alarm), begins)
  }
}

const ringAt = (alarm: number | null | undefined): number | null =>
  typeof alarm === 'number' ? Math.ceil(alarm) : null

const prepare = (db: Database) => ({
  begin: db.prepare('BEGIN IMMEDIATE'),
  commit: db.prepare('COMMIT'),
  rules: db.prepare('SELECT rules FROM head').pluck(),
  setRules: db.prepare('UPDATE head SET rules = ?'),
  seal: db.prepare('SELECT seal FROM head').pluck(),
  setHead: db.prepare('UPDATE head SET size = ?, frontier = ?, seal = ?'),
  known: db.prepare('SELECT opened_seq, version FROM requests WHERE request_id = ?'),
  open: db.prepare(
    `INSERT INTO requests (opened_seq, request_id, version, type, state, run_id, opened_by, alarm_ms)
     VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)`,
  ),
  resolve: db.prepare('UPDATE requests SET state = ?, resolved_seq = ? WHERE opened_seq = ?'),
  count: db.prepare(`UPDATE requests SET state = 'partial' WHERE opened_seq = ?`),
  direct: db.prepare('INSERT OR IGNORE INTO directed_runs (run_id) VALUES (?)'),
  issue: db.prepare('INSERT INTO policy_tokens (jti, request_id) VALUES (?, ?)'),
  grow: db.prepare('UPDATE requests SET version = ? WHERE opened_seq = ?'),
  growAndArm: db.prepare('UPDATE requests SET version = ?, alarm_ms = ? WHERE opened_seq = ?'),
})
