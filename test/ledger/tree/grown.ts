// A tree of many leaves, with every complete node, as a store keeps them.
import { leafOf, type TreeHash } from '../../../src/ledger/tree/hash.js'
import {
  type Frontier,
  fold,
  grow,
  NOTHING,
  nodesOf,
  type Range,
  rootOf,
  seqOf,
} from '../../../src/ledger/tree/nodes.js'

export type Grown = {
  readonly leaf: (index: number) => TreeHash
  readonly root: (size: number) => TreeHash
  readonly hashes: (ranges: readonly Range[]) => readonly TreeHash[]
}

export const grown = (leaves: number, words: (index: number) => string = index => `leaf ${index}`): Grown =>
  grownOf(Array.from({ length: leaves }, (_, index) => leafOf(words(index))))

export function grownOf(leaves: readonly TreeHash[]): Grown {
  const kept: (readonly TreeHash[])[] = []
  let frontier: Frontier = NOTHING
  for (const leaf of leaves) {
    const more = grow(frontier, leaf)
    frontier = more.frontier
    kept.push(more.completed)
  }
  const hash = (range: Range): TreeHash =>
    fold(nodesOf(range).map(node => kept[seqOf(node)]?.[node.level] as TreeHash))
  return {
    leaf: index => kept[index]?.[0] as TreeHash,
    root: size => (size === 0 ? rootOf(NOTHING) : hash({ from: 0, to: size })),
    hashes: ranges => ranges.map(hash),
  }
}
