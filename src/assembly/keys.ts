// First stage: the secret opens the keyring, the keyring the store. Then the callers' keys and the signing keys are
// known, and other replicas' changes to them are heard of.

import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { type Notary, openNotary } from '../checkpoint/notary.js'
import type { Place } from '../checkpoint/place/place.js'
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
import { compared, placesOf } from './comparison.js'
import { CannotStart, type House, isShared } from './house.js'

/** A few seconds of work. */
const TOLD_EVERY = 100_000

export type HeldKeys = {
  readonly book: KeyBook
  readonly ring: Signing
  readonly notary: Notary
  readonly places: readonly Place[]
  /** The checkpoint that an operator gives up with this start. */
  readonly givenUp: Checkpoint | null
}

export async function openKeys(house: House): Promise<HeldKeys> {
  const { settings, store, stops, onStale } = house
  const secret = openSecret(settings.dataDir, settings.secret)
  const book = new KeyBook(store)
  const places = await placesOf(house)
  const { ring, notary, givenUp } = await alone(store, 'start', async () => {
    let givenUp: Checkpoint | null = null
    await unlocked(house, secret, async () => {
      givenUp = await compared(house, places)
    })
    await keepGiven(book, settings.apiKey, instant(store.ledger.now()))
    const notary = await openNotary({ store, secret, publicUrl: settings.publicUrl })
    const ring = await keepKeyring(store, secret, isShared(house) ? KNOWN_EVERYWHERE_MS : 0, onStale)
    return { ring, notary, givenUp }
  })
  stops.add(() => ring.stop())
  if (isShared(house)) {
    const following = book.follow(onStale)
    stops.add(() => following.stop())
  }
  return { book, ring, notary, places, givenUp }
}

async function unlocked(
  { settings, store, version, say }: House,
  secret: Secret,
  before: () => Promise<void>,
): Promise<void> {
  const { profile } = settings
  let told = 0
  const progress = (done: number, of: number): void => {
    if (done - told < TOLD_EVERY && done < of) return
    told = done
    say('info', 'the tree over the ledger is being made, once', { done, of })
  }
  try {
    await unlock(
      store,
      secret,
      {
        type: 'LANE_STARTED',
        body: { version, grammar: GRAMMAR, profile, rules: NEWEST_RULES },
      },
      { progress, before },
    )
  } catch (error) {
    const isTold = error instanceof NotUnlocked || error instanceof KeyringSealed
    throw isTold ? new CannotStart(error.message) : error
  }
}
