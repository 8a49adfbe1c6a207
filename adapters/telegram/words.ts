// The lane's own fixed sentences on this channel. None of them is taken from a caller.
import {
  draw,
  type Ending,
  endingWords,
  type Glance,
  inUtc,
  type Phrase,
  recordedWords,
  refusalWords,
  type Verdict,
  type Voice,
} from '../../src/adapter/index.js'
import { code, type Piece } from './written.js'

/** `17 Feb 2026, 14:00 UTC`: nobody reads the seconds on a telephone. */
export const toTheMinute = (instant: string): string => inUtc(instant).replace(/:[0-9]{2} UTC$/, ' UTC')

const inPieces = (phrases: readonly Phrase[]): Piece[] =>
  draw<Piece>(phrases, { words: text => text, named: code, at: toTheMinute })

export const endingPieces = (ending: Ending): Piece[] => inPieces(endingWords(ending))

/** Said alike to a person without the right and to one who named nothing: it must not tell which. */
export const NOT_YOURS = 'This cannot be answered from here.'

const TELEGRAM: Voice = {
  way: 'over Telegram',
  own: { rate_limited: 'Too many tries on this message. A new one comes if the request is still open.' },
  otherwise: NOT_YOURS,
}

export function verdictPieces(verdict: Verdict): Piece[] {
  if (verdict.kind === 'unknown') return [NOT_YOURS]
  if (verdict.kind === 'recorded') return inPieces(recordedWords(verdict))
  return inPieces(refusalWords(verdict, TELEGRAM))
}

/** The reason why no ticked option would be taken here. */
export const glancePieces = (reason: NonNullable<Glance['reason']>, ending: Ending | null): Piece[] =>
  inPieces(refusalWords({ reason, ending, theirs: false, read: null, accepted: null }, TELEGRAM))

export const LINKED = 'This account is linked. What is asked of you comes to this chat, as '
export const NOT_LINKED = 'This link is not valid any more. Ask whoever gave it to you for a new one.'
export const GREETING =
  'This bot puts requests before people who are linked to it. To be linked, open the link you were given.'
export const HOW_TO_REPLY =
  'It is not clear which request this answers. Press a button below the request, or reply to its message.'
