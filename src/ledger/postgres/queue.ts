// Appends wait here for the next batch. One batch is under way at a time; appends that come
// meanwhile go with the next.
import { setTimeout } from 'node:timers'
import type { Clock } from '../../clock.js'
import type { Entry } from '../../event.js'
import { type Append, type Appended, type AppendOutcome, OutcomeUnknown, RIDE_MS } from '../contract.js'
import { Away } from './failure.js'
import type { Notices } from './notices.js'
import { PATIENCE_MS } from './reading.js'
import type { Tail } from './tail.js'
import { CommitRefused, type Doubt, InDoubt, type Writer, type Written } from './writer.js'

/** One commit takes at most this many appends, so that a burst cannot hold up the other replicas for long. */
const BATCH = 256

const UNKNOWN = 'PostgreSQL does not say whether it has committed what was sent'

type Waiting = {
  readonly append: Append<unknown>
  readonly since: number
  readonly settle: (outcome: AppendOutcome) => void
  readonly fail: (error: unknown) => void
}

export class Queue {
  readonly #writer: Writer
  readonly #tail: Tail
  readonly #notices: Notices
  readonly #machine: Pick<Clock, 'monotonic'>
  /** Appends not yet committed, in order. Filled by append(), emptied by #work(). */
  readonly #waiting: Waiting[] = []
  #working: Promise<void> | null = null
  /** Runs out for the first append that rides. */
  #riding: NodeJS.Timeout | undefined

  constructor(writer: Writer, tail: Tail, notices: Notices, machine: Pick<Clock, 'monotonic'>) {
    this.#writer = writer
    this.#tail = tail
    this.#notices = notices
    this.#machine = machine
  }

  append<R>(append: Append<R>): Promise<Appended<R>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        append: append as Append<unknown>,
        since: this.#machine.monotonic(),
        settle: resolve as (outcome: AppendOutcome) => void,
        fail: reject,
      })
      if (append.rides) this.#ride()
      else this.#begin()
    })
  }

  #begin(): void {
    clearTimeout(this.#riding)
    this.#riding = undefined
    this.#working ??= this.#work()
  }

  /** Whatever batch comes first takes it along. */
  #ride(): void {
    if (this.#working !== null) return
    this.#riding ??= setTimeout(() => this.#begin(), RIDE_MS)
  }

  /** Settles one batch after the other. */
  async #work(): Promise<void> {
    // All appends of this turn of the loop share the first commit.
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
      if (error instanceof CommitRefused && batch.length > 1) return await this.#settleApart(batch)
      for (const waiting of batch) waiting.fail(error instanceof CommitRefused ? error.why : error)
    }
  }

  /** An append of the batch broke a constraint of the store (L7): the halves are tried apart
   *  until it stands alone. */
  async #settleApart(batch: readonly Waiting[]): Promise<void> {
    const half = Math.ceil(batch.length / 2)
    await this.#settle(batch.slice(0, half))
    await this.#settle(batch.slice(half))
  }

  /** Tries again while the database is away, for as long as the append that has waited longest has patience. */
  async #commit(batch: readonly Waiting[]): Promise<Written> {
    const appends = batch.map(({ append }) => append)
    let until = (batch[0]?.since ?? 0) + PATIENCE_MS
    let doubt: Doubt | null = null
    for (;;) {
      try {
        if (doubt !== null && (await this.#writer.wasCommitted(doubt))) return doubt.written
        doubt = null
        return await this.#writer.commit(appends)
      } catch (error) {
        if (error instanceof InDoubt) {
          doubt = error.doubt
          // A batch that may be committed is worth the wait to find out, however long it has taken so far.
          until = this.#machine.monotonic() + PATIENCE_MS
        } else if (!(error instanceof Away) || this.#machine.monotonic() > until) {
          throw doubt === null ? error : new OutcomeUnknown(UNKNOWN, { cause: error })
        }
      }
    }
  }

  /** Commits, and tells the listeners and the other replicas. */
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
      if (last !== undefined) this.#notices.tell(last.seq + 1)
    }
  }

  /** Resolves when nothing waits and nothing is under way. */
  async emptied(): Promise<void> {
    if (this.#waiting.length > 0) this.#begin()
    while (this.#working !== null) await this.#working
  }
}
