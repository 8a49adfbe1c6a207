// The card, pure: one message per request and person, with its controls while it is open and its ending afterwards.

import type { types } from '@slack/bolt'
import {
  type Display,
  describeReply,
  type Ending,
  inGroups,
  isToldByContent,
  letterOf,
  type Option,
  type Outbound,
  restWords,
  typeWord,
} from '../../src/adapter/index.js'
import { announcement, asked, handles, options, rich, stamp, title, until } from './document.js'
import { line, notification, plain, visible, words } from './inert.js'
import { endingLine, endingText } from './words.js'

type Block = types.KnownBlock

export type Card = { readonly text: string; readonly blocks: Block[] }

/** The facts a person's card needs beside the display. */
export type ReplyWay = Pick<Outbound, 'reply' | 'page' | 'rested'> & {
  /** Set for a card in a channel, which must say who is asked. */
  readonly mention: string | null
}

/** Begins the id of an option's button; the option's words follow. */
export const OPTION = 'lane:option:'
export const FORM = 'lane:form'
const BUTTONS = 'lane:buttons'

/** More buttons would wrap and hide each other on a phone; the form lists longer sets. */
const MAX_BUTTONS = 5
/** Slack's limit for a button and for an option is 75, counted in a way it does not publish: a margin of 5 %. */
const FACE_UNITS = 71
/** A notification is read on a lock screen. */
const NOTIFICATION_UNITS = 1_000

export function card(display: Display, { reply, page, rested, mention }: ReplyWay): Card {
  return {
    text: notification(`${typeWord(display.type)}: ${display.headline}`, NOTIFICATION_UNITS),
    blocks: [
      title(display),
      ...(mention === null ? [] : [addressed(mention)]),
      ...(reply === null ? announced(display, page) : whole(display, reply.handle, page.link)),
      // Others in a channel need not know it.
      ...(rested === undefined || mention !== null ? [] : [rich(line(words(restWords(rested))))]),
    ],
  }
}

const whole = (display: Display, handle: string, link: string): Block[] => [
  asked(display),
  ...handles(display, link),
  ...options(display.reply_schema),
  until(display),
  stamp(display),
  { type: 'actions', block_id: BUTTONS, elements: buttons(display, handle) },
  { type: 'context', elements: [plain(howTo(display))] },
]

/** Has no button, and no reply answers it: the page shows all of the request. */
const announced = (display: Display, page: ReplyWay['page']): Block[] => [
  announcement(display, page),
  until(display),
  stamp(display),
]

/** Slack publishes no limit for rich text; this is its limit for a message's markdown, and no other is lower. */
const CARD_UNITS = 12_000
const NOWHERE = 'https://lane.example.org/'

export const shows = (display: Display): boolean =>
  !isToldByContent(display) && unitsOf(whole(display, '', NOWHERE)) <= CARD_UNITS

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
  if (schema.kind === 'yes_no') return [press('YES', 'YES'), press('NO', 'NO')]
  if (schema.kind === 'choice' && schema.options.length <= MAX_BUTTONS)
    return schema.options.map((option, at) => press(option.value, faceOf(option, at)))
  return [{ type: 'button', action_id: FORM, value: handle, text: plain('Answer') }]
}

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
