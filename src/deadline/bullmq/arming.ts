// Hands alarms to Redis, after their commit and by the batch. Nothing waits for it and nothing rests on it: what could
// not be handed over is found by the sweep.
//
// Between a request's opening and its sending lie milliseconds and several alarms; only the last one is worth a job. So
// an alarm that is not near waits a while for the one that takes its place. And one beyond the sweep's horizon is not
// handed over at all: most requests are answered long before their deadline, and those that are not are set by the sweep
// when their last minute begins. A pending request costs Redis nothing until then.
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { isOpen } from '../../agenda/case.js'
import type { Alarm, Ledger } from '../../ledger/contract.js'
import type { Armed } from '../alarms.js'
import { jobFor, jobId } from './job.js'

/** How far ahead the sweep looks for alarms that Redis does not have. */
export const HORIZON_MS = 60_000
/** What comes later than this is left to the sweep. Twice its horizon: no difference of clocks, and no commit that takes
 *  its time, can let an alarm slip between the two. */
const FAR_MS = 2 * HORIZON_MS
/** How long an alarm waits at most before it is handed over, and which part of the time it has. */
const GATHER_MS = 1_000
const GATHER_SHARE = 0.1
/** An alarm that is this near is handed over at once. */
const SOON_MS = 250
/** Jobs in one pipeline: one round trip, and Redis is not held up for others. */
const BATCH = 500
/** So many are handed over whatever their time. */
const MANY = 5_000
/** While Redis is slow or gone no more than this wait; the sweep has the rest. */
const WAITING_AT_MOST = 20_000

type Change = { readonly subject: Armed; readonly at: number | null }

export class Arming {
  readonly #queue: Queue
  readonly #redis: Redis
  readonly #ledger: Ledger
  readonly #onLost: () => void
  /** The last change of each request not handed over yet. Filled by set(), emptied by #handOver(). */
  readonly #waiting = new Map<string, Change>()
  /** By the ledger's clock, when what waits is to be handed over. */
  #by = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #handing: Promise<void> | null = null

  constructor(queue: Queue, redis: Redis, ledger: Ledger, onLost: () => void) {
    this.#queue = queue
    this.#redis = redis
    this.#ledger = ledger
    this.#onLost = onLost
  }

  set(subject: Armed, at: number | null): void {
    const now = this.#ledger.now()
    // A settled request may have left its deadline in Redis, if that was near enough.
    if ((at ?? subject.deadline_ms) - now > FAR_MS) {
      this.#waiting.delete(subject.request_id)
      return
    }
    if (this.#waiting.size >= WAITING_AT_MOST) {
      this.#waiting.clear()
      this.#onLost()
    }
    this.#waiting.set(subject.request_id, { subject, at })
    const by = this.#waiting.size >= MANY ? now : now + patience(at, now)
    if (by >= this.#by) return
    this.#by = by
    this.#plan(now)
  }

  /** Sets those of these alarms that Redis does not have. */
  async restore(alarms: readonly Alarm[]): Promise<void> {
    const keys = alarms.map(alarm => this.#queue.toKey(jobId(alarm)))
    const found = await this.#redis.pipeline(keys.map(key => ['exists', key])).exec()
    const missing = alarms.filter((_, index) => found?.[index]?.[1] === 0)
    for (let first = 0; first < missing.length; first += BATCH)
      await this.#add(missing.slice(first, first + BATCH))
  }

  /** Hands over what waits, if Redis takes it. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#handing === null) this.#begin()
    await this.#handing
  }

  #plan(now: number): void {
    if (this.#handing !== null) return
    clearTimeout(this.#timer)
    if (this.#by <= now) this.#begin()
    else this.#timer = setTimeout(() => this.#begin(), this.#by - now)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#by = Number.POSITIVE_INFINITY
    this.#handing = this.#handOver([...this.#waiting.values()])
      .catch(() => this.#onLost())
      .then(() => {
        this.#handing = null
        // What came meanwhile.
        if (this.#waiting.size > 0) this.#plan(this.#ledger.now())
      })
  }

  async #handOver(changes: readonly Change[]): Promise<void> {
    this.#waiting.clear()
    for (let first = 0; first < changes.length; first += BATCH) {
      // What is said to a Redis that is not there would be kept for it, however much that becomes.
      if (this.#redis.status !== 'ready') return this.#onLost()
      const batch = changes.slice(first, first + BATCH)
      await Promise.all([this.#add(batch.flatMap(alarmIn)), this.#forget(batch)])
    }
  }

  async #add(alarms: readonly Alarm[]): Promise<void> {
    const now = this.#ledger.now()
    if (alarms.length > 0) await this.#queue.addBulk(alarms.map(alarm => jobFor(alarm, now)))
  }

  /** A settled request leaves its deadline behind: up to a month of memory, and then a ring for nothing. */
  async #forget(batch: readonly Change[]): Promise<void> {
    const now = this.#ledger.now()
    const settled = batch.filter(({ subject }) => !isOpen(subject) && subject.deadline_ms > now)
    await Promise.all(
      settled.map(({ subject: { request_id, deadline_ms } }) =>
        this.#queue.remove(jobId({ request_id, at: deadline_ms })),
      ),
    )
  }
}

/** What is settled has all the time there is. */
function patience(at: number | null, now: number): number {
  if (at === null) return GATHER_MS
  return at - now < SOON_MS ? 0 : Math.min((at - now) * GATHER_SHARE, GATHER_MS)
}

const alarmIn = ({ subject: { request_id }, at }: Change): Alarm[] =>
  at === null ? [] : [{ request_id, at }]
