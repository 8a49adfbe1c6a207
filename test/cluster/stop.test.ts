// A lane stops whatever is not there to be stopped with.
import { describe, expect, test } from 'vitest'
import { Journal } from '../faults/journal.js'
import { ALL } from '../faults/rig.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { noCluster } from './cluster.js'
import { sceneForEach } from './scene.js'

describe.skipIf(noCluster !== null && !ALL)(
  `the stop of a lane${noCluster ? ` (skipped: ${noCluster})` : ''}`,
  () => {
    const scene = sceneForEach()

    test.each([
      ['is not there', async () => `redis://127.0.0.1:${await freePort()}`],
      ['has another password', async () => scene.cluster.redis.url.replace('//', '//:wrong@')],
    ])('a Redis that %s does not keep it from ending', async (_what, url) => {
      await scene.cluster.redis.client.config('SET', 'requirepass', 'right')
      const lane = await scene.cluster.replica({ env: { REDIS_URL: await url() } })
      const client = lane.client(new Journal())
      await until('its trouble', async () => (await client.call('GET', '/readyz')).json.status, 'degraded')
      client.leave()
      expect(await lane.stop()).toEqual({ code: 0, signal: null })
    })
  },
)
