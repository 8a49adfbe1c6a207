// The lane's own fixed sentences on this channel. None of them is taken from a caller.
import { inUtc, type Outcome, type Verdict } from '../../src/adapter/index.js'
import { code, type Piece } from './written.js'

/** `17 Feb 2026, 14:00 UTC`: nobody reads the seconds on a telephone. */
export const toTheMinute = (instant: string): string => inUtc(instant).replace(/:[0-9]{2} UTC$/, ' UTC')

/** How a request ended. Only an answer names a person. */
export function outcomeWords({ outcome, at, answer, answered_by, default_action }: Outcome): Piece[] {
  const since = toTheMinute(at)
  switch (outcome) {
    case 'answered':
      return ['Answered ', code(answer ?? ''), ' by ', code(answered_by ?? ''), ` on ${since}.`]
    case 'defaulted':
      return [`Nobody answered in time: ${default_action} holds since ${since}.`]
    case 'undelivered':
      return [`It reached nobody in time: ${default_action} holds since ${since}.`]
    case 'withdrawn':
      return [`Withdrawn on ${since}: nothing is asked any more.`]
  }
}

/** The same to whoever has no right there and to whoever named nothing: it must not say which. */
export const NOT_YOURS = 'This cannot be answered from here.'

export function verdictWords(verdict: Verdict): Piece[] {
  if (verdict.kind === 'unknown') return [NOT_YOURS]
  if (verdict.kind === 'recorded') return ['Recorded: ', code(verdict.answer)]
  const { reason, outcome, read, accepted } = verdict
  switch (reason) {
    case 'already_resolved':
    case 'deadline_passed':
    case 'token_expired':
    case 'token_replayed':
      return outcome === null ? ['It is settled already.'] : outcomeWords(outcome)
    case 'duplicate_message':
      return outcome === null ? ['This was received before.'] : outcomeWords(outcome)
    case 'rate_limited':
      return ['Too many tries on this message. A new one comes if the request is still open.']
    case 'proof_insufficient':
      return ['An answer over Telegram is not enough for this; use another channel.']
    case 'reply_too_long':
    case 'reply_bad_charset':
    case 'reply_not_in_schema':
      return ['Not understood: ', code(read ?? ''), '\n', code(accepted ?? '')]
    default:
      return [NOT_YOURS]
  }
}

export const LINKED = 'This account is linked. What is asked of you comes to this chat, as '
export const NOT_LINKED = 'This link is not valid any more. Ask whoever gave it to you for a new one.'
export const GREETING =
  'This bot puts requests before people who are linked to it. To be linked, open the link you were given.'
export const HOW_TO_REPLY =
  'It is not clear which request this answers. Press a button below the request, or reply to its message.'
