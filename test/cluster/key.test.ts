// LANE_API_KEY is changed while replicas run: one that is started again with the old one must not lock everybody out.
import { describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { noCluster, type Replica } from './cluster.js'
import { sceneForEach } from './scene.js'

const [OLD, NEW] = ['the-key-that-was-changed-1', 'the-key-that-was-changed-2']

describe.skipIf(noCluster !== null && !ALL)(
  `LANE_API_KEY${noCluster ? ` (skipped: ${noCluster})` : ''}`,
  () => {
    const scene = sceneForEach()
    const start = (LANE_API_KEY: string): Promise<Replica> => scene.cluster.replica({ env: { LANE_API_KEY } })
    const status = async ({ url }: Replica, key: string): Promise<number> =>
      (await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${key}` } })).status

    test('one that was changed is not accepted again from a replica that still has it, and the new one stays', async () => {
      const before = await start(OLD)
      expect(await status(before, OLD)).toBe(200)
      const after = await start(NEW)
      await before.kill()
      await expect(start(OLD)).rejects.toThrow('LANE_API_KEY names a key that was revoked')
      expect([await status(after, OLD), await status(after, NEW)]).toEqual([401, 200])
      expect(await status(await start(NEW), NEW)).toBe(200)
    })

    test('a key that one replica has made can be seen and revoked on another at once', async () => {
      const [one, other] = [await start(OLD), await start(OLD)]
      const headers = { authorization: `Bearer ${OLD}`, 'content-type': 'application/json' }
      for (let turn = 0; turn < 3; turn++) {
        const body = JSON.stringify({ name: `leaked ${turn}`, scopes: ['request'] })
        const made = await fetch(`${one.url}/v1/keys`, { method: 'POST', headers, body })
        const { key_id } = (await made.json()) as { key_id: string }
        const { authorization } = headers
        const revoked = await fetch(`${other.url}/v1/keys/${key_id}`, {
          method: 'DELETE',
          headers: { authorization },
        })
        expect(revoked.status).toBe(200)
      }
    })
  },
)
