// The lane's own fixed sentences on this channel. None of them is taken from a caller.
import type { DefaultAction, Outcome, Reason, RequestType, Verdict } from '../../src/adapter.js'

const TYPES: Readonly<Record<RequestType, string>> = {
  REQUEST_QUESTION: 'Question',
  REQUEST_REVIEW: 'Review',
  REQUEST_APPROVAL: 'Approval',
}
export const typeWord = (type: RequestType): string => TYPES[type]

const DEFAULTS: Readonly<Record<DefaultAction, string>> = {
  HALT: 'the run stops',
  SPLIT: 'the work is split, and the part in question goes no further',
  DOWNGRADE_TO_HYPOTHESIS: 'what was claimed counts as a hypothesis only',
  QUARANTINE_OUTPUTS: 'what the run has made is set aside and not used',
  DENY: 'the action is not allowed, and nobody is recorded as having said no',
  DO_NOT_PUBLISH: 'nothing is published',
  DO_NOT_EXPORT: 'nothing is exported',
}
export const defaultWords = (action: DefaultAction): string => DEFAULTS[action]

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (number: number): string => String(number).padStart(2, '0')

/** `17 Feb 2026, 14:00:05 UTC`: where Slack cannot show a moment in the reader's own time. */
export function inUtc(instant: string): string {
  const at = new Date(instant)
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} UTC`
}

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

export type Refused = Extract<Verdict, { kind: 'refused' }>

/** Why a reply was not taken, and what would be: where the words were the trouble they are quoted. */
export function refusalWords({ reason, read, accepted, outcome }: Refused): string {
  if (outcome !== null && (reason === 'already_resolved' || reason === 'deadline_passed'))
    return `Too late: this is settled. ${outcomeWords(outcome)}`
  if (read !== null && accepted !== null) return `Not understood: “${read}”. ${accepted}`
  return REASONS[reason] ?? NOT_TAKEN
}
