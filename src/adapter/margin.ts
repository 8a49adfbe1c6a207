// The margin behind which the lines of a caller's content stand. No line of ours begins with it, so that no content can
// pass for the card, its marker or a code.
import type { Exhibit, Line } from '../request/content/exhibit.js'

const MARGIN = '│ '

/** Stands between two passages of a content. */
export const LEFT_OUT = '(left out here)'
/** For a handle whose content was not sent with the request, nor before it. */
export const NOT_HELD = 'the lane does not hold it'

export const behindMargin = (lines: readonly Line[], margin = MARGIN): string =>
  lines.map(({ text }) => `${margin}${text}`).join('\n')

/** Our sentences about a content, the measure first. */
export const wordsOn = ({ measure, notes }: Exhibit): string => [measure, ...notes].join('; ')
