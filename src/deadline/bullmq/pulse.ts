// The pulse: whether Redis answers, whether its settings keep alarms safe, and whether anybody takes jobs at all.
// BullMQ's worker has been seen to wait for ever after a reset, with its connection ready and no error reported
// (#4378, #4479, #4585); a job that nobody takes shows it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { reasonOf } from '../../say.js'
import { BEAT } from './job.js'
import { readFacts } from './redis.js'
import type { Troubles } from './trouble.js'

const PULSE_MS = 5_000
/** Commands to a connection in these states are kept until it is back, and an outage may last. */
const LOST: readonly string[] = ['close', 'reconnecting', 'end']

type PulseParts = {
  readonly redis: Redis
  readonly queue: Queue
  /** Tells this replica's beats from the others'. */
  readonly replica: string
  readonly troubles: Troubles
  readonly onSilence: () => void
}

type Pulse = { stop(): Promise<void> }

export function startPulse({ redis, queue, replica, troubles, onSilence }: PulseParts): Pulse {
  const stopping = new AbortController()
  const jobId = `d-beat-${replica}`
  /** A beat was laid out on a Redis that has answered ever since. Owned by feel(). */
  let beating = false
  redis.on('close', () => {
    beating = false
  })

  const feel = async (): Promise<void> => {
    if (LOST.includes(redis.status)) throw new Error('the connection is lost')
    const { flaws } = await readFacts(redis)
    troubles.end('redis')
    if (flaws.length > 0) troubles.begin('settings', flaws.join('; '))
    else troubles.end('settings')
    const silent = beating && (await redis.exists(queue.toKey(jobId))) === 1
    if (silent) {
      troubles.begin('worker', `nobody has taken a job for ${PULSE_MS / 1000} s`)
      await queue.remove(jobId)
      onSilence()
    } else if (beating) troubles.end('worker')
    // Ahead of the other jobs: a long burst is no silence.
    await queue.add(BEAT, '', { jobId, lifo: true, removeOnComplete: true, removeOnFail: true })
    beating = true
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await feel().catch(error => {
        beating = false
        troubles.begin('redis', `Redis does not answer (${reasonOf(error)})`)
      })
      await sleep(PULSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
