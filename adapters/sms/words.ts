// The lane's own fixed sentences on this channel. None of them is taken from a caller.
import {
  draw,
  inUtc,
  LIMITS,
  opener,
  type Phrase,
  type RefusedReply,
  recordedWords,
  refusalWords,
  type Voice,
} from '../../src/adapter/index.js'
import { plain, shortened } from './plain.js'
import { countSegments } from './segments.js'

export const MAX_SEGMENTS = LIMITS.sms.message ?? 0
/** An answer is repeated to be recognised, not to be read. */
const ECHOED_CHARS = 60

/** `17 Feb 14:00 UTC`, the seconds cut off: a person is never told more time than there is. */
export const shortly = (instant: string): string =>
  inUtc(instant).replace(/ [0-9]+, ([0-9]{2}:[0-9]{2}):[0-9]{2}/, ' $1')

const echoed = (text: string): string => shortened(text, ECHOED_CHARS)

const asText = (phrases: readonly Phrase[]): string =>
  draw(phrases, { words: text => text, named: echoed, at: shortly }).join('')

/** A number can be forged, so the words for an ending name nobody. */
const SMS: Voice = {
  way: 'by text message',
  own: {
    code_mismatch:
      'Not recorded: end your reply with the code of the message you answer. STOP, CANCEL, END and the like are never answers.',
    rate_limited:
      'Not recorded: too many tries were made by text message. Use another of your channels, or try later.',
  },
  unnamed: true,
}

export const recordedText = (recorded: Parameters<typeof recordedWords>[0]): string =>
  asText(recordedWords(recorded))

export function refusalText(refused: RefusedReply, withMedia = false): string {
  const { accepted } = refused
  if (accepted === null) return asText(refusalWords(refused, SMS))
  return notUnderstood(
    withMedia ? 'A message with a picture or file answers nothing.' : whyNot(refused),
    plain(accepted),
  )
}

/** The writer of one line has it before them; of a form the lines that were the trouble are named. */
function whyNot({ reason, read, lines }: RefusedReply): string {
  const named = reason === 'decision_answered' ? [read ?? ''] : (lines ?? []).map(line => line.read)
  const shown = named.slice(0, MAX_LINES).map(line => `"${echoed(line)}"`)
  return named.length === 0 ? `${opener(reason)}.` : `${opener(reason)}: ${shown.join(', ')}.`
}
/** More would leave no room for what is accepted. */
const MAX_LINES = 3

/** The sentence on accepted answers alone may fill a message, and a provider takes 1600 characters. */
function notUnderstood(why: string, accepted: string): string {
  const whole = `${why} ${accepted} End with the code of the message.`
  if (countSegments(whole).segments <= MAX_SEGMENTS) return whole
  return `${why} Answer as the message says, and end with its code.`
}
