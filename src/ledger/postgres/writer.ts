// The serialised section. All replicas' appends are serialised by a lock on the one row of `head`. A batch of this
// process's appends takes it once, with two round trips: one that locks, reads the clock and learns the facts, one
// that writes and commits. Judged appends are sent chunk by chunk: PostgreSQL writes one while the next is judged.
//
// PW1  The facts are asked after the lock, each with a view of its own: everything committed before is in them.
// PW2  Only a COMMIT that was answered with COMMIT is acknowledged.
// PW3  When the answer to a COMMIT was lost, the lock is taken again: its last holder has then either committed, and
//      the number of the batch stands in `writers`, or never will. So nothing is appended twice.
// PW4  Nothing is appended to a ledger that has lost acknowledged entries (known-head.ts).
// PW5  Nothing is appended under rules that are not known here.
// PW6  A process that falls silent while it holds the lock loses it after SILENCE_MS.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.js'
import type { Entry } from '../../event.js'
import { NEWEST_RULES } from '../../rules.js'
import { type Append, assertKnownRules, SealBroken } from '../contract.js'
import { HEAD, type Seals } from '../seals.js'
import { type Frontier, packed, unpacked } from '../tree/nodes.js'
import { Batch, type Grown, type Judged } from './batch.js'
import type { DatabaseClock, Sighting } from './clock.js'
import {
  type Client,
  type Connect,
  leave,
  type QueryAnswer,
  query,
  type Statement,
  Talk,
  together,
} from './connection.js'
import { assertDurable } from './durability.js'
import { questions, type StoreFacts } from './facts.js'
import { away, failureOf, refusal, unavailable } from './failure.js'
import type { KnownHead } from './known-head.js'
import { DatabaseSession } from './session.js'
import { type HeadRow, type LockedHead, writeOfHead, writesOf } from './tables.js'

const SILENCE_MS = 5_000
/** Others' batches take milliseconds each; an append that waits this long is told that the ledger
 *  cannot be used just now. */
const LOCK_MS = 10_000

/** Appends in a chunk: few enough that the server is not kept waiting, enough to be worth a
 *  statement for each table. */
const CHUNK = 32

export type Written = {
  readonly entries: readonly Entry[]
  readonly grown: readonly Grown[]
  readonly outcomes: readonly Judged[]
}
export type Doubt = { readonly batch: number; readonly written: Written }

/** The facts learnt once the head is locked. */
type Entered = {
  readonly head: LockedHead
  /** The newest head that was known before. */
  readonly known: HeadRow | null
  readonly sighting: Sighting
  readonly facts: StoreFacts
}

/** A COMMIT was sent and no answer came back. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt'
  readonly doubt: Doubt
  constructor(doubt: Doubt, cause: unknown) {
    super('the answer to a COMMIT was lost', { cause })
    this.doubt = doubt
  }
}

/** The batch broke a constraint of the store; nothing of it was committed. */
export class CommitRefused extends Error {
  override readonly name = 'Refused'
  readonly why: Error
  constructor(why: Error) {
    super(why.message)
    this.why = why
  }
}

const BEGIN: Statement = { name: 'begin', text: 'BEGIN' }
const COMMIT: Statement = { name: 'commit', text: 'COMMIT' }
const ROLLBACK: Statement = { name: 'rollback', text: 'ROLLBACK' }
const LOCK: Statement = {
  name: 'lock_head',
  text: 'SELECT size, hash, at_ms, suspected, rules, frontier, seal FROM head FOR UPDATE',
}
/** A statement of its own: the clock must be read when the lock is held, not when it was asked for. */
const CLOCK: Statement = {
  name: 'clock',
  text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS wall',
}
const SIGN: Statement = {
  name: 'sign',
  text: `INSERT INTO writers (writer, batch, at, rules) VALUES ($1, $2, clock_timestamp(), '${NEWEST_RULES}')
    ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at`,
}
const SIGNED: Statement = { name: 'signed', text: 'SELECT batch FROM writers WHERE writer = $1' }

export class Writer {
  readonly #session: DatabaseSession
  readonly #clock: DatabaseClock
  readonly #machine: Pick<Clock, 'monotonic'>
  readonly #wallOf: (databaseMs: number) => number
  readonly #id = randomUUID()
  #batch = 0
  readonly #knownHead: KnownHead
  readonly #seals: Seals

