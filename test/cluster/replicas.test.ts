// Many lanes, one ledger: whoever takes a request, a reply, a key or a withdrawal, all the others have it too.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectKept, Journal } from '../faults/journal.js'
import { delivered } from '../faults/life.js'
import { ALL, API_KEY, endAll, until } from '../faults/rig.js'
import { another, type Cluster, noCluster, startCluster } from './cluster.js'

describe.skipIf(noCluster !== null && !ALL)(`replicas${noCluster ? ` (skipped: ${noCluster})` : ''}`, () => {
  let servers: Cluster
  let cluster: Cluster
  let journal: Journal
  beforeAll(async () => {
    servers = await startCluster()
  }, 60_000)
  afterAll(() => servers?.end())
  beforeEach(async () => {
    cluster = await another(servers)
    journal = new Journal()
  })
  afterEach(endAll)

  test('[LANE-081] opened here, answered there: a waiter here and a follower there have the answer; a second answer is told it is decided', async () => {
    const [one, two] = await cluster.replicas(2)
    if (one === undefined || two === undefined) throw new Error('two were started')
    const [here, there] = [one.client(journal), two.client(journal)]
    await here.open('q', {}, ['operator', 'second'])
    await delivered(there, 'q')
    const waiting = here.call('GET', '/v1/requests/q/wait?timeout_seconds=20')
    const events = follow(two.url, 'request_id=q&from=0')
    const [first, second] = [await here.link('q', 'operator'), await here.link('q', 'second')]
    const stamps = [await here.stamp(first), await there.stamp(second)]
    expect((await there.reply(first, stamps[0] ?? '', 'yes')).status).toBe(200)
    expect((await waiting).json).toMatchObject({ state: 'answered', answer: { answered_by: 'operator' } })
    expect((await here.reply(second, stamps[1] ?? '', 'no')).status).toBe(409)
    expect(await events.find('REQUEST_RESOLVED')).toMatchObject({ body: { outcome: 'answered' } })
    events.leave()
    for (const client of [here, there]) client.leave()
    await expectKept(journal, await cluster.lines())
  })
})

/** A follower of the ledger on one replica. */
function follow(url: string, query: string) {
  const leave = new AbortController()
  const seen: Record<string, unknown>[] = []
  void fetch(`${url}/v1/events?${query}`, {
    signal: leave.signal,
    headers: { authorization: `Bearer ${API_KEY}` },
  })
    .then(async ({ body }) => {
      let text = ''
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk).toString()
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1]
          if (data !== undefined) seen.push(JSON.parse(data))
        }
      }
    })
    .catch(() => undefined)
  return {
    find: (type: string) => until(() => seen.find(entry => entry.type === type)),
    leave: () => leave.abort(),
  }
}
