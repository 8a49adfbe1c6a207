// What is known of a text that came with its request, once it is bytes: its length, and the hash of a copy that shows it whole.
// A body whose escapes are all the short ones spells its texts as RFC 8785 does: the piece of the body between the quotation
// marks need not be put together again to be hashed. It is hashed at once, since such a piece holds the body it was cut from.
//
// CW1  The spelling of a text is canonical(text), or no hash is known.

import { type Hash, sha256 } from '../../canonical.js'
import { Memo } from '../../memo.js'
import { SHOWN } from './exhibit.js'
import { countPoints } from './places.js'

export type Imprint = {
  /** Code points. */
  readonly chars: number
  readonly whole_hash: Hash | undefined
}
type Imprints = ReadonlyMap<string, Imprint>

/** By the contents that were read, which live as long as their submission. */
const imprints = new Memo<object, Imprints>()

/** `spelt` are the texts of these contents by their handles, quotation marks included. The names are the contents' own: those
 *  beside the texts were cut from the body too. */
export function imprintAsSpelt(contents: object, spelt: ReadonlyMap<string, string | Uint8Array>): void {
  const known = new Map<string, Imprint>()
  for (const [handle, text] of Object.entries(contents)) {
    const words = spelt.get(handle)
    if (words !== undefined) known.set(handle, { chars: countPoints(text), whole_hash: hashSpelt(words) })
  }
  imprints.set(contents, known)
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** By their handles. Half of a surrogate pair is another character as bytes, and nothing is known of such a text. */
export function imprintsOf(texts: Readonly<Record<string, string>>): Imprints {
  const known = imprints.get(texts)
  if (known !== undefined) return known
  const made = new Map<string, Imprint>()
  for (const [handle, text] of Object.entries(texts))
    if (!LONE_SURROGATE.test(text)) made.set(handle, { chars: countPoints(text), whole_hash: undefined })
  return made
}

const BEFORE = Buffer.from(`${SHOWN}\n[`)
const AFTER = Buffer.from(']')

/** A text is put here, between what stands before and behind it, while it is hashed. All that fit share it: a hash is made in one go. */
const SCRATCH = Buffer.alloc(BEFORE.length + 16 * 1024)
SCRATCH.set(BEFORE)

/** The hash of one passage, as its list is spelt. */
function hashSpelt(words: string | Uint8Array): Hash {
  const bytes = typeof words === 'string' ? Buffer.from(words) : words
  const end = BEFORE.length + bytes.length
  if (end + AFTER.length > SCRATCH.length) return sha256(Buffer.concat([BEFORE, bytes, AFTER]))
  SCRATCH.set(bytes, BEFORE.length)
  SCRATCH.set(AFTER, end)
  return sha256(SCRATCH.subarray(0, end + AFTER.length))
}
