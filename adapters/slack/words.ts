// The lane's own fixed sentences on this channel. None of them is taken from a caller.
import { inUtc, type Outcome, type Reason, type Verdict } from '../../src/adapter/index.js'

/** How a request ended, in one sentence: only an answer names a person. */
export function outcomeWords({ outcome, answered_by, answer, default_action, at }: Outcome): string {
  const holds = default_action === null ? '' : ` ${default_action} holds since ${inUtc(at)}.`
  switch (outcome) {
    case 'answered':
      return `${answered_by} answered ${answer} on ${inUtc(at)}.`
    case 'defaulted':
      return `Nobody answered in time.${holds}`
    case 'undelivered':
      return `It reached nobody in time.${holds}`
    case 'withdrawn':
      return `It was withdrawn on ${inUtc(at)}: nothing is asked any more.`
  }
}

const REASONS: Readonly<Partial<Record<Reason, string>>> = {
  // Said to a stranger too, whose own attempts have run out and nobody else's.
  rate_limited: 'Too many replies came from you by this message. It takes none of yours any more.',
  unknown_sender: 'This was put to somebody else. Your reply answers nothing.',
  wrong_recipient: 'This was put to somebody else. Your reply answers nothing, and it is on record.',
  sender_unauthenticated:
    'Guests, bots, deactivated accounts and members of other organisations cannot answer here.',
  proof_insufficient: 'An answer over Slack is not enough for this request. Answer where it was also sent.',
  deadline_passed: 'The deadline has come. Your reply answers nothing.',
  token_replayed: 'This was answered already.',
}
const NOT_TAKEN = 'Your reply could not be taken, and nothing was changed by it.'

type Refused = Extract<Verdict, { kind: 'refused' }>

/** Why a reply was not taken, and what would be: where the words were the trouble they are quoted. */
export function refusalWords({ reason, read, accepted, outcome }: Refused): string {
  if (outcome !== null && (reason === 'already_resolved' || reason === 'deadline_passed'))
    return `Too late: this is settled. ${outcomeWords(outcome)}`
  if (read !== null && accepted !== null) return `Not understood: “${read}”. ${accepted}`
  return REASONS[reason] ?? NOT_TAKEN
}