  constructor(
    connect: Connect,
    knownHead: KnownHead,
    clock: DatabaseClock,
    machine: Pick<Clock, 'monotonic'>,
    wallOf: (databaseMs: number) => number,
    seals: Seals,
  ) {
    const settings = [
      `idle_in_transaction_session_timeout = ${SILENCE_MS}`,
      `lock_timeout = ${LOCK_MS}`,
      `default_transaction_isolation = 'read committed'`,
    ]
    this.#session = new DatabaseSession(async () => {
      const client = await connect('writer', { settings })
      await assertDurable(client).catch(async error => {
        await leave(client)
        throw error
      })
      return client
    })
    this.#knownHead = knownHead
    this.#clock = clock
    this.#machine = machine
    this.#wallOf = wallOf
    this.#seals = seals
  }

  /** All of the batch, in one transaction. Throws Away, InDoubt, CommitRefused or LedgerUnavailable. */
  async commit(appends: readonly Append<unknown>[]): Promise<Written> {
    const client = await this.#session.client()
    const entered = await this.#enter(client, appends)
    const talk = new Talk(client)
    const { batch, outcomes, isEmpty } = this.#judged(client, talk, entered, appends)
    const written: Written = { entries: batch.entries, grown: batch.grown, outcomes }
    if (isEmpty) this.#leave(client)
    else await this.#finish(client, talk, this.#sealed(batch), written)
    this.#clock.recorded(batch.head.suspected)
    this.#knownHead.keep(batch.head)
    this.#keep(written)
    return written
  }

  #sealed({ head, tree }: Batch): LockedHead {
    return { ...head, frontier: packed(tree.peaks), seal: this.#seals.ofHead(head, tree) }
  }

  #keep({ grown }: Written): void {
    for (const { entries, at } of grown) this.#seals.keep(entries, at)
  }

  /** Makes sure that there is a connection to write with, checked as each is. */
  async ready(): Promise<void> {
    await this.#session.client()
  }

  #judged(client: Client, talk: Talk, entered: Entered, appends: readonly Append<unknown>[]) {
    try {
      return this.#judge(talk, entered, appends)
    } catch (error) {
      this.#leave(client)
      throw error
    }
  }

  #judge(talk: Talk, { head, known, sighting, facts }: Entered, appends: readonly Append<unknown>[]) {
    assertKnownRules(head.rules)
    this.#knownHead.see(head, known)
    this.#clock.heed(head.at_ms, head.suspected)
    const reading = this.#clock.see(sighting)
    const batch = new Batch(head, treeOf(head, this.#seals), reading, facts, this.#seals)
    for (const change of this.#clock.pending(reading, head.suspected)) batch.note(change)
    const outcomes: Judged[] = []
    let isEmpty = true
    for (let first = 0; first < appends.length; first += CHUNK) {
      for (const append of appends.slice(first, first + CHUNK)) outcomes.push(batch.judge(append))
      const chunk = batch.take()
      if (chunk.isEmpty) continue
      talk.say(writesOf(chunk, reading.ms))
      isEmpty = false
    }
    return { batch, outcomes, isEmpty }
  }

  async #enter(client: Client, appends: readonly Append<unknown>[]): Promise<Entered> {
    const asked = questions(appends, this.#clock.now())
    const sent = this.#machine.monotonic()
    const known = this.#knownHead.head
    try {
      const all = [BEGIN, LOCK, CLOCK, ...asked.map(({ question }) => question)]
      const [, locked, clock, ...answers] = await together(client, all)
      const answered = this.#machine.monotonic()
      const facts: StoreFacts = {
        requests: new Map(),
        claimed: new Set(),
        counts: new Map(),
        owners: new Map(),
      }
      for (const [index, { learn }] of asked.entries()) learn(facts, answers[index]?.rows ?? [])
      return { head: headOf(locked), known, sighting: this.#sighting(clock, sent, answered), facts }
    } catch (error) {
      throw this.#givenUp(client, error)
    }
  }

  #sighting(answer: QueryAnswer | undefined, asked: number, answered: number): Sighting {
    return { wall: this.#wallOf(Number(answer?.rows[0]?.wall)), asked, answered }
  }

  async #finish(client: Client, talk: Talk, head: LockedHead, written: Written): Promise<void> {
    const batch = ++this.#batch
    try {
      talk.say([writeOfHead(head), { ...SIGN, values: [this.#id, batch] }, COMMIT])
      if ((await talk.answers()).at(-1)?.command !== 'COMMIT') throw new Error('the COMMIT was not taken')
    } catch (error) {
      const failure = failureOf(error)
      if (failure === 'refused') throw new CommitRefused(refusal(error))
      if (failure === 'unavailable') throw unavailable(error)
      this.#session.drop(client)
      throw new InDoubt({ batch, written }, error)
    }
  }

  /** Whether a batch whose answer was lost has been committed (PW3). */
  async wasCommitted({ batch, written }: Doubt): Promise<boolean> {
    const client = await this.#session.client()
    const known = this.#knownHead.head
    try {
      const signed = { ...SIGNED, values: [this.#id] }
      const [, locked, answer] = await together(client, [BEGIN, LOCK, signed, ROLLBACK])
      this.#knownHead.see(headOf(locked), known)
      const { batch: last = 0 } = (answer?.rows[0] ?? {}) as { batch?: number }
      if (last >= batch) this.#keep(written)
      return last >= batch
    } catch (error) {
      throw this.#givenUp(client, error)
    }
  }

  /** For a failure before a COMMIT was sent: nothing can have been committed. */
  #givenUp(client: Client, error: unknown): Error {
    if (failureOf(error) === 'lost') {
      this.#session.drop(client)
      return away(error)
    }
    this.#leave(client)
    return unavailable(error)
  }

  /** Lets the head go; nobody waits for it. */
  #leave(client: Client): void {
    query(client, ROLLBACK).catch(() => this.#session.drop(client))
  }

  async close(): Promise<void> {
    await this.#session.close()
  }
}

function headOf(answer: QueryAnswer | undefined): LockedHead {
  const [head] = answer?.rows ?? []
  if (head === undefined) throw new Error('the ledger has no head')
  return head as LockedHead
}

/** The tree of a head; SealBroken where the lane has not sealed it. */
export function treeOf(head: LockedHead, seals: Seals): Frontier {
  const tree = { size: head.size, peaks: unpacked(head.frontier) }
  if (!seals.headHolds(head, tree, head.seal)) throw new SealBroken(HEAD)
  return tree
}
