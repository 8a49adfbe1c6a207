// Leaves that stand in no tree yet, one behind the other. Each takes its 32 bytes and no more: an object for each would take
// several times as many, and the collector would carry all of them along.
import { hash } from 'node:crypto'
import { HASH_BYTES, type TreeHash } from './hash.js'

/** There is room for so many at first. */
const FIRST = 1_024

export class Leaves {
  #bytes = Buffer.alloc(FIRST * HASH_BYTES)
  #end = 0

  /** What leafOf makes of these words. */
  add(words: string): void {
    if (this.#end === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes])
    this.#bytes.write(hash('sha256', `\0${words}`, 'binary'), this.#end, 'latin1')
    this.#end += HASH_BYTES
  }

  /** Tells the first of them, so many, one by one, and lets them go: a checkpoint may be of all there are. */
  take(count: number, tell: (leaf: TreeHash) => void): void {
    const end = Math.min(count * HASH_BYTES, this.#end)
    for (let at = 0; at < end; at += HASH_BYTES)
      tell(Uint8Array.prototype.slice.call(this.#bytes, at, at + HASH_BYTES))
    this.#bytes.copyWithin(0, end, this.#end)
    this.#end -= end
  }
}
