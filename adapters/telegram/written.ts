// Text for people, as Telegram takes it: plain characters, and beside them a list of the styled ranges. There is no
// markup, so nothing in the text can be markup. Words of others stand in `code` or `pre`, where Telegram looks for no
// links, mentions, tags or commands.

export type Entity =
  | { readonly type: 'bold' | 'code' | 'pre'; readonly offset: number; readonly length: number }
  | { readonly type: 'text_link'; readonly offset: number; readonly length: number; readonly url: string }

export type Written = { readonly text: string; readonly entities: readonly Entity[] }

type Styled = { readonly style: 'bold' | 'code' | 'pre'; readonly text: string }
type Linked = { readonly style: 'text_link'; readonly text: string; readonly url: string }
export type Piece = string | Styled | Linked

/** Our own words, made to stand out. */
export const bold = (text: string): Piece => ({ style: 'bold', text })
/** Somebody else's, within a line of ours. */
export const code = (text: string): Piece => ({ style: 'code', text })
/** Somebody else's, in a block of its own. */
export const block = (text: string): Piece => ({ style: 'pre', text })
/** Our own words, leading to an address of ours. */
export const linked = (text: string, url: string): Piece => ({ style: 'text_link', text, url })

/** Places are counted in UTF-16 units, as JavaScript counts. */
export function write(pieces: readonly Piece[]): Written {
  const entities: Entity[] = []
  let text = ''
  for (const piece of pieces) {
    const added = typeof piece === 'string' ? piece : piece.text
    if (typeof piece !== 'string' && added !== '') entities.push(entityOf(piece, text.length))
    text += added
  }
  return { text, entities }
}

function entityOf(piece: Styled | Linked, offset: number): Entity {
  const place = { offset, length: piece.text.length }
  return piece.style === 'text_link'
    ? { type: piece.style, ...place, url: piece.url }
    : { type: piece.style, ...place }
}
