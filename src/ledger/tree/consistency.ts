// That a tree is the beginning of a larger one (RFC 9162, 2.1.4; the same proofs as RFC 6962, 2.1.2).
import { EMPTY_ROOT, isSameHash, nodeOf, type TreeHash } from './hash.js'
import { splitOf } from './inclusion.js'
import type { Range } from './nodes.js'

/** The ranges whose hashes are the proof; none where one of the trees is empty or they are of one size. */
export function consistencyOf(from: number, to: number): readonly Range[] {
  if (from === 0 || from === to) return []
  return within(from, { from: 0, to }, true)
}

/** SUBPROOF of RFC 6962: `isWhole` while the smaller tree is a node that its reader knows. */
function within(size: number, range: Range, isWhole: boolean): readonly Range[] {
  if (size === range.to) return isWhole ? [] : [range]
  const middle = range.from + splitOf(range.to - range.from)
  if (size <= middle)
    return [...within(size, { from: range.from, to: middle }, isWhole), { from: middle, to: range.to }]
  return [...within(size, { from: middle, to: range.to }, false), { from: range.from, to: middle }]
}

type Tree = { readonly size: number; readonly root: TreeHash }

export function isConsistent(smaller: Tree, larger: Tree, path: readonly TreeHash[]): boolean {
  if (smaller.size > larger.size) return false
  if (smaller.size === 0) return path.length === 0 && isSameHash(smaller.root, EMPTY_ROOT)
  if (smaller.size === larger.size) return path.length === 0 && isSameHash(smaller.root, larger.root)
  const roots = rootsAbove(smaller, larger.size, path)
  return roots !== null && isSameHash(roots.smaller, smaller.root) && isSameHash(roots.larger, larger.root)
}

/** The roots of both trees as the proof has them. */
function rootsAbove(
  { size, root }: Tree,
  largerSize: number,
  path: readonly TreeHash[],
): { readonly smaller: TreeHash; readonly larger: TreeHash } | null {
  // A smaller tree that is a complete node is not repeated in its proof.
  const [first, ...rest] = isPowerOfTwo(size) ? [root, ...path] : path
  if (first === undefined) return null
  let [at, last] = [size - 1, largerSize - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  let [smaller, larger] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return null
    if (at % 2 === 1 || at === last) {
      smaller = nodeOf(sibling, smaller)
      larger = nodeOf(sibling, larger)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      larger = nodeOf(larger, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 ? { smaller, larger } : null
}

const half = (value: number): number => Math.floor(value / 2)

function isPowerOfTwo(size: number): boolean {
  let rest = size
  while (rest % 2 === 0) rest /= 2
  return rest === 1
}
