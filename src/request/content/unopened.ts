// A content by its bytes. Its text is put together when it is first drawn, or to count its letters where nobody has yet: most
// contents are opened on a page later, and texts that wait for a commit meanwhile would be carried along by the collector.
import type { Hash } from '../../canonical.js'
import type { Content } from './exhibit.js'
import type { Imprint } from './imprint.js'
import { countPoints } from './places.js'

/** Null for bytes that are no text. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

export class Unopened implements Content {
  readonly handle: Hash
  readonly name: string | null
  readonly size: number
  readonly chars: number | null
  readonly whole_hash?: Hash
  readonly #bytes: Uint8Array
  #text: string | null | undefined

  constructor(handle: Hash, name: string | null, bytes: Uint8Array, imprint: Imprint | undefined) {
    this.handle = handle
    this.name = name
    this.size = bytes.length
    this.#bytes = bytes
    if (imprint?.whole_hash !== undefined) this.whole_hash = imprint.whole_hash
    this.chars = imprint?.chars ?? (this.text === null ? null : countPoints(this.text))
  }

  get text(): string | null {
    if (this.#text === undefined) this.#text = textOf(this.#bytes)
    return this.#text
  }
}
