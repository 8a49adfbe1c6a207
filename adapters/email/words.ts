// The lane's own fixed sentences on this channel. None of them is taken from a caller.
import {
  draw,
  inUtc,
  type Phrase,
  type Reason,
  type RefusedReply,
  refusalWords,
} from '../../src/adapter/index.js'
import { unlinked } from './sending/defang.js'

const asText = (phrases: readonly Phrase[]): string =>
  draw(phrases, { words: text => text, named: unlinked, at: inUtc }).join('')

type Own = Readonly<Partial<Record<Reason, string>>>

const OWN: Own = {
  rate_limited:
    'Too many replies to this mail could not be read: it takes none any more. Answer where it was also sent.',
}
/** For a reply bound only by words that anybody who has the text of the mail could have put into another. */
const LOOSE: Own = {
  ...OWN,
  proof_insufficient:
    'Your mail program left out which mail you answer, and for this request that is not enough. Reply to the mail that ' +
    'asked from another program, or answer where it was also sent.',
}

export const refusalText = (refused: RefusedReply, loosely: boolean): string =>
  asText(refusalWords(refused, { way: 'by mail', own: loosely ? LOOSE : OWN }))

/** Said in every mail that asks for an answer, right below the marker. */
export const FIRST_LINE = 'Write your answer alone on the first line of your reply, above everything else.'

/** The same for a form. */
export const FIRST_LINES =
  'Write your answers at the top of your reply, a line for each decision, above everything else. You may leave some for later.'

export const unread = (read: string): string =>
  `Your reply could not be read as an answer, and nothing was changed by it. Read was: ${unlinked(read)}`
/** Of a form: which lines, and why. */
export const unreadLines = (refused: RefusedReply): string =>
  `Nothing of your reply was taken, and nothing was changed by it. ${refusalText(refused, false)}`
export const ALONE =
  'A signature that your program adds must begin with a line of two dashes; otherwise delete it.'
export const ONCE =
  'This is said once: until a reply of yours is taken, others that cannot be read are not answered. Reply to this mail, or to the first one.'
