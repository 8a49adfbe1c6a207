// The words for a request on every channel: the name of its kind, the meaning of its default, the spelling of a
// moment. Fixed sentences, none of them taken from a caller.
import type { Channel } from './channel.js'
import type { DefaultAction, RequestType } from './request.js'
import type { Ladder, Origin, Urgency } from './terms.js'

const TYPES: Readonly<Record<RequestType, string>> = {
  REQUEST_QUESTION: 'Question',
  REQUEST_REVIEW: 'Review',
  REQUEST_APPROVAL: 'Approval',
}
export const typeWord = (type: RequestType): string => TYPES[type]

/** Said before everything else; the usual urgency is not said. */
const URGENCIES: Readonly<Record<Urgency, string | null>> = {
  low: 'Not urgent',
  normal: null,
  high: 'Urgent',
}
export const urgencyWord = (urgency: Urgency): string | null => URGENCIES[urgency]

/** The kind of a request with its urgency: `Approval`, `Urgent approval`, `Approval, not urgent`. */
export function kindWords({
  type,
  urgency,
}: {
  readonly type: RequestType
  readonly urgency: Urgency
}): string {
  if (urgency === 'normal') return typeWord(type)
  return urgency === 'high' ? `Urgent ${typeWord(type).toLowerCase()}` : `${typeWord(type)}, not urgent`
}

const SPANS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** `2 h 30 min`: exact, because a step comes at its second. */
function spanWords(seconds: number): string {
  const parts: string[] = []
  let left = seconds
  for (const [unit, size] of SPANS) {
    if (left >= size) parts.push(`${Math.floor(left / size)} ${unit}`)
    left %= size
  }
  return parts.join(' ')
}

/** Stands before the reference to what a request was made from: that it was is the caller's word, and gives nothing. */
export const originWords = ({ system }: Origin): string => `, by its own word from ${system.toUpperCase()} `

/** What comes while nobody has answered, a line for each step. Times count from the opening, which no display holds. */
export const ladderWords = ({ ladder }: { readonly ladder: Ladder | null }): readonly string[] =>
  (ladder ?? []).map(step => `${spanWords(step.after_seconds)} after it was asked: ${stepWords(step)}`)

function stepWords(step: Ladder[number]): string {
  switch (step.do) {
    case 'remind':
      return 'a reminder'
    case 'next_channel':
      return 'those asked are reached by their next channel too'
    case 'add': {
      const people = step.recipients.map(({ user_id }) => user_id)
      return `${people.join(', ')} ${people.length === 1 ? 'is' : 'are'} asked too`
    }
  }
}

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

/** True of a YES, of a vote among several, and of a form: each of them may be a part of what approves. */
export const APPROVAL_WORDS = 'What is approved is allowed once, and exactly as it is listed below.'

/** The time until which a person's codes on a channel rest. */
export type Rested = { readonly channel: Channel; readonly until: string }

/** To the person whose codes rest. */
export const restWords = ({ channel, until }: Rested): string =>
  `Too many wrong codes came in your name by ${channel === 'sms' ? 'text message' : channel}: none is taken there until ${inUtc(until)}.`

const DIGEST = /^sha256:[0-9a-f]{64}$/
const ALGORITHM = 'sha256:'
/** As many digits as an eye compares at once. */
const GROUP = /.{8}/g

/** `sha256:3f9a1b2c 4d5e6f70 …`: a digest is shown whole, in groups that can be compared; other
 *  handles stay as they are. */
export const inGroups = (handle: string): string =>
  DIGEST.test(handle) ? ALGORITHM + (handle.slice(ALGORITHM.length).match(GROUP) ?? []).join(' ') : handle

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (number: number): string => String(number).padStart(2, '0')

/** `17 Feb 2026, 14:00:05 UTC`. Written by hand: the output of Intl changes between versions of its data. */
export function inUtc(instant: string): string {
  const at = new Date(instant)
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} UTC`
}
