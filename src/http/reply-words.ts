// The words for a visitor who has nothing to answer, or whose answer was not taken: a code for programs, and a
// sentence. The sentences that every channel says are in src/adapter/words.ts.
import type { Ending, RefusedReply } from '../adapter/contract.js'
import { draw, refusalWords, type Voice } from '../adapter/words.js'
import type { Reason } from '../reason.js'
import type { Code } from './problem.js'
import type { Doubt } from './session-answer.js'

export const DEAD =
  'Too many tries were made with this link, so it no longer works. While the request is open a fresh one is sent, at most three times.'
export const HANDED = 'This was handed to somebody else, and is not yours to answer any more.'
export const UNKNOWN = 'This link is not known here. Check that it was copied whole.'
export const FOREIGN = 'The answer must be sent from the page the link opens.'
export const STALE = 'Open the link again and answer from the page it shows.'
export const NOT_HELD = 'The lane does not hold that content.'
export const TOO_LONG = 'That is longer than any answer. Open the link again and answer in fewer words.'
export const malformed = (fault: string): string =>
  `The form was not as the page sends it (${fault}). Open the link again.`
export const blocked = (seconds: number): string => `Too many tries; try again in ${seconds} s.`
/** Above the form, where the page itself shows what was read and what would be understood. */
export const unread = (reason: Reason): string =>
  reason === 'decision_answered'
    ? 'Somebody has answered one of these decisions meanwhile, so nothing of your reply was taken. What else you filled in is kept below.'
    : reason === 'reason_missing'
      ? 'An answer that needs a reason has none, so nothing of your reply was taken.'
      : 'Your answer was not understood.'
export const VOTED = 'Your vote is counted'

type Told = { readonly code: Code; readonly detail: string }

type Place = Pick<Voice, 'way' | 'own'>
const BY_LINK: Place = {
  way: 'by this link',
  own: { rate_limited: DEAD, code_mismatch: 'The code is not the one that came with this link.' },
}
const DOUBTS: Readonly<Record<Doubt, string>> = {
  session_over:
    'The passkey that you signed in with was taken back, so this session is over and nothing was taken. Sign in again, and answer then.',
  passkey_gone:
    'The passkey that you confirmed this with is none of yours: it may have been taken back. Nothing was taken. Choose again, and confirm it with another.',
  session_alone:
    'You have signed in with a passkey that an operator enrolled, and such a session alone answers nothing, so nothing was taken. Confirm your answer with a passkey where you are asked for one, or answer where it was also sent.',
  unconfirmed:
    'No passkey of yours has confirmed this answer within five minutes of being asked, so nothing was taken. Choose again, and confirm it.',
}

/** The words for somebody who has signed in. */
export const inSession = (doubt: Doubt | null): Place => ({
  way: 'in a session',
  own: { ...BY_LINK.own, ...(doubt !== null && { sender_unauthenticated: DOUBTS[doubt] }) },
})

export function explain(refused: RefusedReply, place = BY_LINK): Told {
  const { reason } = refused
  const phrases = refusalWords(refused, {
    ...place,
    otherwise: `The answer was not taken (${reason}).`,
    unnamed: true,
  })
  const same = (text: string): string => text
  return {
    code: codeOf(reason, refused.ending),
    // Only programs read an ending here, and they take instants as written: people see it on a page.
    detail: draw(phrases, { words: same, named: same, at: same }).join(''),
  }
}

function codeOf(reason: Reason, ending: Ending | null): Code {
  switch (reason) {
    case 'reply_too_long':
    case 'reply_bad_charset':
    case 'reply_not_in_schema':
    case 'code_mismatch':
    case 'rate_limited':
    case 'delegated_away':
    case 'already_voted':
    case 'decision_answered':
    case 'reason_missing':
      return reason
    case 'already_resolved':
    case 'deadline_passed':
      return ending?.outcome === 'answered' || ending?.outcome === 'withdrawn'
        ? 'already_resolved'
        : 'deadline_passed'
    default:
      return 'reply_rejected'
  }
}
