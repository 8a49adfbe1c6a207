// Whether the ledger still contains what was published of it: asked before the lane says that it has started. A shorter
// ledger is a ledger, and one that was written anew holds; only what somebody else has kept shows the difference.
import type { Ledger, Store } from '../ledger/contract.js'
import { isSameHash } from '../ledger/tree/hash.js'
import { rootOf } from '../ledger/tree/nodes.js'
import { reasonOf } from '../say.js'
import { type Checkpoint, readCheckpoint, trustedCheckpoint } from './checkpoint.js'
import { checkEd25519, logKeysIn } from './key.js'
import { readNote, type VerifierKey } from './note.js'
import { logOf } from './origin.js'
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

/** The largest that a key known here has signed. A ledger from before a rotation or an accepted rollback does not know the
 *  key that came with it: where a place has a note of a later epoch, or of this one none but such, that note is the largest. */
async function largest(
  place: Place,
  origin: string,
  keys: readonly VerifierKey[],
): Promise<Checkpoint | null> {
  let strange: Checkpoint | null = null
  try {
    for await (const words of place.notes(origin)) {
      const said = await trustedCheckpoint(words, keys, checkEd25519)
      if (said !== null) return strange !== null && strange.origin !== origin ? strange : said
      const note = readNote(words)
      const unknown = note && readCheckpoint(note)
      if (unknown !== null && isOfLog(unknown.origin, origin)) strange ??= unknown
    }
    return strange
  } catch (error) {
    throw new PlaceUnread(`${place.name} cannot be read: ${reasonOf(error)}`)
  }
}

/** Whether it is this log, in this epoch or a later one. */
function isOfLog(origin: string, ours: string): boolean {
  const [theirs, own] = [logOf(origin), logOf(ours)]
  return theirs.logId === own.logId && theirs.epoch >= own.epoch
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
