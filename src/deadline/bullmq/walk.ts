// The walk: one replica at a time looks a minute ahead in the ledger and sets in Redis the alarms that are not there.
//
// BW1  Each alarm is looked for once, when it comes within the horizon. Redis first hears then of an alarm that was
//      further away when it was made (arming.ts).
// BW2  After Redis was away, flushed or replaced, or did not answer, the walk begins again; alarms beyond the horizon
//      wait their turn, so that a million lost alarms are a minute's work at a time.
// BW3  The walk waits for nothing but the ledger and Redis: no backlog of rings holds it up. A replica that cannot
//      reach Redis lets another walk.
import type { Redis } from 'ioredis'
import type { Alarm, Store } from '../../ledger/contract.js'
import { type Arming, HORIZON_MS } from './arming.js'
import { PREFIX } from './job.js'
import { type Rounds, startRounds } from './rounds.js'

const PAGE = 1_000

type Walk = Rounds & {
  /** Redis may have lost alarms: the walk begins again. */
  restart(): void
}

type WalkParts = {
  readonly store: Store
  readonly redis: Redis
  readonly arming: Arming
  readonly queue: string
}

export function startWalk({ store, redis, arming, queue }: WalkParts): Walk {
  const { ledger } = store
  /** The last alarm that was looked for; null to begin again. Written by restart() and ahead(). */
  let walked: Alarm | null = null
  const restart = (): void => {
    walked = null
  }

  const ahead = async (stopped: () => boolean): Promise<void> => {
    // A Redis that has lost this mark has lost the alarms as well.
    const fresh = await redis.set(`${PREFIX}:${queue}-armed`, '1', 'NX')
    let after = fresh === 'OK' || walked === null ? { at: ledger.now(), request_id: '' } : walked
    walked = after
    const until = ledger.now() + HORIZON_MS
    while (!stopped()) {
      const page = await ledger.alarms(after, until, PAGE)
      await arming.restore(page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = last
    }
    // Unless the walk was told meanwhile to begin again.
    if (walked !== null) walked = { at: until, request_id: '' }
  }

  const rounds = startRounds({
    store,
    name: 'walk',
    isFit: () => redis.status === 'ready',
    onTaken: restart,
    // The pulse reports trouble with Redis, the sweep trouble with the ledger.
    go: stopped => ahead(stopped).catch(restart),
    onTrouble: restart,
  })
  return { restart, stop: rounds.stop }
}
