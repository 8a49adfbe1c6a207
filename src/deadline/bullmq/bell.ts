// The bell: BullMQ's worker takes the jobs whose time has come and rings. It may ring early (its machine's clock is
// ahead), twice (its lock was lost while the process was blocked) or not at all (it is wedged, or its process is
// dead); none of that decides anything. A ring is always taken as done: the sweep rings again if
// the request is still due.
import { type Job, Worker } from 'bullmq'
import type { Ledger } from '../../ledger/contract.js'
import { TOGETHER } from '../overdue.js'
import { alarmOf, BEAT, PREFIX } from './job.js'
import { connectForWorker } from './redis.js'
import type { Rings } from './rings.js'

/** Renewed at half time. A process that is blocked for longer loses its jobs to another, or to itself, once more. */
const LOCK_MS = 30_000
const STALLED_MS = 30_000
/** After a failed fetch BullMQ waits this long; its own fifteen seconds would make every blip that long. */
const RETRY_MS = 1_000
/** A ring that is early by more than clocks may differ is left to the sweep. */
const EARLY_AT_MOST_MS = 60_000
/** How long a stopping worker may take to give back its jobs. */
const STOP_MS = 3_000

type Bell = {
  /** Puts a new worker in the place of one that takes no jobs. */
  replace(): void
  stop(): Promise<void>
}

type BellParts = {
  readonly url: string
  readonly queue: string
  readonly ledger: Ledger
  readonly rings: Rings
  readonly onTrouble: (error: unknown) => void
}

export function startBell(parts: BellParts): Bell {
  const underWay = new Set<Promise<void>>()
  const early = new Set<NodeJS.Timeout>()

  const ringNow = (requestId: string, at: number): Promise<void> => {
    const ring = parts.rings
      .ring(requestId, at)
      .catch(parts.onTrouble)
      .then(() => void underWay.delete(ring))
    underWay.add(ring)
    return ring
  }

  /** By the ledger's clock: rung before its time, a request would answer "not yet" and not be asked again. */
  const ringAt = async (requestId: string, at: number): Promise<void> => {
    const wait = at - parts.ledger.now()
    if (wait <= 0) return ringNow(requestId, at)
    if (wait > EARLY_AT_MOST_MS) return
    const timer = setTimeout(() => {
      early.delete(timer)
      void ringAt(requestId, at)
    }, wait + 1)
    early.add(timer)
  }

  const take = async (job: Job<string>): Promise<void> => {
    if (job.name === BEAT) return
    const { request_id, at } = alarmOf(job)
    await ringAt(request_id, at)
  }

  let worker = hire(parts, take)
  return {
    replace() {
      void worker.dismiss(0)
      worker = hire(parts, take)
    },
    async stop() {
      for (const timer of early) clearTimeout(timer)
      await worker.dismiss(STOP_MS)
      await Promise.all(underWay)
    },
  }
}

type Hired = { dismiss(ms: number): Promise<void> }

function hire({ url, queue, onTrouble }: BellParts, take: (job: Job<string>) => Promise<void>): Hired {
  const redis = connectForWorker(url)
  // The pulse reports it, once, and not at every try to reconnect.
  redis.on('error', () => undefined)
  const worker = new Worker<string>(queue, take, {
    connection: redis,
    prefix: PREFIX,
    concurrency: TOGETHER,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_MS,
    runRetryDelay: RETRY_MS,
  })
  worker.on('error', error => {
    if (redis.status === 'ready') onTrouble(error)
  })
  return {
    async dismiss(ms) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, ms)
      })
      // A worker without a Redis to say goodbye to, asked politely, would go on trying to reach it for ever.
      const forced = ms === 0 || redis.status !== 'ready'
      await Promise.race([worker.close(forced), late]).catch(onTrouble)
      clearTimeout(timer)
      redis.disconnect()
    },
  }
}
