// The lane's own fixed sentences on this channel. None of them is taken from a caller.

import type { types } from '@slack/bolt'
import {
  draw,
  type Ending,
  endingWords,
  inUtc,
  type Phrase,
  type RefusedReply,
  recordedWords,
  refusalWords,
  type Voice,
} from '../../src/adapter/index.js'
import { moment } from './document.js'
import { BOLD, line, words } from './inert.js'

const same = (text: string): string => text

/** For fields that hold only text; inert.ts makes unseen marks visible when it is put in. */
const asText = (phrases: readonly Phrase[]): string =>
  draw(phrases, { words: same, named: same, at: inUtc }).join('')

export const endingText = (ending: Ending): string => asText(endingWords(ending))

/** As a line of the card, with the instant in the reader's own time. */
export const endingLine = (ending: Ending): types.RichTextSection =>
  line(
    ...draw<types.RichTextElement>(endingWords(ending), {
      words: text => words(text),
      named: text => words(text, BOLD),
      at: moment,
    }),
  )

const SLACK: Voice = {
  way: 'over Slack',
  own: {
    // A stranger is told this too: only their own attempts have run out, nobody else's.
    rate_limited: 'Too many replies came from you by this message. It takes none of yours any more.',
    unknown_sender: 'This was put to somebody else. Your reply answers nothing.',
    wrong_recipient: 'This was put to somebody else. Your reply answers nothing, and it is on record.',
    sender_unauthenticated:
      'Guests, bots, deactivated accounts and members of other organisations cannot answer here.',
  },
}

/** For a reply that was counted and decides nothing yet. */
export const recordedText = (recorded: Parameters<typeof recordedWords>[0]): string =>
  asText(recordedWords(recorded))

export const refusalText = (refused: RefusedReply): string => asText(refusalWords(refused, SLACK))
