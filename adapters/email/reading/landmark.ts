// Elements by which mail programs mark a quotation. Their containers around it, their signatures and their "below is what I
// answer to" are no landmarks: an author's words end up in them, too.
import type { Tag } from './tag.js'

/** 'quoted': somebody else's words. 'set_in': a blockquote that may also be a paragraph which the author's editor
 *  indented; its content must tell. */
type Landmark = 'quoted' | 'set_in' | null

const QUOTING = new Set(['gmail_quote', 'protonmail_quote', 'tutanota_quote'])

export function landmarkOf({ name, classes, cites }: Tag): Landmark {
  if (name !== 'blockquote') return null
  const isQuote =
    cites ||
    classes
      .toLowerCase()
      .split(/\s+/)
      .some(one => QUOTING.has(one))
  return isQuote ? 'quoted' : 'set_in'
}
