// The entries this process has sealed or checked lately, with their place in their story: a line that still has its
// hash need not be held against its seal again. Hashes are kept and not lines, for what is kept outlives its request
// and is carried along by the collector.
import type { Hash } from '../canonical.js'

/** Some four megabytes. A story read again after more entries than that pays for the check. */
const KEPT = 16_384

/** An entry's place: the version of its story that it follows, and the hash of the entry before it there. */
type Place = { readonly version: number; readonly follows: Hash | null }

export class Known {
  /** By seq, modulo the number kept: each entry takes the place of the one so many before it. */
  readonly #seqs = new Float64Array(KEPT).fill(-1)
  readonly #versions = new Int32Array(KEPT)
  readonly #hashes = new Array<Hash | null>(KEPT).fill(null)
  readonly #follows = new Array<Hash | null>(KEPT).fill(null)

  add(seq: number, hash: Hash, { version, follows }: Place): void {
    const slot = seq % KEPT
    this.#seqs[slot] = seq
    this.#versions[slot] = version
    this.#hashes[slot] = hash
    this.#follows[slot] = follows
  }

  has(seq: number, hash: Hash): boolean {
    const slot = seq % KEPT
    return this.#seqs[slot] === seq && this.#hashes[slot] === hash
  }

  /** Whether it is known at this very place. */
  hasAt(seq: number, hash: Hash, { version, follows }: Place): boolean {
    const slot = seq % KEPT
    return this.has(seq, hash) && this.#versions[slot] === version && this.#follows[slot] === follows
  }
}
