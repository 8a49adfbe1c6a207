// Pulled channels: each is listened to by whoever holds its name, from where the last one had read to. In the cluster that is
// one replica at a time; when it dies or loses its hold, another goes on.
import type { Adapter, Desk } from '../adapter/contract.js'
import type { Store } from '../ledger/contract.js'
import type { Channel } from '../request/channel.js'
import { reasonOf, type Say } from '../say.js'

/** How often a name that another holds, or a channel that would not start, is tried again. */
const AGAIN_MS = 1_000
const AGAIN_AT_MOST_MS = 30_000

export type Listening = { stop(): Promise<void> }

export function startListening(
  adapters: Iterable<Adapter>,
  store: Store,
  desk: (channel: Channel) => Desk,
  say: Say,
): Listening {
  const stopping = new AbortController()
  const loops = [...adapters]
    .filter(adapter => adapter.listen !== undefined)
    .map(adapter => listenOn(adapter, store, desk(adapter.channel), say, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function listenOn(
  adapter: Adapter,
  store: Store,
  desk: Desk,
  say: Say,
  stopping: AbortSignal,
): Promise<void> {
  let wait = AGAIN_MS
  while (!stopping.aborted) {
    try {
      await listenOnce(adapter, store, desk, say, stopping)
      wait = AGAIN_MS
    } catch (error) {
      say('error', 'a channel cannot be listened to; it is tried again', {
        channel: adapter.channel,
        why: reasonOf(error),
      })
      wait = Math.min(wait * 2, AGAIN_AT_MOST_MS)
    }
    await pause(wait, stopping)
  }
}

/** Until it must stop, or may no longer. */
async function listenOnce(
  adapter: Adapter,
  store: Store,
  desk: Desk,
  say: Say,
  stopping: AbortSignal,
): Promise<void> {
  const { channel } = adapter
  const lost = new AbortController()
  const hold = await store.hold(`listen ${channel}`, () => lost.abort())
  if (hold === null) return
  try {
    const stop = await adapter.listen?.(await store.shelf.cursor(channel), desk)
    say('info', 'listening', { channel })
    await aborted(AbortSignal.any([stopping, lost.signal]))
    await stop?.()
  } finally {
    await hold.release()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Leaves nothing behind on the signal: whoever does not hold a name asks for it again all day. */
function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const over = (): void => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    stopping.addEventListener('abort', over)
    if (stopping.aborted) over()
  })
}
