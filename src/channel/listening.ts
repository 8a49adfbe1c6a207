// Pulled channels: the holder of a channel's name listens to it, from the place the last holder had read to. In the
// cluster that is one replica at a time; when it dies or loses its hold, another goes on.
import type { Adapter, Desk } from '../adapter/contract.js'
import { aborted, Retries } from '../adapter/pause.js'
import type { Store } from '../ledger/contract.js'
import type { Channel } from '../request/channel.js'
import { reasonOf, type Say } from '../say.js'

/** How often a name that another holds, or a channel that would not start, is tried again. */
const AGAIN_MS = 1_000
const AGAIN_AT_MOST_MS = 30_000

export type Listening = { stop(): Promise<void> }

/** One channel's loop. */
type Loop = {
  readonly adapter: Adapter
  readonly store: Store
  readonly desk: Desk
  readonly say: Say
  readonly stopping: AbortSignal
}

export function startListening(
  adapters: Iterable<Adapter>,
  store: Store,
  desk: (channel: Channel) => Desk,
  say: Say,
): Listening {
  const stops = new AbortController()
  const stopping = stops.signal
  const loops = [...adapters]
    .filter(adapter => adapter.listen !== undefined)
    .map(adapter => listenOn({ adapter, store, desk: desk(adapter.channel), say, stopping }))
  return {
    async stop() {
      stops.abort()
      await Promise.all(loops)
    },
  }
}

async function listenOn(loop: Loop): Promise<void> {
  const { adapter, say, stopping } = loop
  const retries = new Retries(AGAIN_MS, AGAIN_AT_MOST_MS, stopping)
  while (!stopping.aborted) {
    try {
      await listenOnce(loop)
      retries.reset()
    } catch (error) {
      say('error', 'a channel cannot be listened to; it is tried again', {
        channel: adapter.channel,
        why: reasonOf(error),
      })
    }
    await retries.pause()
  }
}

/** Listens until it must stop, or its hold is lost. */
async function listenOnce({ adapter, store, desk, say, stopping }: Loop): Promise<void> {
  const { channel } = adapter
  const lost = new AbortController()
  const hold = await store.hold(`listen ${channel}`, () => lost.abort())
  if (hold === null) return
  try {
    const stop = await adapter.listen?.(await store.shelf.cursor(channel), desk)
    say('info', 'listening', { channel })
    await aborted(stopping, lost.signal)
    await stop?.()
  } finally {
    await hold.release()
  }
}
