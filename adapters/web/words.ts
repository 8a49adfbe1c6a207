// The lane's own fixed sentences: what each default means, how a kind of request is called, how a moment is told.
// None of them is taken from a caller.
import type { DefaultAction, RequestType } from '../../src/adapter.js'

const TYPES: Readonly<Record<RequestType, string>> = {
  REQUEST_QUESTION: 'Question',
  REQUEST_REVIEW: 'Review',
  REQUEST_APPROVAL: 'Approval',
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

export const typeWord = (type: RequestType): string => TYPES[type]

/** null for a name that is none of the seven: a closed page then shows the name alone. */
export const defaultWords = (action: string): string | null =>
  Object.hasOwn(DEFAULTS, action) ? DEFAULTS[action as DefaultAction] : null

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (number: number): string => String(number).padStart(2, '0')

/** `17 Feb 2026, 14:00:05 UTC`. Written by hand: what Intl prints changes between versions of its data. */
export function inUtc(instant: string): string {
  const at = new Date(instant)
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} UTC`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest whole unit, rounded down: a person is never told more time than there is. */
export function timeLeft(now: string, deadline: string): string {
  const seconds = Math.floor((Date.parse(deadline) - Date.parse(now)) / 1000)
  for (const [unit, size] of UNITS) {
    const whole = Math.floor(seconds / size)
    if (whole >= 1) return `${whole} ${unit}${whole === 1 ? '' : 's'}`
  }
  return 'No time'
}
