// The message. It is answered here only where it shows all of what is decided: up to six segments are used for that,
// and a longer request is announced, to be read and answered on its page.
//
// MR1  No form of the message is made shorter by leaving out a part of the decision.
import {
  behindMargin,
  besideWords,
  type Display,
  describeOption,
  describeReply,
  inGroups,
  isMissing,
  kindWords,
  LEFT_OUT,
  ladderWords,
  lookAlike,
  NOT_HELD,
  type Option,
  type Outbound,
  type ReplySchema,
  type ShownHandle,
  sheetOf,
  tellsEnough,
  urgencyWord,
  wordsOn,
} from '../../src/adapter/index.js'
import { exact, plain, shortened } from './plain.js'
import { countSegments } from './segments.js'
import { MAX_SEGMENTS, shortly } from './words.js'

/** Characters of an announced headline: enough to recognise it. */
const ANNOUNCED_CHARS = 40

/** The usual margin is not in the GSM alphabet: it would leave the message less than half its room. */
const MARGIN = '| '

type Way = Pick<Outbound, 'reply' | 'page' | 'rested' | 'reminds' | 'beside'>

/** Stand-ins for the handle and the code of a copy that is not made yet: real ones have the same length. */
const SOME_HANDLE = '0'.repeat(26)
const SOME_CODE = '0'.repeat(7)

export const shows = (display: Display, publicUrl: string): boolean =>
  whole(display, SOME_CODE, `${publicUrl}/r/${SOME_HANDLE}`) !== null

/** Null for a message that is to be answered here and does not fit. */
export function render(display: Display, way: Way): string | null {
  const { reply, page, rested, reminds } = way
  const message = reply === null ? announce(display, page, rested) : whole(display, reply.code, page.link)
  if (message === null) return null
  const reminder = (reminds !== undefined && fitting(`Reminder. ${message}`)) || message
  return besideLines(display, way).reduce((said, line) => fitting(`${said}\n${line}`) ?? said, reminder)
}

const fitting = (message: string): string | null =>
  countSegments(message).segments > MAX_SEGMENTS ? null : message

/** What stands beside the display is told as far as there is room; that it is a reminder stands before all else. */
const besideLines = (display: Display, { reminds: _reminds, ...way }: Way): string[] =>
  besideWords(display, way).map(plain)

function whole(display: Display, code: string, link: string): string | null {
  const { asked_by, headline, impact, why, handles, reply_schema: schema, urgency } = display
  const urgent = urgencyWord(urgency)
  const message = [
    `${urgent === null ? '' : `${urgent}. `}${plain(asked_by)} asks: ${plain(headline)}`,
    ...(impact === null ? [] : [plain(impact)]),
    ...(why === null ? [] : [`Why: ${plain(why)}`]),
    ...handles.flatMap(shown => handleLines(display, shown)),
    ...('options' in schema ? schema.options.map(optionLine) : []),
    ...(schema.kind === 'form' ? sheetOf(schema).flat().map(plain) : []),
    `${howToAnswer(schema, code)}, ${deadlineOf(display)}`,
    ...ladderWords(display).map(plain),
    link,
  ].join('\n')
  return countSegments(message).segments > MAX_SEGMENTS || !tellsEnough(display) ? null : message
}

function announce(display: Display, { link, code }: Way['page'], rested: Way['rested']): string {
  const { asked_by, headline } = display
  const asked = `${kindWords(display)} by ${shortened(asked_by, ANNOUNCED_CHARS)}: ${shortened(headline, ANNOUNCED_CHARS)}`
  const page =
    code === null ? 'Sign in to read and answer it' : `Read and answer it on its page, code ${code}`
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

/** A content that is shown whole says so by standing there. */
function handleLines(display: Display, shown: ShownHandle): string[] {
  const { name, handle, fixed } = shown
  const exhibit = display.exhibits.get(handle)
  const of = name === null ? '' : `${name} `
  const said = exhibit?.whole && exhibit.notes.length === 0 ? '' : exhibit && ` (${wordsOn(exhibit)})`
  const missing = isMissing(display, shown) ? ` (${NOT_HELD})` : ''
  return [
    plain(`${of}${inGroups(handle)}${fixed ? '' : ' (name only)'}${missing}`) + (said ?? ''),
    ...(exhibit?.parts ?? []).flatMap((lines, at) => [
      ...(at === 0 ? [] : [LEFT_OUT]),
      exact(behindMargin(lines, MARGIN)),
    ]),
  ]
}

function optionLine(option: Option, at: number): string {
  const mark = lookAlike(option.label)
  return plain(describeOption(option, at)) + (mark === null ? '' : ` (${mark})`)
}

const deadlineOf = ({ deadline_at, default_action }: Display): string =>
  `by ${shortly(deadline_at)}, else ${default_action}`
