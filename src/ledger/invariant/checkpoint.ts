// I3, as far as the lines show it: what the lane says of its own tree is true of these lines.
import type { EntryOf } from '../../event.js'
import { grow, rootOf } from '../tree/nodes.js'
import type { Book } from './book.js'
import { type Flaw, flaw } from './invariants.js'

/** Every line is a leaf, whatever else is wrong with it; beyond a missing one no leaf has its place. */
export function addLeaf(book: Book, words: string, isInPlace: boolean): void {
  if (isInPlace) book.tree?.leaves.add(words)
  else book.tree = null
}

export function learnLogKey({ logKeys }: Book, { body }: EntryOf<'KEY_ROTATED'>): void {
  if (body.purpose === 'checkpoint') logKeys.add(body.kid)
}

export function checkCheckpoint(book: Book, { body, seq }: EntryOf<'CHECKPOINT_SIGNED'>): Flaw | null {
  const { tree, logKeys } = book
  if (!logKeys.has(body.kid)) return flaw('I3', `no key ${body.kid} was announced for checkpoints`)
  if (body.size > seq) return flaw('I3', 'it is larger than the ledger before it')
  if (tree === null) return null
  if (body.size < tree.base.size) return flaw('I3', 'it is smaller than a checkpoint before it')
  tree.leaves.take(body.size - tree.base.size, leaf => {
    tree.base = grow(tree.base, leaf).frontier
  })
  const root = Buffer.from(rootOf(tree.base)).toString('base64')
  return root === body.root ? null : flaw('I3', `the root of the first ${body.size} entries is ${root}`)
}
