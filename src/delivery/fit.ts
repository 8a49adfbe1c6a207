// What a copy on a channel shows of the contents: as much as there is room for beside the rest. The adapter says whether
// a display fits; the most that does is searched for here, so that the room a short request leaves is used.
//
// FT1  What is found fits, by the adapter's own word, or nothing does.
// FT2  Under the rule `whole` a display that cuts a content is no way to answer.
// FT3  A request has many copies: the room that was found for one on a channel is tried first for the next one there.

import { LIMITS } from '../adapter/limits.js'
import { Memo } from '../memo.js'
import type { Channel } from '../request/channel.js'
import { type Content, rowsWithin, type ShownContent } from '../request/content/exhibit.js'
import { type Display, tellsEnough, withContents } from '../request/display.js'
import type { ContentRule } from '../request/terms.js'

type Fit = {
  readonly shown: Display
  /** Whether people could decide on it there. */
  readonly fits: boolean
}

/** Halves the room in doubt so often: what is left is a hundredth of it. */
const STEPS = 7

export function fitInto(
  channel: Channel,
  shows: (shown: Display) => boolean,
  frame: Display,
  contents: readonly Content[],
  rule: ContentRule | undefined,
): Fit {
  if (contents.length === 0) return { shown: frame, fits: tellsEnough(frame, rule) && shows(frame) }
  const room = LIMITS[channel].contents
  const within = (units: number, plainly = false): Display =>
    withContents(frame, contents, rowsWithin(contents, units), plainly)
  const known = foundFor(contents)
  const likely = known.rooms.get(channel)
  const shown = likely === undefined ? null : within(likely)
  if (shown !== null && tellsEnough(shown, rule) && shows(shown)) return { shown, fits: true }
  const full = within(room)
  const isEnough = tellsEnough(full, rule)
  if (isEnough && shows(full)) return { shown: full, fits: true }
  const plain = within(room, true)
  if (isEnough && shows(plain)) return { shown: plain, fits: true }
  if (rule === 'whole' || !isEnough) return { shown: full, fits: false }
  const cut = shortened(shows, within, room)
  if (cut.fits) known.rooms.set(channel, cut.units)
  return cut
}

/** What was found for one copy, and holds for the others of its request too (FT3). */
type Found = { readonly rooms: Map<Channel, number>; page?: readonly ShownContent[] }
const found = new Memo<readonly Content[], Found>()

function foundFor(contents: readonly Content[]): Found {
  const known = found.get(contents) ?? { rooms: new Map() }
  found.set(contents, known)
  return known
}

function shortened(
  shows: (shown: Display) => boolean,
  within: (units: number) => Display,
  room: number,
): Fit & { readonly units: number } {
  let found = within(0)
  if (!tellsEnough(found) || !shows(found)) return { shown: found, fits: false, units: 0 }
  let [fitting, tooMuch] = [0, room]
  for (let step = 0; step < STEPS; step++) {
    const middle = Math.floor((fitting + tooMuch) / 2)
    const tried = within(middle)
    if (shows(tried)) [found, fitting] = [tried, middle]
    else tooMuch = middle
  }
  return { shown: found, fits: true, units: fitting }
}

/** The same on the page, which has room for all but the longest. */
export function fitPage(frame: Display, contents: readonly Content[]): Display {
  const known = foundFor(contents)
  known.page ??= rowsWithin(contents, LIMITS.web.contents)
  return withContents(frame, contents, known.page)
}
