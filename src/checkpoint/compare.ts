// Whether the ledger still contains what was published of it: asked before the lane says that it has started. A shorter
// ledger is a ledger, and one that was written anew holds; only what somebody else has kept shows the difference.
import type { Ledger, Store } from '../ledger/contract.js'
import { isSameHash } from '../ledger/tree/hash.js'
import { rootOf } from '../ledger/tree/nodes.js'
import { reasonOf } from '../say.js'
import { type Checkpoint, trustedCheckpoint } from './checkpoint.js'
import { checkEd25519, logKeysIn } from './key.js'
import type { VerifierKey } from './note.js'
import type { Place } from './place/place.js'
import { frontierAt, TreeBroken } from './tree.js'

/** A place could not be read: what it holds is not known, so it is not known either whether the ledger is whole. */
export class PlaceUnread extends Error {
  override readonly name = 'PlaceUnread'
}

/** The largest checkpoint of this log that the ledger does not contain; null where it contains all. */
export async function contradicted(store: Store, places: readonly Place[]): Promise<Checkpoint | null> {
  const keys = logKeysIn(await store.shelf.keyring())
  const origin = keys.at(-1)?.name
  if (origin === undefined) return null
  const ours = keys.filter(({ name }) => name === origin)
  const found = [
    await kept(store, ours),
    ...(await Promise.all(places.map(place => largest(place, origin, ours)))),
  ]
  const largestOf = found.reduce((a, b) => (b !== null && b.size > (a?.size ?? -1) ? b : a), null)
  return largestOf !== null && !(await contains(store.ledger, largestOf)) ? largestOf : null
}

async function kept({ shelf }: Store, keys: readonly VerifierKey[]): Promise<Checkpoint | null> {
  const newest = await shelf.checkpoint()
  return newest && trustedCheckpoint(newest.note, keys, checkEd25519)
}

/** Notes come the newest first, and of one origin that is the largest first. */
async function largest(
  place: Place,
  origin: string,
  keys: readonly VerifierKey[],
): Promise<Checkpoint | null> {
  try {
    for await (const note of place.notes(origin)) {
      const said = await trustedCheckpoint(note, keys, checkEd25519)
      if (said !== null) return said
    }
    return null
  } catch (error) {
    throw new PlaceUnread(`${place.name} cannot be read: ${reasonOf(error)}`)
  }
}

async function contains(ledger: Ledger, { size, root }: Checkpoint): Promise<boolean> {
  if ((await ledger.head()).size < size) return false
  try {
    return isSameHash(rootOf(await frontierAt(ledger, size)), root)
  } catch (error) {
    if (error instanceof TreeBroken) return false
    throw error
  }
}
