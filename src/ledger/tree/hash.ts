// The two hashes of the tree (RFC 6962, 2.1). The first byte tells a leaf from a node, so that neither can be given
// out as the other.
import { digest } from '../../canonical.js'

export type TreeHash = Uint8Array

export const HASH_BYTES = 32

/** The leaf of an entry: its RFC 8785 text without the hash member. */
export const leafOf = (words: string): TreeHash => digest(`\0${words}`)

/** Filled and hashed in one go, each time. */
const both = new Uint8Array(1 + 2 * HASH_BYTES)
both[0] = 1

export function nodeOf(left: TreeHash, right: TreeHash): TreeHash {
  both.set(left, 1)
  both.set(right, 1 + HASH_BYTES)
  return digest(both)
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT: TreeHash = digest('')

export const isSameHash = (one: TreeHash, other: TreeHash): boolean =>
  one.length === other.length && one.every((byte, place) => byte === other[place])
