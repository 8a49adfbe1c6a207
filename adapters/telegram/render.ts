// Draws a request as one message, and later its outcome in its place. A caller's words stand where Telegram looks for
// nothing: they cannot format, mention, link or command.
import {
  behindMargin,
  besideWords,
  type Display,
  defaultWords,
  describeOption,
  describeReply,
  type Ending,
  inGroups,
  isMissing,
  kindWords,
  LEFT_OUT,
  LIMITS,
  ladderWords,
  lookAlike,
  NOT_HELD,
  type Option,
  type Outbound,
  originWords,
  restWords,
  type ShownHandle,
  sheetOf,
  tellsEnough,
  typeWord,
  wordsOn,
} from '../../src/adapter/index.js'
import { type Controls, controls, type ForceReply } from './keyboard.js'
import { endingPieces, toTheMinute } from './words.js'
import { block, bold, code, linked, type Piece, type Written, write } from './written.js'

export const MAX_TEXT_UNITS = LIMITS.telegram.message ?? 0
/** Telegram styles no more of a message than this; what is not styled could link and mention. */
export const MAX_ENTITIES = 100

export type Card = Written & { readonly reply_markup?: Controls }
type Way = Pick<Outbound, 'reply' | 'page' | 'rested' | 'reminds' | 'beside'>

/** Stands for the handle of a copy that is not made yet: the text does not hold it. */
const NO_HANDLE = ''

export const shows = (display: Display): boolean => whole(display, NO_HANDLE, '', []) !== null

/** Null for a card that is to be answered here and does not fit: half an approval is not shown. */
export function card(display: Display, way: Way): Card | null {
  const { reply, page, rested } = way
  const rest: Piece[] = [
    ...besideWords(display, way),
    ...(rested === undefined ? [] : [restWords(rested)]),
  ].map(words => `\n\n${words}`)
  if (reply === null) return write([...announcement(display, page), ...rest])
  return whole(display, reply.handle, page.link, rest) ?? whole(display, reply.handle, page.link, [])
}

function whole(display: Display, handle: string, link: string, rest: readonly Piece[]): Card | null {
  const reply_markup = controls(display.reply_schema, handle)
  const written = write([...piecesOf(display, link, !isPrompt(reply_markup)), ...rest])
  const fits = written.text.length <= MAX_TEXT_UNITS && written.entities.length <= MAX_ENTITIES
  return fits && tellsEnough(display) ? { ...written, reply_markup } : null
}

export const isPrompt = (markup: Controls): markup is ForceReply => 'force_reply' in markup

function piecesOf(display: Display, link: string, hasButtons: boolean): Piece[] {
  const { impact, why } = display
  return [
    ...headOf(display),
    block(display.headline),
    ...(impact === null ? [] : ['\nWhat your answer changes:\n', block(impact)]),
    ...(why === null ? [] : ['\nWhy, in the caller’s words:\n', block(why)]),
    ...optionsOf(display),
    ...formOf(display),
    ...handlesOf(display, link),
    ...untilOf(display),
    ...stepsOf(display),
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
    linked(
      word === null ? 'Sign in to read all of it and answer' : 'Read all of it and answer on its page',
      link,
    ),
    ...(word === null ? ['.'] : [', which asks for the code ', code(word), '.']),
    ...untilOf(display),
  ]
}

const untilOf = ({ deadline_at, default_action }: Display): Piece[] => [
  `\n\nAnswer by ${toTheMinute(deadline_at)}. Otherwise ${default_action} holds: ${defaultWords(default_action)}.`,
]

const stepsOf = (display: Display): Piece[] => {
  const steps = ladderWords(display)
  return steps.length === 0 ? [] : ['\nWhile nobody answers:', ...steps.map(step => `\n– ${step}`)]
}

function headOf(display: Display): Piece[] {
  const { asked_by, run_id, work_item_id, origin } = display
  const item: Piece[] = work_item_id === null ? [] : [', work item ', code(work_item_id)]
  const made: Piece[] = origin === null ? [] : [originWords(origin), code(origin.ref)]
  const asker = ['\nAsked by ', code(asked_by), ', run ', code(run_id)]
  return [bold(kindWords(display)), ...asker, ...item, ...made, '\n\n']
}

/** Options whole, with their recorded values: on a narrow screen a button shows only the beginning of a label. */
const optionsOf = ({ reply_schema: schema }: Display): Piece[] =>
  'options' in schema ? ['\n', ...schema.options.flatMap(optionLine)] : []

/** One block for each decision: it looks for nothing, and a message has only so many of them. */
const formOf = ({ reply_schema: schema }: Display): Piece[] =>
  schema.kind === 'form' ? sheetOf(schema).flatMap((lines): Piece[] => ['\n', block(lines.join('\n'))]) : []

function optionLine(option: Option, at: number): Piece[] {
  const mark = lookAlike(option.label)
  return ['\n', code(describeOption(option, at)), ...(mark === null ? [] : [` (${mark})`])]
}

function handlesOf(display: Display, link: string): Piece[] {
  const { handles } = display
  if (handles.length === 0) return []
  const isStored = handles.some(({ fixed }) => fixed)
  return [
    '\n',
    ...handles.flatMap(shown => [...handleLine(display, shown), ...passagesOf(display, shown)]),
    // The link has no code to answer with: this message is answered by buttons and replies alone.
    ...(isStored ? ['\n', linked('What the lane holds of these', link)] : []),
  ]
}

function handleLine(display: Display, shown: ShownHandle): Piece[] {
  const { name, handle, fixed } = shown
  const exhibit = display.exhibits.get(handle)
  return [
    '\n',
    ...(name === null ? [] : [code(name), ' ']),
    code(inGroups(handle)),
    ...(fixed ? [] : [' (name only, content not fixed)']),
    ...(exhibit === undefined ? [] : [` (${wordsOn(exhibit)})`]),
    ...(isMissing(display, shown) ? [` (${NOT_HELD})`] : []),
  ]
}

/** The caller's content, each line behind the margin. */
const passagesOf = ({ exhibits }: Display, { handle }: ShownHandle): Piece[] =>
  (exhibits.get(handle)?.parts ?? []).flatMap((lines, at): Piece[] => [
    at === 0 ? '\n' : `\n${LEFT_OUT}\n`,
    block(behindMargin(lines)),
  ])

/** Stands in place of the card, or below it if Telegram does not let it be edited. */
export const closedCard = (ending: Ending, { type, headline }: Display): Written =>
  write([bold(typeWord(type)), '\n', block(headline), '\n', ...endingPieces(ending)])
