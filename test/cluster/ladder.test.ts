// Five lanes on one ledger climb the same ladders: whichever learns of a step, it is done once, at its moment, and never
// after the outcome.
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/event.js'
import { type Client, linksIn } from '../faults/client.js'
import { ALL, sleep } from '../faults/rig.js'
import { until } from '../until.js'
import { noCluster } from './cluster.js'
import { LATE_AT_MOST_MS, sceneForEach } from './scene.js'

const REQUESTS = 20
const LADDER = [
  { after_seconds: 2, do: 'remind' },
  { after_seconds: 4, do: 'add', recipients: ['second'] },
  { after_seconds: 7, do: 'remind' },
] as const

/** Five programs, PostgreSQL and Redis: left to CI=true. Its twin on a clock set by hand is in test/lane/ladder.test.ts. */
describe.skipIf(!ALL)(`five replicas${noCluster ? ` (${noCluster})` : ''}`, () => {
  const scene = sceneForEach()
  const { meet, kept } = scene

  const steps = (entries: readonly Entry[], id: string): string[] =>
    entries.flatMap(entry => {
      if (entry.request_id !== id) return []
      if (entry.type === 'REQUEST_ESCALATED') return [`add ${entry.body.step}`]
      if (entry.type !== 'REQUEST_REMINDED') return []
      return [`${recipientOf(entries, entry.body.delivery_id)} ${entry.body.step}`]
    })
  const recipientOf = (entries: readonly Entry[], id: string): string =>
    entries.flatMap(entry =>
      entry.type === 'DELIVERY_STARTED' && entry.body.delivery_id === id ? [entry.body.recipient] : [],
    )[0] ?? ''

  test('do each step of every ladder once, and send each copy once', async () => {
    const clients = (await scene.cluster.replicas(5)).map(meet)
    const ids = Array.from({ length: REQUESTS }, (_, n) => `q${n}`)
    const opened = await Promise.all(
      ids.map((id, n) =>
        (clients[n % 5] as Client).open(id, { deadline_seconds: 120 }, ['operator'], { ladder: LADDER }),
      ),
    )
    expect(opened.map(({ status }) => status)).toEqual(ids.map(() => 201))
    // The last of them is answered meanwhile.
    const settled = ids.at(-1) ?? ''
    const [here] = clients as [Client]
    const link = await here.link(settled)
    expect((await here.reply(link, await here.stamp(link), 'yes')).status).toBe(200)
    const climbing = ids.filter(id => id !== settled)
    await until(
      'the last reminder of everybody',
      async () =>
        (await scene.cluster.lines()).filter(
          line => line.includes('"REQUEST_REMINDED"') && line.includes('"step":2'),
        ),
      lines => lines.length >= 2 * climbing.length,
      60_000,
    )
    await sleep(LATE_AT_MOST_MS)
    const entries = await kept()
    for (const id of climbing)
      expect([id, ...steps(entries, id)].sort()).toEqual(
        [id, 'operator 0', 'add 1', 'operator 2', 'second 2'].sort(),
      )
    const end = entries.findIndex(one => one.request_id === settled && one.type === 'REQUEST_RESOLVED')
    expect([end > 0, steps(entries.slice(end), settled)]).toEqual([true, []])
    for (const id of climbing) {
      const people = linksIn(scene.cluster.dataDir, id).map(one => one.user_id)
      expect([id, ...people.sort()]).toEqual([id, ...Array(3).fill('operator'), ...Array(2).fill('second')])
    }
  }, 120_000)
})
