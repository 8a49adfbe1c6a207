// A batch, judged: the outcome of each append, and everything the batch will write, chunk by chunk. Nothing here
// touches the database, so a refused append costs its neighbours nothing (L3).
import { instant } from '../../clock.js'
import { type Draft, type Entry, LANE } from '../../event.js'
import { NEWEST_RULES } from '../../rules.js'
import type { Reading } from '../clock.js'
import type { Append, AppendDecision, AppendOutcome, Guard, Moment } from '../contract.js'
import { type Inscribed, inscribe } from '../entry.js'
import { changesOf } from '../inbox.js'
import { placeOf, type Seals, type Standing } from '../seals.js'
import type { Shelving } from '../shelf.js'
import { type Frontier, grow, packed } from '../tree/nodes.js'
import type { Change } from './clock.js'
import {
  codesOf,
  hexOf,
  holds,
  type KnownStory,
  keyOf,
  openedBy,
  questionsOf,
  type StoreFacts,
  sentBy,
} from './facts.js'
import { isCoded, shelved } from './shelving.js'
import type { HeadRow, Rows } from './tables.js'

export type Judged = AppendOutcome | { readonly error: unknown }

/** Appends that were judged and not handed on yet. */
export class Chunk {
  readonly entries: Entry[] = []
  readonly lines: string[] = []
  readonly stories: (number | null)[] = []
  /** The seal of an append stands with its last entry; null for the others. */
  readonly seals: (string | null)[] = []
  /** The nodes of the tree that each entry completes, as hexadecimal. */
  readonly nodes: string[] = []
  /** Rows to be written beside the entries, by table. */
  readonly rows: Rows = new Map()
  /** Requests as they will stand; those opened in this chunk are among `opened`. */
  readonly changed = new Map<number, KnownStory>()
  readonly opened = new Map<number, KnownStory>()

  get isEmpty(): boolean {
    return this.entries.length + this.rows.size + this.changed.size === 0
  }
}

/** The story an append is of: the seq it begins with, and where it stands. */
type Story = { readonly begins: number; readonly at: Standing }
/** The entries an append has added to its story. */
export type Grown = Pick<Story, 'at'> & { readonly entries: readonly Entry[] }

export class Batch {
  /** All entries of the batch, with those of chunks that were taken. */
  readonly entries: Entry[] = []
  readonly grown: Grown[] = []
  #chunk = new Chunk()
  #head: HeadRow
  #tree: Frontier
  readonly #reading: Reading
  readonly #facts: StoreFacts
  readonly #seals: Seals

  constructor(head: HeadRow, tree: Frontier, reading: Reading, facts: StoreFacts, seals: Seals) {
    this.#head = head
    this.#tree = tree
    this.#reading = reading
    this.#facts = facts
    this.#seals = seals
  }

  get head(): HeadRow {
    return this.#head
  }

  get tree(): Frontier {
    return this.#tree
  }

  /** Everything judged since the last chunk was taken, for writing. A new chunk begins after it. */
  take(): Chunk {
    const chunk = this.#chunk
    this.#chunk = new Chunk()
    return chunk
  }

  /** Appends the clock's own news. */
  note(change: Change): void {
    this.#place(this.#inscribe([{ type: 'CLOCK_SUSPECT', body: change }]), null)
    const suspected = change.state === 'suspected' ? this.#head.size - 1 : null
    this.#head = { ...this.#head, suspected }
  }

