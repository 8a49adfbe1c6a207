// Hears which requests of this key have got a reply or an end: what is open is then not asked about over and over.
import type { Endpoint } from '../../client/call.js'
import { followEntries } from '../../client/story.js'
import type { Shell } from '../command.js'
import type { Memory } from './watch.js'

const TYPES = ['HUMAN_REPLY_EVENT', 'REQUEST_RESOLVED'] as const
const AGAIN_MS = 2_000

/** For the life of the process. What came while nobody listened is looked for once, whenever the stream stands anew. */
export async function followReplies(
  endpoint: Endpoint,
  { sleep }: Pick<Shell, 'sleep'>,
  memory: Memory,
): Promise<never> {
  for (;;) {
    const query = new URLSearchParams({ type: TYPES.join(',') })
    try {
      for await (const entry of followEntries(endpoint, query)) {
        if (entry === 'standing') for (const { request_id } of memory.files.values()) stir(memory, request_id)
        else stir(memory, entry.request_id ?? null)
      }
    } catch {
      // The stream was cut: it is opened again below.
    }
    await sleep(AGAIN_MS)
  }
}

function stir({ stirred }: Memory, requestId: string | null): void {
  if (requestId !== null) stirred.add(requestId)
}
