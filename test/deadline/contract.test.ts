// Both alarm clocks keep one contract.
import { afterAll, beforeAll, describe } from 'vitest'
import { startBullmq } from '../../src/deadline/bullmq/start.js'
import { startTimer } from '../../src/deadline/timer.js'
import { noRedis, type RedisServer, startRedis } from '../cluster/redis.js'
import { alarmsContract } from '../contract/alarms.js'
import { ALL } from '../faults/rig.js'

alarmsContract('the timer', ({ ledger }, ring, onTrouble) => startTimer(ledger, ring, onTrouble))

describe.skipIf(noRedis !== null && !ALL)(`on Redis${noRedis ? ` (skipped: ${noRedis})` : ''}`, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.end())

  /** Each has a database of its own: ledgers that are empty still would share a queue. */
  let database = 0
  alarmsContract('BullMQ', (store, ring, onTrouble) =>
    startBullmq({
      store,
      url: `${redis.url}/${database++}`,
      ring: id =>
        ring(id).catch(error => {
          onTrouble(error)
          throw error
        }),
      say: () => undefined,
    }),
  )
})
