// First stage: the secret opens the keyring, the keyring the store. Then the callers' keys and the signing keys are
// known, and other replicas' changes to them are heard of.
import { instant } from '../clock.js'
import { GRAMMAR } from '../compiler/compile.js'
import { keepGiven } from '../keys/first-keys.js'
import { KeyBook } from '../keys/key-book.js'
import { openSecret } from '../keys/secret.js'
import { KNOWN_EVERYWHERE_MS, keepKeyring, type Signing } from '../keys/signing.js'
import { NotUnlocked, unlock } from '../keys/unlocking.js'
import { alone } from '../ledger/replica.js'
import { NEWEST_RULES } from '../rules.js'
import { KeyringSealed } from '../token/key-row.js'
import type { Secret } from '../token/wrap.js'
import { CannotStart, type House, isShared } from './house.js'

export type HeldKeys = { readonly book: KeyBook; readonly ring: Signing }

export async function openKeys(house: House): Promise<HeldKeys> {
  const { settings, store, stops, onStale } = house
  const secret = openSecret(settings.dataDir, settings.secret)
  const book = new KeyBook(store)
  const ring = await alone(store, 'start', async () => {
    await unlocked(house, secret)
    await keepGiven(book, settings.apiKey, instant(store.ledger.now()))
    return keepKeyring(store, secret, isShared(house) ? KNOWN_EVERYWHERE_MS : 0, onStale)
  })
  stops.add(() => ring.stop())
  if (isShared(house)) {
    const following = book.follow(onStale)
    stops.add(() => following.stop())
  }
  return { book, ring }
}

async function unlocked({ settings, store, version }: House, secret: Secret): Promise<void> {
  const { profile } = settings
  try {
    await unlock(store, secret, {
      type: 'LANE_STARTED',
      body: { version, grammar: GRAMMAR, profile, rules: NEWEST_RULES },
    })
  } catch (error) {
    const isTold = error instanceof NotUnlocked || error instanceof KeyringSealed
    throw isTold ? new CannotStart(error.message) : error
  }
}
