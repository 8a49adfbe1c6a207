// The database is away while somebody follows: whoever cannot be told anything is let go, and comes back.
import { describe, expect, test } from 'vitest'
import { ALL, API_KEY } from '../faults/rig.js'
import { noCluster } from './cluster.js'
import { killable } from './postgres.js'
import { sceneForEach } from './scene.js'

describe.skipIf((noCluster !== null || !killable) && !ALL)(
  `followers of a database that is away${noCluster ? ` (skipped: ${noCluster})` : ''}`,
  () => {
    const scene = sceneForEach()

    test('a stream that cannot be read on ends, and its follower goes on where it was', {
      skip: !ALL,
    }, async () => {
      const lane = await scene.cluster.replica()
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
      await scene.cluster.postgres.kill()
      expect(await follow()).toBe('')
      await scene.cluster.postgres.start()
      expect(await follow()).toContain('event: KEY_ROTATED')
    })
  },
)
