// Signs now and then, and takes the newest checkpoint to every place. A place that does not take it is tried again, each
// by itself: a slow one does not hold up another.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../ledger/contract.js'
import type { SignedCheckpoint } from '../ledger/shelf.js'
import { reasonOf, type Say } from '../say.js'
import { readCheckpoint } from './checkpoint.js'
import type { Notary } from './notary.js'
import { readNote } from './note.js'
import type { Place } from './place/place.js'

/** A place that was away for a while is reached within this time of its return. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 20_000] as const

type PublishingParts = {
  readonly store: Store
  readonly notary: Notary
  readonly places: readonly Place[]
  readonly everyMs: number
  readonly say: Say
}

export function startPublishing({ store, notary, places, everyMs, say }: PublishingParts): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  const publishers = places.map(place => publisher(place, say, signal))
  const tell = async (): Promise<void> => {
    const newest = await notary.newest()
    if (newest !== null) for (const publish of publishers) publish(newest)
  }
  // Whatever replica has signed, and why, the others may have lost it: each takes the newest it hears of.
  let signedMs = store.ledger.now()
  const leave = store.ledger.onCommit(
    entries => {
      if (!entries.some(({ type }) => type === 'CHECKPOINT_SIGNED')) return
      signedMs = store.ledger.now()
      void tell().catch(() => undefined)
    },
    ['CHECKPOINT_SIGNED'],
  )
  const signAndTell = async (): Promise<void> => {
    try {
      await notary.signEvery(everyMs)
      await tell()
    } catch (error) {
      say('error', 'no checkpoint could be signed; it is tried again', { why: reasonOf(error) })
    }
    signedMs = store.ledger.now()
  }
  const loop = async (): Promise<void> => {
    await tell().catch(() => undefined)
    while (!signal.aborted) {
      const pause = signedMs + everyMs - store.ledger.now()
      if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => undefined)
      else await signAndTell()
    }
  }
  const looping = loop()
  return {
    async stop() {
      leave()
      stopping.abort()
      await looping
    },
  }
}

/** Takes the newest it is given; those that were overtaken meanwhile are left out. */
function publisher(place: Place, say: Say, signal: AbortSignal): (newest: SignedCheckpoint) => void {
  let wanted: SignedCheckpoint | null = null
  let done = -1
  let isAtWork = false
  const work = async (): Promise<void> => {
    for (let failures = 0; wanted !== null && wanted.size > done && !signal.aborted; ) {
      const { size, note } = wanted
      try {
        await place.put({ ...said(note), note })
        done = size
        failures = 0
      } catch (error) {
        const pause = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0
        say('warn', 'a checkpoint could not be published; it is tried again', {
          place: place.name,
          why: reasonOf(error),
        })
        await sleep(pause, undefined, { signal }).catch(() => undefined)
      }
    }
  }
  return newest => {
    if (wanted === null || newest.size > wanted.size) wanted = newest
    if (isAtWork) return
    isAtWork = true
    void work().finally(() => (isAtWork = false))
  }
}

function said(note: string) {
  const read = readNote(note)
  const checkpoint = read && readCheckpoint(read)
  if (checkpoint === null) throw new Error('the newest checkpoint is no checkpoint')
  return checkpoint
}
