// The cluster's alarm clock, seen from here: whether it can be reached, and whether it keeps its data.

import type { Settings } from '../../config/settings.js'
import { reasonOf } from '../../say.js'
import { type Finding, fail, ok, warn } from './finding.js'

export async function checkRedis({ redisUrl }: Settings): Promise<Finding[]> {
  if (redisUrl === null) return []
  const { connectOnce, readFacts } = await import('../../deadline/bullmq/redis.js')
  const redis = connectOnce(redisUrl)
  // Only the event tells why the connection was closed.
  let why: unknown = null
  redis.on('error', error => {
    why = error
  })
  try {
    await redis.connect()
    const { version, flaws } = await readFacts(redis)
    const remedy = 'use Redis 6.2 or newer with maxmemory-policy noeviction'
    return flaws.length === 0
      ? [ok('redis', `Redis ${version} keeps alarms (noeviction)`)]
      : flaws.map(flaw => warn('redis', flaw, remedy))
  } catch (error) {
    const remedy = 'start Redis, or correct REDIS_URL; until then deadlines are kept up to two seconds late'
    return [fail('redis', `cannot be reached (${reasonOf(why ?? error)})`, remedy)]
  } finally {
    redis.disconnect()
  }
}
