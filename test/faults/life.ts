// A short life with every kind of ending, told one step after the other so that it writes the same at every telling;
// and the claims about a lane that was killed anywhere within it.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Entry } from '../../src/event.js'
import { serve } from '../../src/main.js'
import { until } from '../until.js'
import { type Client, connect } from './client.js'
import { expectKept, type Journal, readLines } from './journal.js'
import { API_KEY, CONFIG, type Ended, freshDirectory, type Launched } from './rig.js'

/** Lives until its end, or until the lane dies; how the lane ended. */
export async function live(lane: Launched, journal: Journal): Promise<Ended> {
  const client = connect(lane.url, lane.dataDir, journal)
  const script = tell(lane, client)
  // A killed lane breaks the script off wherever it stands; what had been told by then is in the journal.
  await Promise.race([script, lane.ended]).catch(() => undefined)
  client.leave()
  await script.catch(() => undefined)
  return lane.ended
}

async function tell(lane: Launched, client: Client): Promise<void> {
  await client.open('silent', { deadline_seconds: 1 })
  await delivered(client, 'silent')
  await client.open('answered')
  await delivered(client, 'answered')
  const link = await client.link('answered')
  const stamp = await client.stamp(link)
  await client.reply(link, stamp, 'maybe')
  await client.reply(link, stamp, 'yes')
  await client.open('withdrawn')
  await delivered(client, 'withdrawn')
  await client.withdraw('withdrawn')
  await client.outcome('silent')
  await client.open('pending')
  await delivered(client, 'pending')
  await lane.stop()
}

/** Its sending is on record: nothing else is being written. */
export async function delivered(client: Client, id: string): Promise<void> {
  const state = async (): Promise<unknown> => {
    const { json } = await client.call('GET', `/v1/requests/${id}`)
    return (json.deliveries as { state: string }[])[0]?.state
  }
  await until(`${id} to be sent`, state, 'sent')
}

/** Starts the lane again on what was left and looks at it as its clients, its people and its auditors do. */
export async function expectRecovery(dataDir: string, journal: Journal): Promise<Entry[]> {
  const lane = await revive(dataDir)
  const client = connect(lane.url, dataDir, journal)
  try {
    // The deadline held through the crash; and a link that had left is as good as before.
    if (journal.opened.has('silent')) expect(await client.outcome('silent')).toMatch(/defaulted|undelivered/)
    const [link] = client.links('pending')
    if (link !== undefined) {
      expect((await client.reply(link, await client.stamp(link), 'no')).status).toBe(200)
    }
    for (const id of journal.opened.keys()) {
      expect((await client.call('GET', `/v1/requests/${id}`)).status).toBe(200)
    }
  } finally {
    client.leave()
    await lane.close()
  }
  return expectKept(journal, readLines(dataDir))
}

export function revive(dataDir: string, config = CONFIG) {
  const file = join(freshDirectory(), 'lane.yaml')
  writeFileSync(file, config)
  const env = {
    PORT: '0',
    LANE_DATA_DIR: dataDir,
    LANE_CONFIG: file,
    LANE_API_KEY: API_KEY,
    LOG_LEVEL: 'silent',
  }
  return serve(env, () => undefined)
}
