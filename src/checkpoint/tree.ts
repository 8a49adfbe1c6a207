// Proofs out of the stored nodes. They are a cache, so what comes of them is compared with a root that somebody stands
// for, and with the bytes of the entry, before it is given out.
import { type Ledger, SealBroken } from '../ledger/contract.js'
import type { TreeHash } from '../ledger/tree/hash.js'
import { type Frontier, fold, NOTHING, type Node, nodesOf, type Range } from '../ledger/tree/nodes.js'

/** A node is missing or is not what the entries make it: the cache cannot be used. */
export class TreeBroken extends SealBroken {
  constructor(detail: string) {
    super(`the tree over the entries (${detail})`)
  }
}

const nameOf = ({ level, index }: Node): string => `${level} ${index}`

/** The hashes over these ranges, one each. */
export async function hashesOf(
  ledger: Pick<Ledger, 'nodes'>,
  ranges: readonly Range[],
): Promise<readonly TreeHash[]> {
  const wanted = ranges.map(nodesOf)
  // The paths of neighbours are nearly the same: each node is read once.
  const apart = new Map(wanted.flat().map(node => [nameOf(node), node]))
  const found = await ledger.nodes([...apart.values()])
  const hashes = new Map([...apart.keys()].map((name, at) => [name, found[at]]))
  return wanted.map(nodes => {
    const own = nodes.map(node => hashes.get(nameOf(node)) ?? null)
    if (!own.every(hash => hash !== null)) throw new TreeBroken('a node is missing')
    return fold(own)
  })
}

/** The frontier the tree had at this size. */
export async function frontierAt(ledger: Pick<Ledger, 'nodes'>, size: number): Promise<Frontier> {
  if (size === 0) return NOTHING
  const peaks = await ledger.nodes(nodesOf({ from: 0, to: size }))
  if (!peaks.every(hash => hash !== null)) throw new TreeBroken('a node is missing')
  return { size, peaks }
}
