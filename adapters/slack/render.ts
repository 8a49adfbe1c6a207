// The card, pure: one message per request and person, with its controls while it is open and its ending afterwards.

import type { types } from '@slack/bolt'
import {
  besideWords,
  type Display,
  describeReply,
  type Ending,
  inGroups,
  kindWords,
  LIMITS,
  letterOf,
  type Option,
  type Outbound,
  type ReplySchema,
  restWords,
  sheetOf,
  tellsEnough,
  typeWord,
} from '../../src/adapter/index.js'
import { announcement, asked, handles, options, rich, stamp, steps, title, until } from './document.js'
import { line, notification, plain, visible, words } from './inert.js'
import { endingLine, endingText } from './words.js'

type Block = types.KnownBlock

export type Card = { readonly text: string; readonly blocks: Block[] }

/** The facts a person's card needs beside the display. */
export type ReplyWay = Pick<Outbound, 'reply' | 'page' | 'rested' | 'reminds' | 'beside'> & {
  /** Set for a card in a channel, which must say who is asked. */
  readonly mention: string | null
}

/** Begins the id of an option's button; the option's words follow. */
export const OPTION = 'lane:option:'
export const FORM = 'lane:form'
export const HAND = 'lane:hand'
const BUTTONS = 'lane:buttons'

/** More buttons would wrap and hide each other on a phone; the form lists longer sets. */
const MAX_BUTTONS = 5
/** Slack's limit for a button and for an option is 75, counted in a way it does not publish: a margin of 5 %. */
const FACE_UNITS = 71
/** A notification is read on a lock screen. */
const NOTIFICATION_UNITS = 1_000

export function card(display: Display, way: ReplyWay): Card {
  const { reply, page, rested, mention, reminds } = way
  const kind = reminds === undefined ? kindWords(display) : `Reminder, ${kindWords(display)}`
  const told = besideWords(display, way)
  return {
    text: notification(`${kind}: ${display.headline}`, NOTIFICATION_UNITS),
    blocks: [
      title(display),
      ...(mention === null ? [] : [addressed(mention)]),
      ...(reply === null ? announced(display, page) : whole(display, reply.handle, page.link, canHand(way))),
      ...(told.length === 0 ? [] : [rich(...told.map(sentence => line(words(sentence))))]),
      // Others in a channel need not know it.
      ...(rested === undefined || mention !== null ? [] : [rich(line(words(restWords(rested))))]),
    ],
  }
}

const canHand = ({ beside }: ReplyWay): boolean => beside !== undefined && beside.delegates.length > 0

const whole = (display: Display, handle: string, link: string, hands: boolean): Block[] => [
  asked(display),
  ...handles(display, link),
  ...options(display.reply_schema),
  ...sheet(display.reply_schema),
  until(display),
  ...steps(display),
  stamp(display),
  {
    type: 'actions',
    block_id: BUTTONS,
    elements: [...buttons(display, handle), ...(hands ? [handOn(handle)] : [])],
  },
  { type: 'context', elements: [plain(howTo(display))] },
]

/** Every decision of a form, so that a line in the thread can answer it too. */
const sheet = (schema: ReplySchema): Block[] =>
  schema.kind === 'form' ? sheetOf(schema).map(lines => rich(...lines.map(text => line(words(text))))) : []

/** Has no button, and no reply answers it: the page shows all of the request. */
const announced = (display: Display, page: ReplyWay['page']): Block[] => [
  announcement(display, page),
  until(display),
  stamp(display),
]

/** Slack takes fifty in a message; the title, whom it is for and a rest stand beside these. */
const MAX_BLOCKS = 46
const CARD_UNITS = LIMITS.slack.message ?? 0
const NOWHERE = 'https://lane.example.org/'

export function shows(display: Display): boolean {
  const blocks = whole(display, '', NOWHERE, true)
  return tellsEnough(display) && blocks.length <= MAX_BLOCKS && unitsOf(blocks) <= CARD_UNITS
}

/** The units of all text in it. */
function unitsOf(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0
  const own = 'text' in part && typeof part.text === 'string' ? part.text.length : 0
  return Object.values(part).reduce((sum: number, inner) => sum + unitsOf(inner), own)
}

const addressed = (user_id: string): Block =>
  rich(line(words('For '), { type: 'user', user_id }, words(', who alone can answer.')))

export function closedCard(display: Display, ending: Ending): Card {
  return {
    text: notification(`${typeWord(display.type)}, settled: ${endingText(ending)}`, NOTIFICATION_UNITS),
    blocks: [
      title(display),
      asked(display),
      ...handles(display, null),
      rich(endingLine(ending)),
      stamp(display),
    ],
  }
}

function buttons(display: Display, handle: string): types.Button[] {
  const schema = display.reply_schema
  const press = (value: string, text: string): types.Button => ({
    type: 'button',
    action_id: `${OPTION}${value}`,
    value: handle,
    text: plain(text),
    ...(display.type === 'REQUEST_APPROVAL' && { confirm: confirmation(display, text) }),
  })
  const form = (text: string): types.Button => ({
    type: 'button',
    action_id: FORM,
    value: handle,
    text: plain(text),
  })
  // A reason has a field of its own, in the form; a NO that needs one is given there alone, and so is the YES beside it.
  const reason = 'reason' in schema ? schema.reason : undefined
  const besides = reason === undefined ? [] : [form('Answer with a reason')]
  if (schema.kind === 'yes_no' && reason?.when !== 'on_no')
    return [press('YES', 'YES'), press('NO', 'NO'), ...besides]
  if (schema.kind === 'choice' && schema.options.length <= MAX_BUTTONS)
    return [...schema.options.map((option, at) => press(option.value, faceOf(option, at))), ...besides]
  return [form('Answer')]
}

/** Opens the list of those to whom it can be handed then. */
const handOn = (handle: string): types.Button => ({
  type: 'button',
  action_id: HAND,
  value: handle,
  text: plain('Hand it on'),
})

/** A label that does not fit is not cut: it stands whole in the list of the options, under the same letter. */
export function faceOf({ label }: Option, at: number): string {
  const face = `${letterOf(at)} · ${label}`
  return visible(face).length <= FACE_UNITS ? face : letterOf(at)
}

/** A speed bump, not a control: the dialog names the action and the request once more. */
function confirmation(display: Display, answer: string): types.ConfirmationDialog {
  const what = `${display.headline}: ${answer}. Request ${inGroups(display.request_hash)}. An answer is final.`
  return {
    title: plain(`Answer ${answer}?`),
    text: plain(what),
    confirm: plain('Yes, send it'),
    deny: plain('Back'),
  }
}

const howTo = ({ reply_schema }: Display): string =>
  `Or reply in this message’s thread. ${describeReply(reply_schema)}`
