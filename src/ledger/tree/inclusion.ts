// That a leaf stands at its place in a tree of a given size and root (RFC 9162, 2.1.3; the same proofs as RFC 6962,
// 2.1.1).
import { nodeOf, type TreeHash } from './hash.js'
import type { Range } from './nodes.js'

/** The ranges whose hashes are the proof, the leaf's sibling first. */
export function inclusionOf(index: number, size: number): readonly Range[] {
  const path: Range[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    if (index < middle) {
      path.push({ from: middle, to })
      to = middle
    } else {
      path.push({ from, to: middle })
      from = middle
    }
  }
  return path.reverse()
}

/** The largest power of two below so many leaves. */
export function splitOf(leaves: number): number {
  let split = 1
  while (split * 2 < leaves) split *= 2
  return split
}

/** The root that a leaf at this place, with this proof, has above it; null where no tree of the size has such a
 *  proof. */
export function rootAbove(
  leaf: TreeHash,
  index: number,
  size: number,
  path: readonly TreeHash[],
): TreeHash | null {
  if (!isPlace(index, size)) return null
  let [at, last] = [index, size - 1]
  let root = leaf
  for (const sibling of path) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      root = nodeOf(sibling, root)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      root = nodeOf(root, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 ? root : null
}

const half = (value: number): number => Math.floor(value / 2)

const isPlace = (index: number, size: number): boolean =>
  Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size
