// The cluster's alarm clock: BullMQ on Redis rings to the millisecond, the walk sets in Redis the alarms that come
// near, the sweep over the ledger rings those that Redis has lost. Redis is only a clock: it may be killed, flushed,
// stopped or replaced, and the worst of it is two seconds.
import { randomBytes } from 'node:crypto'
import { Queue } from 'bullmq'
import type { Ledger, Store } from '../../ledger/contract.js'
import { parseEntry } from '../../ledger/entry.js'
import { reasonOf, type Say } from '../../say.js'
import type { Alarms, Ring } from '../alarms.js'
import { Arming } from './arming.js'
import { startBell } from './bell.js'
import { PREFIX } from './job.js'
import { startPulse } from './pulse.js'
import { connectForCommands } from './redis.js'
import { Rings } from './rings.js'
import { startSweep } from './sweep.js'
import { Troubles } from './trouble.js'
import { startWalk } from './walk.js'

/** Nobody reads BullMQ's stream of events; BullMQ itself would keep ten thousand. */
const EVENTS_KEPT = 100

export type BullmqParts = {
  readonly store: Store
  readonly url: string
  readonly ring: Ring
  readonly say: Say
}

export async function startBullmq({ store, url, ring, say }: BullmqParts): Promise<Alarms> {
  const { ledger } = store
  const name = await queueOf(ledger)
  const troubles = new Troubles(say)
  const onTrouble = (error: unknown): void =>
    say('error', 'an alarm could not be answered; it rings again', { why: reasonOf(error) })
  const redis = connectForCommands(url)
  redis.on('error', error => troubles.begin('redis', `Redis cannot be reached (${reasonOf(error)})`))
  const queue = new Queue(name, {
    connection: redis,
    prefix: PREFIX,
    streams: { events: { maxLen: EVENTS_KEPT } },
  })
  queue.on('error', () => undefined)

  const rings = new Rings(ledger, ring)
  const arming = new Arming(queue, redis, ledger, () => walk.restart())
  const walk = startWalk({ store, redis, arming, queue: name })
  // A new connection may lead to a Redis that knows less than the last one.
  redis.on('ready', () => walk.restart())
  const sweep = startSweep({ store, rings, troubles, onTrouble })
  const bell = startBell({ url, queue: name, ledger, rings, onTrouble })
  const replica = randomBytes(6).toString('hex')
  const pulse = startPulse({ redis, queue, replica, troubles, onSilence: bell.replace })

  return {
    set: (subject, at) => arming.set(subject, at),
    troubles: () => troubles.all(),
    async stop() {
      await Promise.all([sweep.stop(), walk.stop(), bell.stop(), pulse.stop(), arming.stop()])
      redis.disconnect()
    },
  }
}

/** One ledger, one queue: lanes that share a Redis would otherwise take each other's jobs. */
async function queueOf(ledger: Ledger): Promise<string> {
  for await (const line of ledger.lines(0, 1)) return `alarms-${parseEntry(line).hash.slice(7, 19)}`
  return 'alarms'
}
