// Which requests of this key are open. Whoever looks once asks the lane for the list; a watch asks once for each time that
// its stream stands, and from then on hears what has ended.
//
// AQ1  What ends while the list is read, or while a question is on its way, is not taken for open: it is heard, and counts
//      behind whatever was read.
import { call, type Endpoint, jsonOf } from '../../client/call.js'
import { isFields } from '../../client/case.js'
import type { Shell } from '../command.js'
import { hear } from '../hearing.js'
import { type Troubled, troubled } from '../watcher.js'

/** Changed by the stream and by the one loop that goes over the file. */
export type Open = {
  /** Another object whenever the stream stands anew; null while it does not. */
  standing: object | null
  /** Null where the list must be read. */
  ids: Set<string> | null
  /** Heard of since the round began. */
  readonly ended: Set<string>
}
export const unheard = (): Open => ({ standing: null, ids: null, ended: new Set() })

export const hearOfEnds = (endpoint: Endpoint, shell: Pick<Shell, 'sleep'>, open: Open): Promise<never> =>
  hear(endpoint, shell, ['REQUEST_RESOLVED'], {
    stands: () => Object.assign(open, { standing: {}, ids: null }),
    cut: () => Object.assign(open, { standing: null, ids: null }),
    heard: id => {
      open.ended.add(id)
      open.ids?.delete(id)
    },
  })

/** At the beginning of a round. */
export async function openRequests(endpoint: Endpoint, open: Open): Promise<ReadonlySet<string> | Troubled> {
  open.ended.clear()
  if (open.ids !== null) return open.ids
  const { standing } = open
  const listed = await list(endpoint)
  if ('kind' in listed) return listed
  for (const id of open.ended) listed.delete(id)
  if (standing !== null && standing === open.standing) open.ids = listed
  return listed
}

/** A request that this round has opened. */
export function opened({ ids, ended }: Open, id: string): void {
  if (!ended.has(id)) ids?.add(id)
}

async function list(endpoint: Endpoint): Promise<Set<string> | Troubled> {
  const ids = new Set<string>()
  for (let cursor = ''; ; ) {
    const answer = await call(endpoint, { path: `/v1/requests?state=open${cursor && `&cursor=${cursor}`}` })
    if (answer.kind !== 'answer') return troubled(answer)
    const page = jsonOf(answer)
    if (!isFields(page) || !Array.isArray(page.items))
      return { kind: 'trouble', code: 'not_a_lane', detail: 'the answer is no list of requests' }
    for (const one of page.items) if (isFields(one)) ids.add(String(one.request_id))
    if (typeof page.next_cursor !== 'string') return ids
    cursor = encodeURIComponent(page.next_cursor)
  }
}
