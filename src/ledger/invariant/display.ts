// I34: what people were shown, recomputed from the opening and the rows of the delivery, also after an erasure.
import type { Hash } from '../../canonical.js'
import type { EntryOf } from '../../event.js'
import type { ShownContent } from '../../request/content/exhibit.js'
import { display, documentOf } from '../../request/display.js'
import type { OpenStory, Story } from './book.js'
import { type Flaw, flaw } from './invariants.js'
import { hashText } from './line.js'

type Claim = EntryOf<'DELIVERY_STARTED'>['body']

export function flawOfDisplay({ shown, contents }: OpenStory, body: Claim): Flaw | null {
  // Under rules 1 the name of the asking key was not recorded, and a display cannot be recomputed.
  if (shown === null) return null
  const rows = 'contents' in body ? (body.contents ?? []) : []
  const frame = display(shown, '')
  const held = frame.handles.filter(({ handle }) => contents.has(handle))
  const isOfThese =
    rows.length === held.length &&
    rows.every(({ handle, name }, at) => handle === held[at]?.handle && name === held[at]?.name)
  if (!isOfThese) return flaw('I34', 'the contents shown are not those recorded with the request')
  if (rows.some(row => row.chars !== contents.get(row.handle) || !isSound(row)))
    return flaw('I34', 'a content is said to be shown at places it does not have')
  const document = documentOf({ ...frame, contents: rows })
  return hashText(`lane/display/v${frame.v}\n`, document) === body.display_hash
    ? null
    : flaw('I34', 'display_hash is not that of the display')
}

/** The places stand in order, within the content; it is whole exactly where they are all of it. */
function isSound({ chars, shown, whole }: ShownContent): boolean {
  let end = 0
  for (const [from, to] of shown) {
    if (from < end || to < from || to > (chars ?? 0)) return false
    end = to
  }
  const [first] = shown
  const isAll = chars !== null && shown.length === 1 && first?.[0] === 0 && first[1] === chars
  return whole === isAll
}

export function checkErasure({ contents, open }: Story, { body }: EntryOf<'CONTENT_ERASED'>): Flaw | null {
  if (open !== null) return flaw('I34', 'a content was erased while its request was open')
  return contents.has(body.handle) ? null : flaw('I34', 'a content was erased that its request did not bring')
}

/** The code points of each content recorded with a request. */
export const recordedIn = (body: EntryOf<'REQUEST_OPENED'>['body']): ReadonlyMap<string, number | null> =>
  new Map<Hash, number | null>(
    'contents' in body ? (body.contents ?? []).map(({ handle, chars }) => [handle, chars]) : [],
  )
