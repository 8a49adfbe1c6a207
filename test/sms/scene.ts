// A whole lane with the SMS channel, against the provider's emulator, behind the front by which the provider reaches it.
import { expect } from 'vitest'
import { verify } from '../../src/ledger/verify.js'
import { type Front, raiseFront } from '../contract/front.js'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { type Provider, raiseProvider } from './provider.js'

export type Scene = {
  readonly front: Front
  readonly provider: Provider
  readonly lane: LaneUnderTest
  /** Whatever happened, the ledger it leaves must hold. */
  close(): Promise<void>
}

export async function raise(config: string): Promise<Scene> {
  const front = await raiseFront()
  const provider = await raiseProvider(`${front.url}/hooks/sms`)
  const lane = await startLane({ config, env: { PUBLIC_URL: front.url, ...provider.env } })
  front.lead(lane.url)
  return {
    front,
    provider,
    lane,
    async close() {
      const { text } = await lane.call('GET', '/v1/ledger', { key: lane.operatorKey })
      await lane.close()
      await provider.stop()
      await front.close()
      expect((await verify(text.trim().split('\n'))).problems).toEqual([])
    },
  }
}
