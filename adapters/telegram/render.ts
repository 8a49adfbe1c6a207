// Draws a request as one message, and later its outcome in its place. A caller's words stand where Telegram looks for
// nothing: they cannot format, mention, link or command.
import {
  type Display,
  defaultWords,
  describeOption,
  describeReply,
  type Ending,
  inGroups,
  isToldByContent,
  type Outbound,
  restWords,
  type ShownHandle,
  typeWord,
} from '../../src/adapter/index.js'
import { type Controls, controls, type ForceReply } from './keyboard.js'
import { endingPieces, toTheMinute } from './words.js'
import { block, bold, code, linked, type Piece, type Written, write } from './written.js'

/** The Bot API's limit for a message. It counts characters; we count UTF-16 units, which are never fewer. */
export const MAX_TEXT_UNITS = 4096

export type Card = Written & { readonly reply_markup?: Controls }
type Way = Pick<Outbound, 'reply' | 'page' | 'rested'>

/** Stands for the handle of a copy that is not made yet: the text does not hold it. */
const NO_HANDLE = ''

export const shows = (display: Display): boolean => whole(display, NO_HANDLE, '', []) !== null

/** Null for a card that is to be answered here and does not fit: half an approval is not shown. */
export function card(display: Display, { reply, page, rested }: Way): Card | null {
  const rest: Piece[] = rested === undefined ? [] : [`\n\n${restWords(rested)}`]
  if (reply === null) return write([...announcement(display, page), ...rest])
  return whole(display, reply.handle, page.link, rest) ?? whole(display, reply.handle, page.link, [])
}

function whole(display: Display, handle: string, link: string, rest: readonly Piece[]): Card | null {
  const reply_markup = controls(display.reply_schema, handle)
  const written = write([...piecesOf(display, link, !isPrompt(reply_markup)), ...rest])
  const fits = written.text.length <= MAX_TEXT_UNITS
  return fits && !isToldByContent(display) ? { ...written, reply_markup } : null
}

export const isPrompt = (markup: Controls): markup is ForceReply => 'force_reply' in markup

function piecesOf(display: Display, link: string, hasButtons: boolean): Piece[] {
  const { impact } = display
  return [
    ...headOf(display),
    block(display.headline),
    ...(impact === null ? [] : ['\nWhat your answer changes:\n', block(impact)]),
    ...optionsOf(display),
    ...handlesOf(display, link),
    ...untilOf(display),
    '\n',
    code(describeReply(display.reply_schema)),
    hasButtons ? '\nPress a button, or reply to this message.' : '\nReply to this message.',
  ]
}

/** Has no button, and no reply answers it: the page shows all of the request. */
function announcement(display: Display, { link, code: word }: Way['page']): Piece[] {
  return [
    ...headOf(display),
    block(display.headline),
    '\n\nThis cannot be answered here. ',
    linked(word === null ? 'All of it stands on its page' : 'Read all of it and answer on its page', link),
    ...(word === null ? ['.'] : [', which asks for the code ', code(word), '.']),
    ...untilOf(display),
  ]
}

const untilOf = ({ deadline_at, default_action }: Display): Piece[] => [
  `\n\nAnswer by ${toTheMinute(deadline_at)}. Otherwise ${default_action} holds: ${defaultWords(default_action)}.`,
]

function headOf({ type, asked_by, run_id, work_item_id }: Display): Piece[] {
  const item: Piece[] = work_item_id === null ? [] : [', work item ', code(work_item_id)]
  return [bold(typeWord(type)), '\nAsked by ', code(asked_by), ', run ', code(run_id), ...item, '\n\n']
}

/** Options whole, with their recorded values: on a narrow screen a button shows only the beginning of a label. */
const optionsOf = ({ reply_schema: schema }: Display): Piece[] =>
  'options' in schema
    ? ['\n', ...schema.options.flatMap((option, at): Piece[] => ['\n', code(describeOption(option, at))])]
    : []

function handlesOf({ handles }: Display, link: string): Piece[] {
  if (handles.length === 0) return []
  const isStored = handles.some(({ fixed }) => fixed)
  return [
    '\n',
    ...handles.flatMap(handleLine),
    // The link has no code to answer with: this message is answered by buttons and replies alone.
    ...(isStored ? ['\n', linked('What the lane holds of these', link)] : []),
  ]
}

const handleLine = ({ name, handle, fixed }: ShownHandle): Piece[] => [
  '\n',
  ...(name === null ? [] : [code(name), ' ']),
  code(inGroups(handle)),
  ...(fixed ? [] : [' (name only, content not fixed)']),
]

/** Stands in place of the card, or below it if Telegram does not let it be edited. */
export const closedCard = (ending: Ending, { type, headline }: Display): Written =>
  write([bold(typeWord(type)), '\n', block(headline), '\n', ...endingPieces(ending)])
