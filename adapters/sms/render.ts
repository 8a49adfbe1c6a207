// The message. It is answered here only where it shows all of what is decided: up to six segments are used for that,
// and a longer request is announced, to be read and answered on its page.
//
// MR1  No form of the message is made shorter by leaving out a part of the decision.
import {
  type Display,
  describeOption,
  describeReply,
  inGroups,
  isToldByContent,
  type Outbound,
  type ReplySchema,
  type ShownHandle,
  typeWord,
} from '../../src/adapter/index.js'
import { plain, shortened } from './plain.js'
import { countSegments } from './segments.js'
import { MAX_SEGMENTS, shortly } from './words.js'

/** Characters of an announced headline: enough to recognise it. */
const ANNOUNCED_CHARS = 40

type Way = Pick<Outbound, 'reply' | 'page' | 'rested'>

/** Stand-ins for the handle and the code of a copy that is not made yet: real ones have the same length. */
const SOME_HANDLE = '0'.repeat(26)
const SOME_CODE = '0'.repeat(7)

export const shows = (display: Display, publicUrl: string): boolean =>
  whole(display, SOME_CODE, `${publicUrl}/r/${SOME_HANDLE}`) !== null

/** Null for a message that is to be answered here and does not fit. */
export const render = (display: Display, { reply, page, rested }: Way): string | null =>
  reply === null ? announce(display, page, rested) : whole(display, reply.code, page.link)

function whole(display: Display, code: string, link: string): string | null {
  const { asked_by, headline, impact, handles, reply_schema: schema } = display
  const message = [
    `${plain(asked_by)} asks: ${plain(headline)}`,
    ...(impact === null ? [] : [plain(impact)]),
    ...handles.map(handleLine),
    ...('options' in schema ? schema.options.map(describeOption).map(plain) : []),
    `${howToAnswer(schema, code)}, ${deadlineOf(display)}`,
    link,
  ].join('\n')
  return countSegments(message).segments > MAX_SEGMENTS || isToldByContent(display) ? null : message
}

function announce(
  { type, asked_by, headline }: Display,
  { link, code }: Way['page'],
  rested: Way['rested'],
): string {
  const asked = `${typeWord(type)} by ${shortened(asked_by, ANNOUNCED_CHARS)}: ${shortened(headline, ANNOUNCED_CHARS)}`
  const page = code === null ? 'Read all of it on its page' : `Read and answer it on its page, code ${code}`
  const why =
    rested === undefined
      ? ''
      : `\nToo many wrong codes came from your number: none is taken until ${shortly(rested.until)}.`
  return `${asked}\nThis message cannot be answered. ${page}:\n${link}${why}`
}

function howToAnswer(schema: ReplySchema, code: string): string {
  if (schema.kind === 'yes_no') return `Reply Y ${code} or N ${code}`
  return `${plain(describeReply(schema))} End with ${code}`
}

function handleLine({ name, handle, fixed }: ShownHandle): string {
  const of = name === null ? '' : `${name} `
  return plain(`${of}${inGroups(handle)}${fixed ? '' : ' (name only)'}`)
}

const deadlineOf = ({ deadline_at, default_action }: Display): string =>
  `by ${shortly(deadline_at)}, else ${default_action}`
