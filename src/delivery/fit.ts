// What a copy on a channel shows of the contents: as much as there is room for beside the rest. The adapter says whether
// a display fits; the most that does is searched for here, so that the room a short request leaves is used.
//
// FT1  What is found fits, by the adapter's own word, or nothing does.
// FT2  Under the rule `whole` a display that cuts a content is no way to answer.
import { LIMITS } from '../adapter/limits.js'
import type { Channel } from '../request/channel.js'
import { type Content, rowsWithin } from '../request/content/exhibit.js'
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
  const full = within(room)
  const isEnough = tellsEnough(full, rule)
  if (isEnough && shows(full)) return { shown: full, fits: true }
  const plain = within(room, true)
  if (isEnough && shows(plain)) return { shown: plain, fits: true }
  return rule === 'whole' || !isEnough ? { shown: full, fits: false } : shortened(shows, within, room)
}

function shortened(
  shows: (shown: Display) => boolean,
  within: (units: number) => Display,
  room: number,
): Fit {
  let found = within(0)
  if (!tellsEnough(found) || !shows(found)) return { shown: found, fits: false }
  let [fitting, tooMuch] = [0, room]
  for (let step = 0; step < STEPS; step++) {
    const middle = Math.floor((fitting + tooMuch) / 2)
    const tried = within(middle)
    if (shows(tried)) [found, fitting] = [tried, middle]
    else tooMuch = middle
  }
  return { shown: found, fits: true }
}

/** The same on the page, which has room for all but the longest. */
export const fitPage = (frame: Display, contents: readonly Content[]): Display =>
  withContents(frame, contents, rowsWithin(contents, LIMITS.web.contents))
