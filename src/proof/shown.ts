// What a document says of the contents it shows, held against their texts and put into words.
import { hashOf } from '../canonical.js'
import { countPoints, passagesOf } from '../request/content/places.js'
import { type AnyEntry, member } from './parts.js'

type Range = readonly [from: number, to: number]

/** The rows of a document, as far as they are any. */
export const rowsOf = (display: unknown): readonly unknown[] => {
  const rows = member(display, 'contents')
  return Array.isArray(rows) ? rows : []
}

/** Whether a row tells of this text what is true of it. */
export function isTrueOf(row: unknown, text: string): boolean {
  const chars = countPoints(text)
  const shown = member(row, 'shown')
  if (!Array.isArray(shown) || !shown.every(range => isRangeOf(range, chars))) return false
  const isWhole = shown.length === 1 && shown[0]?.[0] === 0 && shown[0][1] === chars
  return (
    member(row, 'chars') === chars &&
    member(row, 'whole') === isWhole &&
    member(row, 'shown_hash') === hashOf('lane/shown/v1', passagesOf(text, shown))
  )
}

function isRangeOf(range: unknown, chars: number): range is Range {
  if (!Array.isArray(range) || range.length !== 2 || !range.every(Number.isSafeInteger)) return false
  const [from, to] = range as unknown as Range
  return from >= 0 && from <= to && to <= chars
}

/** How much of each content somebody was shown before they said this; empty where nothing was held. */
export function shownWords(
  reply: AnyEntry,
  entries: readonly AnyEntry[],
  displays: readonly unknown[],
): string {
  const copies = entries.filter(
    ({ type, seq, body }) =>
      type === 'DELIVERY_STARTED' && seq < reply.seq && body.delivery_id === reply.body.delivery_id,
  )
  const used = member(reply.body.receipts, 'token_hash')
  const copy = copies.find(({ body }) => body.token_hash === used) ?? copies.at(-1)
  const display = displays.find(one => hashOfDisplay(one) === copy?.body.display_hash)
  const rows = rowsOf(display).map(rowWords)
  return rows.length === 0 ? '' : `: ${rows.join(', ')}`
}

export const hashOfDisplay = (display: unknown): string =>
  hashOf(`lane/display/v${member(display, 'v') === 2 ? 2 : 1}`, display)

function rowWords(row: unknown): string {
  const [name, handle, chars, shown] = ['name', 'handle', 'chars', 'shown'].map(one => member(row, one))
  const of = typeof name === 'string' ? name : String(handle)
  if (member(row, 'whole') === true) return `${of} whole`
  if (typeof chars !== 'number') return `${of} by its size alone`
  const seen = (shown as readonly Range[]).reduce((sum, [from, to]) => sum + to - from, 0)
  return `${of} with ${seen} of its ${chars} characters`
}
