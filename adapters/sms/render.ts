// The message. The question is never cut where it can be answered here: what does not fit is left to the page, the least
// needed first; and what is too long for a phone is only announced, to be read and answered on the page.
import { type Display, describeAnswer, type Envelope, inUtc, type ReplySchema } from '../../src/adapter.js'
import { cut, plain } from './plain.js'
import { countSegments } from './segments.js'

/** Longer ones arrive late, in pieces or not at all with some carriers. */
export const MAX_SEGMENTS = 6
/** Of what is only announced: enough to recognise it. */
const ANNOUNCED_CHARS = 40
/** Enough of a digest to compare with what is on the screen; the page has all of it. */
const DIGEST_CHARS = 'sha256:'.length + 8

type Envelop = Pick<Envelope, 'code' | 'link'>

export function render(display: Display, { code, link }: Envelop): string {
  const question = plain(display.headline)
  const asker = `${plain(display.asked_by)} asks: ${question}`
  const detail = detailOf(display)
  const how = howToAnswer(display.reply_schema, code)
  const until = `${how}, ${deadlineOf(display)}`
  const forms = [
    [asker, detail, until, link],
    [question, detail, until, link],
    [asker, until, link],
    [question, until, link],
    [question, how, link],
  ].map(lines => lines.filter(line => line !== '').join('\n'))
  const sized = (most: number) => forms.find(form => countSegments(form).segments <= most)
  return sized(1) ?? sized(MAX_SEGMENTS) ?? announce(question, code, link)
}

const announce = (question: string, code: string, link: string): string =>
  `${cut(question, ANNOUNCED_CHARS)}\nToo long for a text message. Read and answer it here, code ${code}:\n${link}`

function howToAnswer(schema: ReplySchema, code: string): string {
  if (schema.kind === 'yes_no') return `Reply Y ${code} or N ${code}`
  return `${plain(describeAnswer(schema))} End with ${code}`
}

/** What the answer changes, or what it is about. */
function detailOf({ impact, handles }: Display): string {
  if (impact !== null) return plain(impact)
  const lines = handles.map(({ name, handle }) => [name, cut(handle, DIGEST_CHARS + 2)].join(' ').trim())
  return plain(lines.join('\n'))
}

/** `17 Feb 14:00 UTC`, the seconds cut off: a person is never told more time than there is. */
export const shortly = (instant: string): string =>
  inUtc(instant).replace(/ [0-9]+, ([0-9]{2}:[0-9]{2}):[0-9]{2}/, ' $1')

const deadlineOf = ({ deadline_at, default_action }: Display): string =>
  `by ${shortly(deadline_at)}, else ${default_action}`