  judge(append: Append<unknown>): Judged {
    const { story, guards = [] } = append
    const known = story ? (this.#facts.requests.get(story.request_id) ?? null) : null
    if (story && (known?.version ?? 0) !== story.expected) return { kind: 'moved' }
    const failing = guards.find(guard => !holds(this.#facts, guard))
    if (failing) return { kind: 'guarded', guard: failing }
    try {
      return this.#decided(append, known)
    } catch (error) {
      return { error }
    }
  }

  #decided(append: Append<unknown>, known: KnownStory | null): AppendOutcome {
    const decision = append.decide(this.#moment())
    if (decision.kind === 'refuse') return { kind: 'refused', why: decision.why }
    // Every step that can throw is done before anything is kept.
    const inscribed = this.#inscribe(decision.events)
    const put = shelved(decision.shelve ?? [], this.#seals)
    const seq = this.#head.size
    for (const guard of append.guards ?? []) this.#claim(guard, seq)
    // A story is named by the seq it begins with: its entries then lie close together in the index.
    const begins = append.story ? (known?.opened_seq ?? seq) : null
    const at = { version: known?.version ?? 0, last: append.story?.last ?? null }
    const entries = this.#place(inscribed, begins === null ? null : { begins, at })
    if (begins !== null) this.#project(begins, known, entries, decision)
    for (const { table, key, row, undoes } of put) {
      if (undoes !== undefined && key !== null) this.#chunk.rows.get(undoes)?.delete(key)
      this.#put(table, key, row)
    }
    for (const entry of entries) this.#hear(entry)
    for (const shelving of decision.shelve ?? []) this.#learn(shelving)
    return { kind: 'appended', entries }
  }

  /** Notes for the next append of the batch what an entry has taken back (L15). */
  #hear({ type, body }: Entry): void {
    if (type === 'PASSKEY_REVOKED') this.#facts.counts.set(keyOf({ ...body, kind: 'passkey' }), 0)
  }

  /** Notes the changes beside the entries that the next append of the batch must see. */
  #learn(shelving: Shelving): void {
    const { counts, owners } = this.#facts
    if (shelving.put === 'link') {
      const { user_id, channel, address } = shelving.link
      owners.set(keyOf({ kind: 'address', channel, address, theirs: [] }), user_id)
    } else if (shelving.put === 'passkey') {
      counts.set(keyOf({ ...shelving.passkey, kind: 'passkey' }), 1)
    } else if (shelving.put === 'passkey_end') {
      counts.set(keyOf({ ...shelving, kind: 'passkey' }), 0)
    } else if (shelving.put === 'contents') {
      const key = sentBy(shelving.key_id)
      const bytes = [...shelving.contents.values()].reduce((sum, { length }) => sum + length, 0)
      counts.set(key, (counts.get(key) ?? 0) + bytes)
    } else if (shelving.put === 'rest') {
      counts.set(codesOf('rested', shelving.rest.channel, shelving.rest.user_id), 1)
    } else if (shelving.put === 'grant' && isCoded(shelving.grant)) {
      const key = codesOf('given', shelving.grant.channel, shelving.grant.user_id)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }

  #moment(): Moment {
    const { ms, suspect } = this.#reading
    const { size, hash, suspected } = this.#head
    return { at: instant(ms), ms, seq: size, prev: hash, suspect: suspect || suspected !== null }
  }

  #inscribe(events: readonly Draft[]): readonly Inscribed[] {
    const at = instant(this.#reading.ms)
    let { size, hash } = this.#head
    return events.map(draft => {
      const inscribed = inscribe(draft, { seq: size, at, prev: hash })
      size += 1
      hash = inscribed.entry.hash
      return inscribed
    })
  }

  #place(inscribed: readonly Inscribed[], story: Story | null): readonly Entry[] {
    const entries = inscribed.map(({ entry }) => entry)
    const last = entries.at(-1)
    if (last === undefined) return entries
    const seal = this.#seals.ofAppend(placeOf(entries, story?.at ?? null))
    for (const entry of entries) {
      this.entries.push(entry)
      this.#chunk.entries.push(entry)
      this.#chunk.stories.push(story?.begins ?? null)
      this.#chunk.seals.push(entry === last ? seal : null)
    }
    for (const { line, leaf } of inscribed) {
      const { frontier, completed } = grow(this.#tree, leaf)
      this.#tree = frontier
      this.#chunk.lines.push(line)
      this.#chunk.nodes.push(Buffer.from(packed(completed)).toString('hex'))
    }
    if (story !== null) this.grown.push({ at: story.at, entries })
    const rules = entries.some(({ type }) => type === 'LANE_STARTED') ? NEWEST_RULES : this.#head.rules
    this.#head = { ...this.#head, size: last.seq + 1, hash: last.hash, at_ms: this.#reading.ms, rules }
    return entries
  }

  /** The price of a guard that holds: the value is taken, the hour has one more, the attempt is counted. */
  #claim(guard: Guard, seq: number): void {
    const key = keyOf(guard)
    const { claimed, counts } = this.#facts
    if (guard.kind === 'unclaimed') {
      claimed.add(key)
      this.#put('claims', key, { space: guard.space, value: hexOf(guard.value) })
    } else if (guard.kind === 'recipient_budget') {
      const { opened_by, user_id } = guard
      counts.set(key, (counts.get(key) ?? 0) + 1)
      this.#put('asked', `${key} ${seq}`, { opened_by, user_id, ms: this.#reading.ms, seq })
    } else if (guard.kind === 'attempts' && guard.fails) {
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      this.#put('attempts', key, { delivery_id: guard.delivery_id, under: hexOf(guard.under), count })
    } else if (guard.kind === 'misses' && guard.fails) {
      const { channel, user_id } = guard
      counts.set(key, (counts.get(key) ?? 0) + 1)
      this.#put('code_misses', null, { channel, user_id, ms: this.#reading.ms })
    }
  }

  /** Keeps the projection beside the entries it is made from. */
  #project(
    begins: number,
    known: KnownStory | null,
    entries: readonly Entry[],
    decision: AppendDecision<unknown>,
  ): void {
    let row = known
    for (const entry of entries) {
      if (entry.type === 'REQUEST_OPENED') row = this.#open(begins, entry)
      if (entry.type === 'REQUEST_RESOLVED' && row !== null) row = this.#resolve(row, entry)
      this.#inbox(begins, entry)
      if (entry.type === 'DIRECTOR_DECIDED' && entry.body.by !== LANE && entry.run_id !== undefined)
        this.#put('directed_runs', entry.run_id, { run_id: entry.run_id })
      if (entry.type === 'POLICY_TOKEN_ISSUED')
        this.#put('policy_tokens', null, { jti: entry.body.jti, request_id: entry.request_id })
    }
    if (row === null) return
    // A reply that decides is followed by its resolution.
    if (entries.at(-1)?.type === 'HUMAN_REPLY_EVENT') row = { ...row, state: 'partial' }
    const alarm = decision.kind === 'append' ? decision.alarm : undefined
    const alarm_ms = alarm === undefined ? row.alarm_ms : alarm === null ? null : Math.ceil(alarm)
    this.#keep({ ...row, version: row.version + entries.length, alarm_ms })
  }

