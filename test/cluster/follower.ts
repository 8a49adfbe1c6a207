// A client that follows the ledger on one replica, over server-sent events.
import { API_KEY } from '../faults/rig.js'
import { until } from '../until.js'

export type Follower = { find(type: string): Promise<Record<string, unknown>>; leave(): void }

export function follow(url: string, query: string): Follower {
  const leaving = new AbortController()
  const seen: Record<string, unknown>[] = []
  const headers = { authorization: `Bearer ${API_KEY}` }
  void fetch(`${url}/v1/events?${query}`, { signal: leaving.signal, headers })
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
    find: type => until(`a ${type}`, () => seen.find(entry => entry.type === type)),
    leave: () => leaving.abort(),
  }
}
