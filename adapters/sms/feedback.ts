// What the person is told in return: in the webhook's own answer, so that it costs no second call and goes to nobody but
// the number that wrote. Said to people only, never twice about the same request, and never to whoever opted out.
import type { HookAnswer, Outcome, Reason, Verdict } from '../../src/adapter/index.js'
import { cut, plain } from './plain.js'
import { MAX_SEGMENTS, shortly } from './render.js'
import { countSegments } from './segments.js'

/** An answer is repeated to be recognised, not to be read. */
const ECHOED_CHARS = 60

const XML = { 'content-type': 'text/xml; charset=utf-8' }
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, sign => ENTITIES[sign] ?? sign)

/** Taken, and nothing to say. */
export const SILENT: HookAnswer = { status: 200, headers: XML, body: '<Response/>' }

export const tell = (text: string): HookAnswer => ({
  status: 200,
  headers: XML,
  body: `<Response><Message>${escaped(text)}</Message></Response>`,
})

export const recordedWords = ({ answer }: Extract<Verdict, { kind: 'recorded' }>): string =>
  `Recorded: ${cut(plain(answer), ECHOED_CHARS)}`

type Refused = Extract<Verdict, { kind: 'refused' }>

export function refusedWords({ reason, accepted, outcome }: Refused, withMedia = false): string {
  if (outcome !== null) return `Not recorded: ${outcomeWords(outcome)}`
  const why = withMedia ? 'A message with a picture or file answers nothing.' : 'Not understood.'
  if (accepted !== null) return notUnderstood(why, plain(accepted))
  return `Not recorded: ${WHY[reason] ?? 'it could not be taken.'}`
}

/** The longest sentence is as long as all of a message may be, and a provider takes 1600 characters. */
function notUnderstood(why: string, accepted: string): string {
  const whole = `${why} ${accepted} End with the code of the message.`
  if (countSegments(whole).segments <= MAX_SEGMENTS) return whole
  return `${why} Answer as the message says, and end with its code.`
}

const WHY: Readonly<Partial<Record<Reason, string>>> = {
  code_mismatch:
    'end your reply with the code of the message you answer. STOP, CANCEL, END and the like are never answers.',
  rate_limited: 'too many tries were made by text message. Use another of your channels, or try later.',
  proof_insufficient: 'this cannot be decided by text message. Use another of your channels.',
  deadline_passed: 'the deadline has passed.',
}

function outcomeWords({ outcome, at, default_action }: Outcome): string {
  switch (outcome) {
    case 'answered':
      return `this was answered on ${shortly(at)}.`
    case 'withdrawn':
      return `this was withdrawn on ${shortly(at)}.`
    case 'defaulted':
    case 'undelivered':
      return `nobody answered in time. ${default_action} holds since ${shortly(at)}.`
  }
}