  /** Under one key only the last word about a person is written, and a settling comes after all of them. */
  #inbox(opened_seq: number, entry: Entry): void {
    const told = changesOf(entry)
    if (told === null) return
    if (told.kind === 'opened') {
      const { deadline_ms, type, urgency } = told
      for (const user_id of told.people)
        this.#put('inbox', `${opened_seq} ${user_id}`, { opened_seq, user_id, deadline_ms, type, urgency })
    } else if (told.kind === 'changed') {
      for (const { user_id, over_seq } of told.people)
        this.#put('inbox_changed', `${opened_seq} ${user_id}`, { opened_seq, user_id, over_seq })
    } else this.#put('inbox_settled', `${opened_seq}`, { opened_seq, over_seq: told.over_seq })
  }

  #open(begins: number, entry: Entry & { readonly type: 'REQUEST_OPENED' }): KnownStory {
    const { request, run, opened_by } = entry.body
    const opened = {
      request_id: entry.request_id ?? '',
      opened_seq: begins,
      version: 0,
      type: request.type,
      state: 'pending',
      resolved_seq: null,
      run_id: run.run_id,
      opened_by,
      alarm_ms: null,
    }
    this.#chunk.opened.set(begins, opened)
    this.#count(opened, 1)
    const { counts } = this.#facts
    counts.set(openedBy(opened_by), (counts.get(openedBy(opened_by)) ?? 0) + 1)
    return opened
  }

  #resolve(row: KnownStory, { seq, body }: Entry & { readonly type: 'REQUEST_RESOLVED' }): KnownStory {
    if (row.resolved_seq === null) this.#count(row, -1)
    return { ...row, state: body.outcome, resolved_seq: seq }
  }

  #count(row: KnownStory, by: number): void {
    if (row.type !== 'REQUEST_QUESTION') return
    const key = questionsOf(row)
    const { counts } = this.#facts
    counts.set(key, (counts.get(key) ?? 0) + by)
  }

  #keep(row: KnownStory): void {
    this.#facts.requests.set(row.request_id, row)
    const { opened, changed } = this.#chunk
    if (opened.has(row.opened_seq)) opened.set(row.opened_seq, row)
    else changed.set(row.opened_seq, row)
  }

  /** Under the same key the later row takes the place of the earlier one; without a key each is written. */
  #put(table: string, key: string | null, row: object): void {
    const { rows } = this.#chunk
    rows.set(table, (rows.get(table) ?? new Map()).set(key ?? Symbol(table), row))
  }
}
