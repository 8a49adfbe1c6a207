// What is known of a text that came with its request, once it is bytes: its length, and the hash of a copy that shows it whole.
// A body whose escapes are all the short ones spells its texts as RFC 8785 does: the piece of the body between the quotation
// marks need not be put together again to be hashed. It is hashed at once, since such a piece holds the body it was cut from.
//
// CW1  The spelling of a text is canonical(text), or no hash is known.

import { type Hash, sha256 } from '../../canonical.js'
import { Memo } from '../../memo.js'
import { SHOWN } from './exhibit.js'
import { countPoints } from './places.js'

export type Measure = {
  /** Code points. */
  readonly chars: number
  readonly whole_hash: Hash | undefined
}
type Measures = ReadonlyMap<string, Measure>

/** By the contents that were read, which live as long as their submission. */
const measures = new Memo<object, Measures>()

/** `spelt` are the texts of these contents by their handles, quotation marks included. The names are the contents' own: those
 *  beside the texts were cut from the body too. */
export function measureAsSpelt(contents: object, spelt: ReadonlyMap<string, string | Uint8Array>): void {
  const known = new Map<string, Measure>()
  for (const [handle, text] of Object.entries(contents)) {
    const words = spelt.get(handle)
    if (words !== undefined) known.set(handle, { chars: countPoints(text), whole_hash: hashSpelt(words) })
  }
  measures.set(contents, known)
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** By their handles. Half of a surrogate pair is another character as bytes, and nothing is known of such a text. */
export function measuresOf(texts: Readonly<Record<string, string>>): Measures {
  const known = measures.get(texts)
  if (known !== undefined) return known
  const made = new Map<string, Measure>()
  for (const [handle, text] of Object.entries(texts))
    if (!LONE_SURROGATE.test(text)) made.set(handle, { chars: countPoints(text), whole_hash: undefined })
  return made
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
