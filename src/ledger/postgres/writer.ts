// The serialised section. All replicas' appends are serialised by a lock on the one row of `head`; a batch of this
// process's appends takes it once, with two round trips: one that locks, reads the clock and learns the facts, one that
// writes and commits. What is judged is sent leaf by leaf: PostgreSQL writes one while the next is judged.
//
// W1  The facts are asked after the lock, each with a view of its own: everything committed before is in them.
// W2  Only a COMMIT that was answered with COMMIT is acknowledged.
// W3  Where the answer to a COMMIT was lost, the lock is taken again: whoever holds it has then either committed, and
//     the number of the batch stands in `writers`, or never will. So nothing is appended twice.
// W4  Nothing is appended to a ledger that has lost what was acknowledged (newest.ts).
// W5  Nothing is appended under rules that are not known here.
// W6  A process that falls silent while it holds the lock loses it after SILENCE_MS.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.js'
import type { Entry } from '../../event.js'
import { NEWEST_RULES } from '../../rules.js'
import { type Append, assertKnownRules } from '../contract.js'
import type { Seals } from '../seals.js'
import type { DatabaseClock, Sighting } from './clock.js'
import {
  type Answer,
  type Client,
  type Connect,
  leave,
  query,
  type Statement,
  Talk,
  together,
} from './connection.js'
import { assertDurable } from './durability.js'
import { type Facts, questions } from './facts.js'
import { away, failureOf, refusal, unavailable } from './failure.js'
import type { Newest } from './newest.js'
import { type Grown, type Judged, Page } from './page.js'
import { Session } from './session.js'
import { type Head, writeOfHead, writesOf } from './tables.js'

const SILENCE_MS = 5_000
/** Others' batches take milliseconds each; whoever waits this long is told that the ledger cannot be used just now. */
const LOCK_MS = 10_000

/** Appends on a leaf: few enough that the server is not kept waiting, enough to be worth a statement for each table. */
const LEAF = 32

export type Written = {
  readonly entries: readonly Entry[]
  readonly grown: readonly Grown[]
  readonly outcomes: readonly Judged[]
}
export type Doubt = { readonly batch: number; readonly written: Written }

/** What is known once the head is locked. */
type Entered = {
  readonly head: Head
  /** The newest head that was known before. */
  readonly known: Head | null
  readonly sighting: Sighting
  readonly facts: Facts
}

/** A COMMIT was sent and nothing came back. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt'
  readonly doubt: Doubt
  constructor(doubt: Doubt, cause: unknown) {
    super('the answer to a COMMIT was lost', { cause })
    this.doubt = doubt
  }
}

/** The batch broke a constraint the store keeps; nothing of it was committed. */
export class Refused extends Error {
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
  text: 'SELECT size, hash, at_ms, suspected, rules FROM head FOR UPDATE',
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
  readonly #session: Session
  readonly #clock: DatabaseClock
  readonly #machine: Pick<Clock, 'monotonic'>
  readonly #wallOf: (databaseMs: number) => number
  readonly #id = randomUUID()
  #batch = 0
  readonly #newest: Newest
  readonly #seals: Seals

