// The lane's own fixed sentences, and how a caller's words are made harmless before they stand beside them.
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
export const defaultWords = (action: DefaultAction): string => DEFAULTS[action]

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (number: number): string => String(number).padStart(2, '0')

/** `17 Feb 2026, 14:00 UTC`. Written by hand: what Intl prints changes between versions of its data. */
export function inUtc(instant: string): string {
  const at = new Date(instant)
  const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} UTC`
}

/** Mail programs make links of whatever looks like one. An invisible sign would not do: names are looked up without it.
 *  So the dot or colon that makes a link is bracketed, as those who write about dangerous links do. */
export const unlinked = (text: string): string =>
  text.replaceAll('://', '[:]//').replace(/(?<=[^\s.])\.(?=\p{L}{2})/gu, '[.]')

/** Code points: a longer headline is read in the mail, here it is recognised. */
const MAX_HEADLINE = 120
export function shortened(text: string): string {
  const points = [...text]
  return points.length <= MAX_HEADLINE ? text : `${points.slice(0, MAX_HEADLINE - 1).join('')}…`
}
