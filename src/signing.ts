// The keys that sign, kept in memory while the lane runs and changed by whichever replica rotates them.
//
// A key that was rotated in is known to every replica before any of them signs with it: a reply comes back to whichever
// replica the network chooses, and one that did not know the key yet would turn a person away. One that was stopped meanwhile,
// or was never told because the rotation was cut short, looks into the store before it calls a key unknown.
import { instant } from './clock.js'
import type { Store } from './ledger/contract.js'
import { note } from './record.js'
import { alone, onEntry } from './replica.js'
import { type Keyring, missing, openKeyring, rotate } from './token/keyring.js'
import type { Secret } from './token/wrap.js'

/** Replicas look for new entries once a second, whatever else fails; three looks. */
export const KNOWN_EVERYWHERE_MS = 3_000

export type Signing = {
  readonly current: () => Keyring
  rotate(): Promise<{ readonly kid: string; readonly not_before: string }>
  stop(): void
}

export async function keepKeyring(
  store: Store,
  secret: Secret,
  spreadMs: number,
  onTrouble: (error: unknown) => void,
): Promise<Signing> {
  const change = async () => {
    const now = store.ledger.now()
    const { kid, keyring } = await alone(store, 'keys', () => rotate(store.shelf, secret, now))
    const not_before = instant(now)
    await note(store.ledger, { type: 'KEY_ROTATED', body: { kid, purpose: 'reply-token', not_before } })
    return { keyring, kid, not_before }
  }

  await store.shelf.putKeys(missing(await store.shelf.keyring(), secret, store.ledger.now()))
  let ring = (await openKeyring(store.shelf, secret)) ?? (await change()).keyring
  let switching: NodeJS.Timeout | undefined
  const adopt = (newer: Keyring): void => {
    clearTimeout(switching)
    ring = spreadMs === 0 ? newer : { ...newer, signing: ring.signing }
    if (spreadMs > 0) switching = setTimeout(() => (ring = newer), spreadMs).unref()
  }
  const reread = async (): Promise<void> => {
    const newer = await openKeyring(store.shelf, secret)
    if (newer !== null && newer.signing.kid !== ring.signing.kid) adopt(newer)
  }
  const leave = onEntry(store.ledger, 'KEY_ROTATED', reread, onTrouble)
  const current: Keyring = {
    get signing() {
      return ring.signing
    },
    async verifier(kid, now) {
      const known = await ring.verifier(kid, now)
      if (known !== null) return known
      await reread()
      return ring.verifier(kid, now)
    },
    jwks: now => ring.jwks(now),
    // These are not rotated.
    code: ring.code,
    messageId: ring.messageId,
    csrf: ring.csrf,
  }

  return {
    current: () => current,
    async rotate() {
      const { keyring, kid, not_before } = await change()
      adopt(keyring)
      return { kid, not_before }
    },
    stop() {
      leave()
      clearTimeout(switching)
    },
  }
}
