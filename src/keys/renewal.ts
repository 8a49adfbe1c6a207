// Keeps what people hold answerable when a signing key is revoked. Every replica hears of it and asks the same question:
// which open deliveries are of a key that is revoked? It is asked again when all must know of the revocation, since one that
// had not heard of it yet may have signed with that key meanwhile; and at the start, since whoever was at it may have died.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lane } from '../lane/lane.js'
import type { Ledger } from '../ledger/contract.js'
import { onEntry } from '../ledger/replica.js'
import { KNOWN_EVERYWHERE_MS, type Signing } from './signing.js'

type RenewalParts = {
  readonly lane: Pick<Lane, 'renew'>
  readonly ledger: Ledger
  readonly ring: Pick<Signing, 'revoked'>
  readonly onTrouble: (error: unknown) => void
}

export function keepRenewing({ lane, ledger, ring, onTrouble }: RenewalParts): { stop(): void } {
  const stopping = new AbortController()
  const { signal } = stopping
  const renew = async (): Promise<void> => {
    if (!signal.aborted) await lane.renew(await ring.revoked(), () => signal.aborted)
  }
  const renewTwice = async (): Promise<void> => {
    await renew()
    // Where there is no other replica it is this one that may have been signing just then.
    await sleep(KNOWN_EVERYWHERE_MS, undefined, { signal }).catch(() => undefined)
    await renew()
  }
  const leave = onEntry(ledger, 'KEY_REVOKED', renewTwice, onTrouble)
  renew().catch(onTrouble)
  return {
    stop() {
      leave()
      stopping.abort()
    },
  }
}
