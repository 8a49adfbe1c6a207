// The meaning of an update to the lane. Pure and total: every update, from Telegram or forged, has one meaning here,
// and most mean nothing. The speaker is `from.id`, and only in the private chat with that id: a group, a channel, an
// anonymous admin, a forwarded, edited or inline message vouches for nobody.
import type { Binding, Inbound } from '../../src/adapter/index.js'
import { refOf, type Spot } from './copy.js'
import { readPress } from './keyboard.js'

export type Meaning =
  | { readonly kind: 'pressed'; readonly query: string; readonly inbound: Inbound }
  /** Options were ticked on a card: it is drawn anew, and nothing more. */
  | { readonly kind: 'picked'; readonly query: string; readonly ticked: Ticked; readonly inbound: Inbound }
  | { readonly kind: 'replied'; readonly spot: Spot; readonly inbound: Inbound }
  | { readonly kind: 'started'; readonly chat: number; readonly code: string | null }
  /** The person has blocked the bot: copies in their chat no longer stand. */
  | { readonly kind: 'blocked'; readonly user: number }
  /** Words in a private chat that belong to no card. */
  | { readonly kind: 'chatter'; readonly chat: number }
  | { readonly kind: 'nothing' }

type Ticked = { readonly handle: string; readonly picks: number; readonly spot: Spot | null }

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
const id = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null
const words = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Update and query ids belong to one bot: after a change of bots they begin anew. */
export type Bot = { readonly id: string }

export const updateIdOf = (update: unknown): number | null => id(fields(update)?.update_id)

export function meaningOf(update: unknown, bot: Bot): Meaning {
  const { callback_query, message, edited_message, my_chat_member } = fields(update) ?? {}
  const query = fields(callback_query)
  if (query !== null) return pressOf(query, bot)
  const said = fields(message) ?? fields(edited_message)
  if (said !== null) return wordsOf(said, `${bot.id}/${updateIdOf(update)}`, fields(message) !== null)
  const member = fields(my_chat_member)
  return member === null ? { kind: 'nothing' } : membershipOf(member)
}

type Said = { readonly binding: Binding; readonly text: string }

function inboundOf(
  from: Fields | null,
  said: Said,
  provider_message_id: string,
  authenticated: boolean,
): Inbound {
  const sender = id(from?.id)
  return {
    channel: 'telegram',
    provider_message_id,
    ...(sender !== null && { sender }),
    proof: 'telegram_id',
    authenticated,
    ...said,
    automated: from?.is_bot === true,
  }
}

function pressOf(query: Fields, bot: Bot): Meaning {
  const from = fields(query.from)
  const spot = spotOf(fields(query.message))
  const pressed = readPress(words(query.data))
  const binding = { kind: 'handle', handle: pressed.handle } as const
  const text = pressed.kind === 'said' ? pressed.text : ''
  const vouched = isPrivateWith(from, fields(query.message))
  const inbound = inboundOf(from, { binding, text }, `${bot.id}/c${words(query.id)}`, vouched)
  const about = { query: words(query.id), inbound }
  if (pressed.kind === 'said') return { kind: 'pressed', ...about }
  return { kind: 'picked', ...about, ticked: { handle: pressed.handle, picks: pressed.picks, spot } }
}

/** Traces of another person's words, or of words that were changed. */
const SECOND_HAND = [
  'sender_chat',
  'forward_origin',
  'forward_from',
  'forward_from_chat',
  'forward_sender_name',
  'forward_date',
  'is_automatic_forward',
  'via_bot',
  'edit_date',
  'external_reply',
  'business_connection_id',
  'sender_business_bot',
] as const

function wordsOf(message: Fields, messageId: string, isNew: boolean): Meaning {
  const from = fields(message.from)
  const spot = spotOf(message)
  const vouched =
    isNew && isPrivateWith(from, message) && SECOND_HAND.every(trace => message[trace] === undefined)
  const card = spotOf({ chat: message.chat, message_id: fields(message.reply_to_message)?.message_id })
  if (card !== null && spot !== null) {
    const facts = {
      binding: { kind: 'ref', ref: refOf(card) },
      text: words(message.text),
    } as const
    const inbound = inboundOf(from, facts, messageId, vouched)
    // Telegram sent it by itself: as the greeting or the absence of an account, or at a time set before.
    const isUnattended = message.is_from_offline === true
    return { kind: 'replied', spot, inbound: isUnattended ? { ...inbound, automated: true } : inbound }
  }
  if (!vouched || spot === null || from?.is_bot === true) return { kind: 'nothing' }
  return startOf(words(message.text), spot.chat) ?? { kind: 'chatter', chat: spot.chat }
}

/** A deep link's /start, and its payload of at most 64 of these characters. */
const START = /^\/start(?:@[A-Za-z0-9_]+)?(?: ([A-Za-z0-9_-]{1,64}))?$/

function startOf(text: string, chat: number): Meaning | null {
  const start = START.exec(text)
  return start === null ? null : { kind: 'started', chat, code: start[1] ?? null }
}

function membershipOf(member: Fields): Meaning {
  const from = fields(member.from)
  const user = id(from?.id)
  const status = fields(member.new_chat_member)?.status
  if (user === null || status !== 'kicked' || !isPrivateWith(from, member)) return { kind: 'nothing' }
  return { kind: 'blocked', user }
}

function isPrivateWith(from: Fields | null, holder: Fields | null): boolean {
  const chat = fields(holder?.chat)
  return id(from?.id) !== null && chat?.type === 'private' && id(chat.id) === id(from?.id)
}

function spotOf(message: Fields | null): Spot | null {
  const chat = id(fields(message?.chat)?.id)
  const number = id(message?.message_id)
  return chat === null || number === null ? null : { chat, message: number }
}
