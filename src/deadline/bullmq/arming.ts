// Hands alarms to Redis, after their commit and by the batch. Nothing waits for it and nothing rests on it: an alarm
// that could not be handed over is found by the walk, and in the end by the sweep.
//
// Between a request's opening and its sending lie milliseconds and several alarms; only the last one is worth a job.
// So an alarm that is not near waits a while for the one that replaces it. And an alarm beyond the walk's horizon is
// not handed over at all: most requests are answered long before their deadline, and the walk sets the others when
// their last minute begins. A pending request costs Redis nothing until then.
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { isOpen } from '../../agenda/case.js'
import type { Alarm, Ledger } from '../../ledger/contract.js'
import type { Armed } from '../alarms.js'
import { jobFor, jobId } from './job.js'

/** How far ahead the walk looks for alarms that Redis does not have. */
export const HORIZON_MS = 60_000
/** Later alarms are left to the walk. Twice its horizon, so that neither clocks that differ nor a slow commit let an
 *  alarm slip between the two. */
const FAR_MS = 2 * HORIZON_MS
/** The longest an alarm waits before it is handed over, and the share of its remaining time that it may wait. */
const GATHER_MS = 1_000
const GATHER_SHARE = 0.1
/** An alarm that is this near is handed over at once. */
const SOON_MS = 250
/** Jobs in one pipeline: one round trip, and Redis is not held up for others. */
const BATCH = 500
/** As many as this are handed over at once, however far off their times are. */
const MANY = 5_000
/** While Redis is slow or gone no more than this many wait; the sweep has the rest. */
const WAITING_AT_MOST = 20_000

type Change = { readonly subject: Armed; readonly at: number | null }

export class Arming {
  readonly #queue: Queue
  readonly #redis: Redis
  readonly #ledger: Ledger
  readonly #onLost: () => void
  /** The last change of each request not handed over yet. Filled by set(), emptied by #handOver(). */
  readonly #waiting = new Map<string, Change>()
  /** The moment, by the ledger's clock, at which the waiting changes are handed over. */
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
    const near = at !== null && at - now <= FAR_MS ? at : null
    if (near === null && !leavesJob(subject, now)) {
      this.#waiting.delete(subject.request_id)
      return
    }
    if (this.#waiting.size >= WAITING_AT_MOST) {
      this.#waiting.clear()
      this.#onLost()
    }
    this.#waiting.set(subject.request_id, { subject, at: near })
    const by = this.#waiting.size >= MANY ? now : now + patience(near, now)
    if (by >= this.#by) return
    this.#by = by
    this.#plan(now)
  }

  /** Sets the alarms among these that Redis does not have. */
  async restore(alarms: readonly Alarm[]): Promise<void> {
    const keys = alarms.map(alarm => this.#queue.toKey(jobId(alarm)))
    const answers = (await this.#redis.pipeline(keys.map(key => ['exists', key])).exec()) ?? []
    // A pipeline does not fail when its commands do; a command without an answer says nothing about its alarm.
    const failed = answers.find(([error]) => error !== null)
    if (failed !== undefined) throw failed[0]
    const missing = alarms.filter((_, index) => answers[index]?.[1] !== 1)
    for (let first = 0; first < missing.length; first += BATCH)
      await this.#add(missing.slice(first, first + BATCH))
  }

  /** Hands over the waiting changes, if Redis takes them. */
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
        // Hand over changes that came meanwhile. If they were withdrawn, the next set() plans anew.
        if (this.#waiting.size > 0) this.#plan(this.#ledger.now())
        else this.#by = Number.POSITIVE_INFINITY
      })
  }

  async #handOver(changes: readonly Change[]): Promise<void> {
    this.#waiting.clear()
    for (let first = 0; first < changes.length; first += BATCH) {
      // Commands to a Redis that is not there would pile up without a bound.
      if (this.#redis.status !== 'ready') return this.#onLost()
      const batch = changes.slice(first, first + BATCH)
      await Promise.all([this.#add(batch.flatMap(alarmIn)), this.#forget(batch)])
    }
  }

  async #add(alarms: readonly Alarm[]): Promise<void> {
    const now = this.#ledger.now()
    if (alarms.length > 0) await this.#queue.addBulk(alarms.map(alarm => jobFor(alarm, now)))
  }

  /** A settled request leaves its deadline behind in Redis: memory until then, and a ring for nothing. */
  async #forget(batch: readonly Change[]): Promise<void> {
    const now = this.#ledger.now()
    const settled = batch.filter(({ subject }) => leavesJob(subject, now))
    await Promise.all(
      settled.map(({ subject: { request_id, deadline_ms } }) =>
        this.#queue.remove(jobId({ request_id, at: deadline_ms })),
      ),
    )
  }
}

/** Whether the request is settled and its deadline, if it was ever handed over, is still in Redis. */
const leavesJob = (subject: Armed, now: number): boolean =>
  !isOpen(subject) && subject.deadline_ms > now && subject.deadline_ms - now <= FAR_MS

/** A change without an alarm can wait the longest. */
function patience(at: number | null, now: number): number {
  if (at === null) return GATHER_MS
  return at - now < SOON_MS ? 0 : Math.min((at - now) * GATHER_SHARE, GATHER_MS)
}

const alarmIn = ({ subject: { request_id }, at }: Change): Alarm[] =>
  at === null ? [] : [{ request_id, at }]
