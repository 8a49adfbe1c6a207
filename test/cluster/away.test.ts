// The database is away while somebody follows: whoever cannot be told anything is let go, and comes back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL, API_KEY, endAll } from '../faults/rig.js'
import { type Cluster, noCluster, startCluster } from './cluster.js'
import { killable } from './postgres.js'

describe.skipIf((noCluster !== null || !killable) && !ALL)(
  `followers of a database that is away${noCluster ? ` (skipped: ${noCluster})` : ''}`,
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster()
    }, 60_000)
    afterAll(async () => {
      await endAll()
      await cluster?.end()
    })

    test('a stream that cannot be read on ends, and its follower goes on where it was', async () => {
      const lane = await cluster.replica()
      const follow = async (): Promise<string> => {
        const headers = { authorization: `Bearer ${API_KEY}`, 'last-event-id': '0' }
        const { status, body } = await fetch(`${lane.url}/v1/events`, { headers })
        expect(status).toBe(200)
        let text = ''
        for await (const chunk of body ?? []) {
          text += Buffer.from(chunk).toString()
          if (text.includes('id: 1')) break
        }
        return text
      }
      await cluster.postgres.kill()
      expect(await follow()).toBe('')
      await cluster.postgres.start()
      expect(await follow()).toContain('event: KEY_ROTATED')
    })
  },
)
