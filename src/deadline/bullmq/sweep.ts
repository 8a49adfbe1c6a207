// The sweep: one replica at a time walks the alarms of the ledger itself, so that no deadline rests on Redis.
//
// S1  What is overdue is rung, whatever Redis says: an alarm that was lost is late by GRACE_MS + SWEEP_MS at most.
// S2  Each alarm is looked for in Redis once, when it comes within the horizon, and set if it is not there. For one that
//     was further away when it was made this is the first time (arming.ts).
// S3  After Redis was away, flushed or replaced the walk begins again; what lies beyond the horizon waits its turn, so
//     that a million lost alarms are a minute's work at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Alarm, Store } from '../../ledger/contract.js'
import { overdue, REST_MS } from '../overdue.js'
import { type Arming, HORIZON_MS } from './arming.js'
import { PREFIX } from './job.js'
import type { Rings } from './rings.js'
import type { Troubles } from './trouble.js'

const SWEEP_MS = 1_000
/** The time an alarm has to ring by itself before the sweep rings it. */
const GRACE_MS = 1_000
const PAGE = 1_000

export type Sweep = {
  /** Redis may have lost alarms: the walk begins again. */
  restart(): void
  stop(): Promise<void>
}

export type SweepParts = {
  readonly store: Store
  readonly redis: Redis
  readonly arming: Arming
  readonly rings: Rings
  readonly queue: string
  readonly troubles: Troubles
  readonly onTrouble: (error: unknown) => void
}

export function startSweep(parts: SweepParts): Sweep {
  const { ledger } = parts.store
  const stopping = new AbortController()
  const ring = (id: string): Promise<void> => parts.rings.ring(id, ledger.now() - REST_MS)
  const due = overdue(ledger, ring, parts.onTrouble)
  /** The last alarm that was looked for; null to begin again. Written by restart() and rearm(). */
  let walked: Alarm | null = null

  const rearm = async (): Promise<void> => {
    // A Redis that has lost this mark has lost the alarms as well.
    const fresh = await parts.redis.set(`${PREFIX}:${parts.queue}-armed`, '1', 'NX')
    let after = fresh === 'OK' || walked === null ? { at: ledger.now(), request_id: '' } : walked
    walked = after
    const until = ledger.now() + HORIZON_MS
    for (let page: readonly Alarm[] = []; ; ) {
      page = await ledger.alarms(after, until, PAGE)
      await parts.arming.restore(page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = last
    }
    // Unless it was told meanwhile to begin again.
    if (walked !== null) walked = { at: until, request_id: '' }
  }

  /** The walk under way, if one is. Owned by look(). */
  let walk: Promise<void> | null = null

  const look = async (): Promise<void> => {
    await due.ringAll(GRACE_MS, () => stopping.signal.aborted)
    if (parts.redis.status !== 'ready') return
    // Not waited for: a Redis that has stopped must not hold up what is due.
    walk ??= rearm()
      .catch(() => {
        walked = null
      })
      .finally(() => {
        walk = null
      })
  }

  const pause = (): Promise<void> =>
    sleep(SWEEP_MS, undefined, { signal: stopping.signal }).catch(() => undefined)

  const sweepWhileHeld = async (): Promise<void> => {
    let lost = false
    const hold = await parts.store.hold(`sweep`, () => {
      lost = true
    })
    if (hold === null) return
    walked = null
    try {
      while (!lost && !stopping.signal.aborted) {
        await look()
        parts.troubles.end('sweep')
        await pause()
      }
    } finally {
      await walk
      await hold.release()
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sweepWhileHeld().catch(error => {
        parts.troubles.begin('sweep', 'the sweep cannot read the ledger')
        parts.onTrouble(error)
      })
      await pause()
    }
  }

  const running = run()
  return {
    restart() {
      walked = null
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
