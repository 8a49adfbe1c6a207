// What the lane tells of this key's requests as it happens, for the life of a process that watches: nothing that is open is
// then asked about over and over.
import type { Endpoint } from '../client/call.js'
import { followEntries } from '../client/story.js'
import type { Shell } from './command.js'

const AGAIN_MS = 2_000

type Hearer = {
  /** The stream stands, anew or for the first time: what came before it was heard by nobody. */
  readonly stands: () => void
  readonly heard: (requestId: string) => void
  /** Nothing is heard until it stands again. */
  readonly cut?: () => void
}

export async function hear(
  endpoint: Endpoint,
  { sleep }: Pick<Shell, 'sleep'>,
  types: readonly string[],
  { stands, heard, cut }: Hearer,
): Promise<never> {
  const query = new URLSearchParams({ type: types.join(',') })
  for (;;) {
    try {
      for await (const entry of followEntries(endpoint, query)) {
        if (entry === 'standing') stands()
        else if (entry.request_id !== undefined) heard(entry.request_id)
      }
    } catch {
      // The stream was cut: it is opened again below.
    }
    cut?.()
    await sleep(AGAIN_MS)
  }
}