  constructor(
    connect: Connect,
    newest: Newest,
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
    this.#session = new Session(async () => {
      const client = await connect('writer', { settings })
      await assertDurable(client).catch(async error => {
        await leave(client)
        throw error
      })
      return client
    })
    this.#newest = newest
    this.#clock = clock
    this.#machine = machine
    this.#wallOf = wallOf
    this.#seals = seals
  }

  /** All of the batch, in one transaction. Throws Away, InDoubt, Refused or LedgerUnavailable. */
  async commit(batch: readonly Append<unknown>[]): Promise<Written> {
    const client = await this.#session.client()
    const entered = await this.#enter(client, batch)
    const talk = new Talk(client)
    const { page, outcomes, isEmpty } = this.#judged(client, talk, entered, batch)
    const written: Written = { entries: page.entries, grown: page.grown, outcomes }
    if (isEmpty) this.#leave(client)
    else await this.#finish(client, talk, page.head, written)
    this.#clock.recorded(page.head.suspected)
    this.#newest.keep(page.head)
    this.#keep(written)
    return written
  }

  #keep({ grown }: Written): void {
    for (const { entries, lines, at } of grown) this.#seals.keep(entries, lines, at)
  }

  /** That there is a connection to write with, checked as each is. */
  async ready(): Promise<void> {
    await this.#session.client()
  }

  #judged(client: Client, talk: Talk, entered: Entered, batch: readonly Append<unknown>[]) {
    try {
      return this.#judge(talk, entered, batch)
    } catch (error) {
      this.#leave(client)
      throw error
    }
  }

  #judge(talk: Talk, { head, known, sighting, facts }: Entered, batch: readonly Append<unknown>[]) {
    assertKnownRules(head.rules)
    this.#newest.see(head, known)
    this.#clock.heed(head.at_ms, head.suspected)
    const reading = this.#clock.see(sighting)
    const page = new Page(head, reading, facts, this.#seals)
    for (const change of this.#clock.pending(reading, head.suspected)) page.note(change)
    const outcomes: Judged[] = []
    let isEmpty = true
    for (let first = 0; first < batch.length; first += LEAF) {
      for (const append of batch.slice(first, first + LEAF)) outcomes.push(page.judge(append))
      const leaf = page.take()
      if (leaf.isEmpty) continue
      talk.say(writesOf(leaf, reading.ms))
      isEmpty = false
    }
    return { page, outcomes, isEmpty }
  }

  async #enter(client: Client, batch: readonly Append<unknown>[]): Promise<Entered> {
    const asked = questions(batch, this.#clock.now())
    const sent = this.#machine.monotonic()
    const known = this.#newest.head
    try {
      const all = [BEGIN, LOCK, CLOCK, ...asked.map(({ question }) => question)]
      const [, locked, clock, ...answers] = await together(client, all)
      const answered = this.#machine.monotonic()
      const facts: Facts = { requests: new Map(), claimed: new Set(), counts: new Map(), owners: new Map() }
      for (const [index, { learn }] of asked.entries()) learn(facts, answers[index]?.rows ?? [])
      return { head: headOf(locked), known, sighting: this.#sighting(clock, sent, answered), facts }
    } catch (error) {
      throw this.#givenUp(client, error)
    }
  }

  #sighting(answer: Answer | undefined, asked: number, answered: number): Sighting {
    return { wall: this.#wallOf(Number(answer?.rows[0]?.wall)), asked, answered }
  }

  async #finish(client: Client, talk: Talk, head: Head, written: Written): Promise<void> {
    const batch = ++this.#batch
    try {
      talk.say([writeOfHead(head), { ...SIGN, values: [this.#id, batch] }, COMMIT])
      if ((await talk.answers()).at(-1)?.command !== 'COMMIT') throw new Error('the COMMIT was not taken')
    } catch (error) {
      const failure = failureOf(error)
      if (failure === 'refused') throw new Refused(refusal(error))
      if (failure === 'unavailable') throw unavailable(error)
      this.#session.drop(client)
      throw new InDoubt({ batch, written }, error)
    }
  }

  /** Whether a batch whose answer was lost has been committed (W3). */
  async wasCommitted({ batch, written }: Doubt): Promise<boolean> {
    const client = await this.#session.client()
    const known = this.#newest.head
    try {
      const signed = { ...SIGNED, values: [this.#id] }
      const [, locked, answer] = await together(client, [BEGIN, LOCK, signed, ROLLBACK])
      this.#newest.see(headOf(locked), known)
      const { batch: last = 0 } = (answer?.rows[0] ?? {}) as { batch?: number }
      if (last >= batch) this.#keep(written)
      return last >= batch
    } catch (error) {
      throw this.#givenUp(client, error)
    }
  }

  /** Nothing was sent that could have been committed. */
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

function headOf(answer: Answer | undefined): Head {
  const [head] = answer?.rows ?? []
  if (head === undefined) throw new Error('the ledger has no head')
  return head as Head
}
