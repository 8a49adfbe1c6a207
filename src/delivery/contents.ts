// The contents of a request, read from the shelf, and the display of a copy as it was or is to be shown with them.
import type { Case } from '../agenda/case.js'
import type { Delivery } from '../agenda/delivery.js'
import { type Hash, sha256 } from '../canonical.js'
import type { Shelf } from '../ledger/shelf.js'
import type { Content, ShownContent } from '../request/content/exhibit.js'
import { contentsOf, type Display, fixedHandlesOf, withContents } from '../request/display.js'

/** What the lane holds of them. Under rules 1 nothing was recorded with a request: there it is whatever its key has put
 *  by now. */
export async function readContents(
  shelf: Pick<Shelf, 'ownBlobs'>,
  { request, contents, terms, opened_by }: Case,
): Promise<readonly Content[]> {
  const handles = terms === null ? fixedHandlesOf(request) : contents.map(({ handle }) => handle)
  if (handles.length === 0) return []
  return contentsOf(request, await readHeld(shelf, opened_by, handles))
}

/** Content that this key has sent, and no other: a key that only knows the hash of another's content must not have it
 *  shown. Verified at both ends: content that does not hash to its own name is shown to nobody. */
export async function readHeld(
  shelf: Pick<Shelf, 'ownBlobs'>,
  keyId: string,
  handles: readonly Hash[],
): Promise<ReadonlyMap<Hash, Uint8Array>> {
  const held = await shelf.ownBlobs(keyId, handles)
  for (const [handle, bytes] of held)
    if (sha256(bytes) !== handle) throw new Error(`the content of ${handle} was altered`)
  return held
}

/** What an attempt shows of the contents, by its own rows. */
export const asShown = (frame: Display, contents: readonly Content[], minted: Delivery['minted']): Display =>
  withContents(frame, contents, minted?.contents ?? [])

/** Without the contents themselves: for a copy on which nothing is decided any more. */
export const named = (frame: Display, rows: readonly ShownContent[]): Display => ({
  ...frame,
  contents: rows,
})
