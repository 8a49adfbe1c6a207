// Redis, as the alarm clock needs it: connections that come back by themselves, commands that do not wait for ever,
// and a look at its settings, which say whether alarms are safe there.
import { Redis } from 'ioredis'
import { isAtLeast } from '../../version.js'

/** BullMQ needs it for its scripts. */
const REDIS_AT_LEAST = '6.2.0'
const CONNECT_MS = 5_000
/** A Redis that is back is found again within a second. */
const RECONNECT_AT_MOST_MS = 1_000
/** No command of ours takes longer on a Redis that is well; a stopped one would hold it for ever. */
const COMMAND_MS = 2_000
/** A connection on which no answer has come for this long is made anew; commands sent on it would only pile up. */
const SILENCE_MS = 5_000

const patient = {
  connectTimeout: CONNECT_MS,
  retryStrategy: (times: number): number => Math.min(times * 100, RECONNECT_AT_MOST_MS),
  // BullMQ's own rule: a worker that gave up after some tries would be silent for ever.
  maxRetriesPerRequest: null,
}

/** For commands that are answered at once. */
export const connectForCommands = (url: string): Redis =>
  new Redis(url, { ...patient, commandTimeout: COMMAND_MS, socketTimeout: SILENCE_MS })

/** For a worker: it waits inside Redis for its next job, so none of its commands may be timed. */
export const connectForWorker = (url: string): Redis => new Redis(url, patient)

/** For one look: it does not try again. */
export const connectOnce = (url: string): Redis =>
  new Redis(url, {
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    retryStrategy: () => null,
    lazyConnect: true,
  })

export type RedisFacts = { readonly version: string; readonly flaws: readonly string[] }

export async function readFacts(redis: Redis): Promise<RedisFacts> {
  const info = await redis.info()
  const fact = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? 'unknown'
  const version = fact('redis_version')
  return { version, flaws: flawsIn(version, fact('maxmemory_policy')) }
}

/** The risks in its settings; deadlines are kept all the same, by the sweep. */
export function flawsIn(version: string, policy: string): readonly string[] {
  const flaws: string[] = []
  if (!isAtLeast(version, REDIS_AT_LEAST))
    flaws.push(`Redis ${version} is older than 6.2: BullMQ does not run on it`)
  if (policy !== 'noeviction')
    flaws.push(`maxmemory-policy is ${policy}, not noeviction: a full Redis would drop alarms in silence`)
  return flaws
}
