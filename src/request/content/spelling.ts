// The hash of a content that is shown whole, made of its spelling as it came. A body whose escapes are all the short ones
// spells its texts as RFC 8785 does: the piece of the body between the quotation marks need not be put together again to
// be hashed. It is hashed at once, since such a piece holds the body it was cut from.
//
// CW1  The spelling of a text is canonical(text), or no hash is known.

import { type Hash, sha256 } from '../../canonical.js'
import { Memo } from '../../memo.js'
import { SHOWN } from './exhibit.js'

/** By the contents that were read, which live as long as their submission. */
const hashes = new Memo<object, ReadonlyMap<string, Hash>>()

/** `spelt` are the texts of these contents by their handles, quotation marks included. The names are the contents' own: those
 *  beside the texts were cut from the body too. */
export function hashAsSpelt(contents: object, spelt: ReadonlyMap<string, string | Uint8Array>): void {
  const known = new Map<string, Hash>()
  for (const handle of Object.keys(contents)) {
    const words = spelt.get(handle)
    if (words !== undefined) known.set(handle, hashSpelt(words))
  }
  hashes.set(contents, known)
}

const BEFORE = Buffer.from(`${SHOWN}\n[`)
const AFTER = Buffer.from(']')

/** Where a text is put between what stands before and behind it: one for all that fit, and nothing waits while it is used. */
const DESK = Buffer.alloc(BEFORE.length + 16 * 1024)
DESK.set(BEFORE)

/** The hash of one passage, as its list is spelt. */
function hashSpelt(words: string | Uint8Array): Hash {
  const bytes = typeof words === 'string' ? Buffer.from(words) : words
  const end = BEFORE.length + bytes.length
  if (end + AFTER.length > DESK.length) return sha256(Buffer.concat([BEFORE, bytes, AFTER]))
  DESK.set(bytes, BEFORE.length)
  DESK.set(AFTER, end)
  return sha256(DESK.subarray(0, end + AFTER.length))
}

export const wholeHashOf = (contents: object, handle: string): Hash | undefined =>
  hashes.get(contents)?.get(handle)
