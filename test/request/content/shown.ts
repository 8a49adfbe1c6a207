// Displays with contents, made as the core makes them.
import type { Hash } from '../../../src/canonical.js'
import { rowsWithin } from '../../../src/request/content/exhibit.js'
import { type Display, withContents } from '../../../src/request/display.js'

/** The display with these texts as the contents of its handles, in their order, in so much room. */
export function showing(
  shown: Display,
  texts: readonly string[],
  room = Number.POSITIVE_INFINITY,
  plainly = false,
): Display {
  const contents = texts.flatMap((text, at) => {
    const named = shown.handles[at]
    if (named === undefined) return []
    const { handle, name } = named
    return [{ handle: handle as Hash, name, size: Buffer.byteLength(text), text }]
  })
  return withContents({ ...shown, v: 2 }, contents, rowsWithin(contents, room), plainly)
}
