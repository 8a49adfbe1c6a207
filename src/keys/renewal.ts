// Keeps people's copies answerable when a signing key is revoked. Every replica hears of it and asks the same
// question: which open deliveries are of a revoked key? It asks again when every replica must know of the revocation,
// since one that had not heard of it yet may have signed with that key meanwhile. From then on nothing more comes of
// it, and the ring says so: a start asks only if the replica at work died before.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lane } from '../lane/lane.js'
import type { Ledger } from '../ledger/contract.js'
import { onEntry } from '../ledger/replica.js'
import { KNOWN_EVERYWHERE_MS, type Signing } from './signing.js'

type RenewalParts = {
  readonly lane: Pick<Lane, 'renew'>
  readonly ledger: Ledger
  readonly ring: Pick<Signing, 'revoked' | 'unrenewed' | 'renewed'>
  readonly onTrouble: (error: unknown) => void
}

/** `knownMs` after it was recorded every replica knows of a revocation. */
export function keepRenewing(
  { lane, ledger, ring, onTrouble }: RenewalParts,
  knownMs = KNOWN_EVERYWHERE_MS,
): { stop(): void } {
  const stopping = new AbortController()
  const { signal } = stopping
  const renew = (kids: ReadonlySet<string>): Promise<void> => lane.renew(kids, () => signal.aborted)
  const renewTwice = async (kids: ReadonlySet<string>): Promise<void> => {
    if (kids.size === 0) return
    await renew(kids)
    // Without other replicas it is this one that may have been signing just then.
    await sleep(knownMs, undefined, { signal }).catch(() => undefined)
    await renew(kids)
    if (!signal.aborted) await ring.renewed(kids)
  }
  // A replica that hears of it late may have signed late: it looks again, though others have done so.
  const leave = onEntry(ledger, 'KEY_REVOKED', async () => renewTwice(await ring.revoked()), onTrouble)
  ring.unrenewed().then(renewTwice).catch(onTrouble)
  return {
    stop() {
      leave()
      stopping.abort()
    },
  }
}
