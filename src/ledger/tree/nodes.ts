// The tree over the entries, grown leaf by leaf. A node is complete when every leaf beneath it is there; from then on
// it never changes. Each complete node is made by exactly one leaf, the last one beneath it, and is kept with that
// leaf's entry: the leaf's own hash first, then the node above it that it completes, and so on. So every complete
// node of a ledger of n entries is kept once, two hashes an entry, and is found by arithmetic.
import { EMPTY_ROOT, HASH_BYTES, nodeOf, type TreeHash } from './hash.js'

/** A complete node: how many times its leaves are doubled, and which of its level it is. */
export type Node = { readonly level: number; readonly index: number }

/** The leaves from `from` up to, and without, `to`. */
export type Range = { readonly from: number; readonly to: number }

/** The complete nodes of a tree that no other complete one is above, the largest first. */
export type Frontier = { readonly size: number; readonly peaks: readonly TreeHash[] }

export const NOTHING: Frontier = { size: 0, peaks: [] }

/** The entry a node is kept with; it is the hash at place `level` there. */
export const seqOf = ({ level, index }: Node): number => (index + 1) * 2 ** level - 1

/** How many nodes stand complete above the leaf of this seq, with the leaf. */
export function completedBy(seq: number): number {
  let count = 1
  for (let rest = seq; rest % 2 === 1; rest = (rest - 1) / 2) count++
  return count
}

/** One leaf more: the frontier after it, and the nodes that it completes, itself first. */
export function grow(
  { size, peaks }: Frontier,
  leaf: TreeHash,
): { readonly frontier: Frontier; readonly completed: readonly TreeHash[] } {
  const kept = [...peaks]
  const completed = [leaf]
  let top = leaf
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
    top = nodeOf(kept.pop() as TreeHash, top)
    completed.push(top)
  }
  kept.push(top)
  return { frontier: { size: size + 1, peaks: kept }, completed }
}

export const rootOf = ({ peaks }: Frontier): TreeHash => (peaks.length === 0 ? EMPTY_ROOT : fold(peaks))

/** The hash above neighbours of falling size: each is the left child of what stands to its right. */
export function fold(peaks: readonly TreeHash[]): TreeHash {
  let root = peaks.at(-1) as TreeHash
  for (let place = peaks.length - 2; place >= 0; place--) root = nodeOf(peaks[place] as TreeHash, root)
  return root
}

/** The complete nodes that make up a range, left to right. The range begins where a node of its size may begin. */
export function nodesOf({ from, to }: Range): readonly Node[] {
  const nodes: Node[] = []
  let at = from
  for (let level = levelOf(to - from); at < to; level--) {
    const leaves = 2 ** level
    if (to - at < leaves) continue
    nodes.push({ level, index: at / leaves })
    at += leaves
  }
  return nodes
}

/** The level of the largest complete node that so many leaves can make. */
function levelOf(leaves: number): number {
  let level = 0
  while (2 ** (level + 1) <= leaves) level++
  return level
}

/** One text of bytes for the hashes of a frontier, or of the nodes an entry completes. */
export function packed(hashes: readonly TreeHash[]): Uint8Array {
  // Every other entry completes its leaf alone.
  if (hashes.length === 1) return hashes[0] as TreeHash
  const bytes = new Uint8Array(hashes.length * HASH_BYTES)
  for (const [place, hash] of hashes.entries()) bytes.set(hash, place * HASH_BYTES)
  return bytes
}

export function unpacked(bytes: Uint8Array): readonly TreeHash[] {
  const hashes: TreeHash[] = []
  for (let at = 0; at < bytes.length; at += HASH_BYTES) hashes.push(bytes.slice(at, at + HASH_BYTES))
  return hashes
}
