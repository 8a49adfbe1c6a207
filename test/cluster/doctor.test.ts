// What the doctor says of the cluster's Redis.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkRedis } from '../../src/cli/check/redis.js'
import { type Settings, settings } from '../../src/config/settings.js'
import { ALL } from '../faults/rig.js'
import { freePort } from '../port.js'
import { noRedis, type RedisServer, startRedis } from './redis.js'

function settingsFor(url: string): Settings {
  const LANE_SECRET = 'the secret that all replicas of a test share'
  const read = settings({ DATABASE_URL: 'postgres://127.0.0.1/lane', REDIS_URL: url, LANE_SECRET })
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join())
  return read.settings
}

describe.skipIf(noRedis !== null && !ALL)(
  `the doctor and Redis${noRedis ? ` (skipped: ${noRedis})` : ''}`,
  () => {
    let redis: RedisServer
    beforeAll(async () => {
      redis = await startRedis()
    })
    afterAll(() => redis?.end())

    test('one that keeps what it is told is well', async () => {
      expect(await checkRedis(settingsFor(redis.url))).toMatchObject([{ check: 'redis', status: 'ok' }])
    })

    test('one that may throw alarms away is a warning, with the remedy', async () => {
      await redis.client.config('SET', 'maxmemory-policy', 'volatile-ttl')
      const [finding] = await checkRedis(settingsFor(redis.url))
      expect(finding).toMatchObject({ status: 'warn', remedy: expect.stringContaining('noeviction') })
      await redis.client.config('SET', 'maxmemory-policy', 'noeviction')
    })

    test('one that is not there is a failure, and is not waited for', async () => {
      const findings = await checkRedis(settingsFor(`redis://127.0.0.1:${await freePort()}`))
      expect(findings).toMatchObject([{ check: 'redis', status: 'fail' }])
      expect(findings[0]?.message).toContain('ECONNREFUSED')
    })

    test('one that wants a password is not one that is not there', async () => {
      await redis.client.config('SET', 'requirepass', 'geheim')
      const [finding] = await checkRedis(settingsFor(redis.url))
      await redis.client.config('SET', 'requirepass', '')
      expect(finding).toMatchObject({ status: 'fail', message: expect.stringContaining('NOAUTH') })
    })
  },
)

test('the embedded profile has none to look at', async () => {
  const read = settings({})
  expect(read.ok && (await checkRedis(read.settings))).toEqual([])
})
