// Draws a request as one message, and later its outcome in its place. Whatever a caller wrote stands where Telegram
// looks for nothing: it cannot format, mention, link or command.
import {
  type Display,
  defaultWords,
  describeAnswer,
  type Outcome,
  type ShownHandle,
  typeWord,
} from '../../src/adapter.js'
import { type Controls, controls, type ForceReply } from './keyboard.js'
import { outcomeWords, toTheMinute } from './words.js'
import { block, bold, code, linked, type Piece, type Written, write } from './written.js'

/** The Bot API's limit for a message. It counts characters; we count UTF-16 units, which are never fewer. */
export const MAX_TEXT_UNITS = 4096

export type Card = Written & { readonly reply_markup: Controls }

/** Null where it does not fit: half an approval is not shown. */
export function card(display: Display, handle: string, link: string): Card | null {
  const reply_markup = controls(display.reply_schema, handle)
  const most = display.handles.length
  for (let shown = most; shown >= leastOf(display); shown--) {
    const written = write(piecesOf(display, display.handles.slice(0, shown), link, !isPrompt(reply_markup)))
    if (written.text.length <= MAX_TEXT_UNITS) return { ...written, reply_markup }
  }
  return null
}

/** What is approved is named whole; what a question or a review points to can be looked up on its page. */
const leastOf = ({ type, handles }: Display): number => (type === 'REQUEST_APPROVAL' ? handles.length : 0)

export const isPrompt = (markup: Controls): markup is ForceReply => 'force_reply' in markup

function piecesOf(
  display: Display,
  handles: readonly ShownHandle[],
  link: string,
  hasButtons: boolean,
): Piece[] {
  const { impact, default_action } = display
  return [
    ...headOf(display),
    block(display.headline),
    ...(impact === null ? [] : ['\nWhat your answer changes:\n', block(impact)]),
    ...handlesOf(display, handles, link),
    `\n\nAnswer by ${toTheMinute(display.deadline_at)}. Otherwise ${default_action} holds: ${defaultWords(default_action)}.\n`,
    code(describeAnswer(display.reply_schema)),
    hasButtons ? '\nPress a button, or reply to this message.' : '\nReply to this message.',
  ]
}

function headOf({ type, asked_by, run_id, work_item_id }: Display): Piece[] {
  const item: Piece[] = work_item_id === null ? [] : [', work item ', code(work_item_id)]
  return [bold(typeWord(type)), '\nAsked by ', code(asked_by), ', run ', code(run_id), ...item, '\n\n']
}

function handlesOf(display: Display, handles: readonly ShownHandle[], link: string): Piece[] {
  const left = display.handles.length - handles.length
  const isStored = display.handles.some(({ fixed }) => fixed)
  return [
    ...(display.handles.length === 0 ? [] : ['\n']),
    ...handles.flatMap(handleLine),
    ...(left === 0 ? [] : [`\n… and ${left} more`]),
    // Without the code that a link is answered with: this message answers by buttons and replies alone.
    ...(isStored ? ['\n', linked('What the lane holds of these', link)] : []),
  ]
}

const handleLine = ({ name, handle, fixed }: ShownHandle): Piece[] => [
  '\n',
  ...(name === null ? [] : [code(name), ' ']),
  code(handle),
  ...(fixed ? [] : [' (name only, content not fixed)']),
]

/** What stands in place of the card, or below it where Telegram does not let it be edited. */
export const ending = (outcome: Outcome, { type, headline }: Display): Written =>
  write([bold(typeWord(type)), '\n', block(headline), '\n', ...outcomeWords(outcome)])
