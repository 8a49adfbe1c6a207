// Rounds that one replica at a time makes once a second: the holder of the name goes round, the others
// ask for it as often.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../ledger/contract.js'

const ROUND_MS = 1_000

export type Rounds = { stop(): Promise<void> }

type RoundsParts = {
  readonly store: Store
  readonly name: string
  /** Whether this replica can go round at all just now: one that cannot lets another have the name. */
  readonly isFit?: () => boolean
  /** The name was just taken; nothing is known of the rounds of the holder before. */
  readonly onTaken?: () => void
  readonly go: (stopped: () => boolean) => Promise<void>
  readonly onTrouble: (error: unknown) => void
  /** The store has said who holds the name, or a round was made: the trouble is over, whichever replica holds it. */
  readonly onWell?: () => void
}

export function startRounds(parts: RoundsParts): Rounds {
  const { store, name, isFit = () => true, onTaken, go, onTrouble, onWell } = parts
  const stopping = new AbortController()
  const pause = (): Promise<void> =>
    sleep(ROUND_MS, undefined, { signal: stopping.signal }).catch(() => undefined)

  const goWhileHeld = async (): Promise<void> => {
    let lost = false
    const over = (): boolean => lost || stopping.signal.aborted
    const hold = await store.hold(name, () => {
      lost = true
    })
    onWell?.()
    if (hold === null) return
    onTaken?.()
    try {
      while (!over() && isFit()) {
        await go(over)
        onWell?.()
        await pause()
      }
    } finally {
      await hold.release()
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (isFit()) await goWhileHeld().catch(onTrouble)
      await pause()
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
