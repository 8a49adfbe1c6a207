// Puts a card into a person's private chat with the bot, and edits it to its outcome. The reference of a copy is its
// chat and message: replies are bound by it, and the card is edited by it.
import {
  type Display,
  type Ending,
  type Outbound,
  pause,
  type Sent,
  TOO_LONG_HERE,
} from '../../src/adapter/index.js'
import type { BotApi } from './bot-api.js'
import { readRef, refOf } from './copy.js'
import { type Called, codeOf, type Failure } from './failure.js'
import { controls } from './keyboard.js'
import { LONGEST_WAIT_MS, type Pace } from './pace.js'
import { card, closedCard, isPrompt, shows } from './render.js'

/** A send has ten seconds; the rest is the lane's. */
const SEND_MS = 9_500
/** Closing has ten seconds too, and one repetition must fit. */
const LONGEST_CLOSE_WAIT_MS = 3_000

type Post = { readonly api: BotApi; readonly pace: Pace }

/** A private chat has the id of the person in it. */
const chatOf = (address: unknown): number | null =>
  typeof address === 'number' && Number.isSafeInteger(address) && address > 0 ? address : null

export async function send({ api, pace }: Post, display: Display, outbound: Outbound): Promise<Sent> {
  const chat = chatOf(outbound.address)
  const shown = card(display, outbound)
  if (chat === null) return { kind: 'failed', code: 'telegram_address_unusable', retryable: false }
  if (shown === null) return TOO_LONG_HERE
  const now = Date.parse(outbound.at)
  const wait = pace.turn(outbound.delivery_id, chat, now)
  if (wait > LONGEST_WAIT_MS) {
    return { kind: 'failed', code: 'telegram_paced', retryable: true, retry_after_ms: wait }
  }
  await pause(wait)
  const called = await api.sendMessage(chat, { ...shown, ...inThread(outbound) }, SEND_MS - wait)
  if (called.ok) return { kind: 'sent', ref: refOf({ chat, message: called.result.message_id }) }
  if (called.failure.kind === 'limited') pace.hold(now + wait, called.failure.after_ms)
  return sentOf(called.failure)
}

/** A reminder answers the card that it reminds of. */
const inThread = ({ reminds }: Outbound): { readonly reply_to?: number } =>
  reminds?.ref == null ? {} : { reply_to: readRef(reminds.ref).message }

function sentOf(failure: Failure): Sent {
  const code = codeOf(failure)
  switch (failure.kind) {
    case 'limited':
      return { kind: 'failed', code, retryable: true, retry_after_ms: failure.after_ms }
    case 'refused':
      return { kind: 'failed', code, retryable: false }
    case 'unauthorized':
    case 'broken':
    case 'unreachable':
      return { kind: 'failed', code, retryable: true }
    case 'silent':
      return { kind: 'uncertain' }
  }
}

/** A card that prompts for a reply cannot be edited (Bot API, "Updating messages"): its outcome is shown below it. */
export async function close({ api }: Post, ref: string, ending: Ending, display: Display): Promise<void> {
  const { chat, message } = readRef(ref)
  const written = closedCard(ending, display)
  const prompts = shows(display) && isPrompt(controls(display.reply_schema, ''))
  const edit = (): Promise<Called<unknown>> =>
    prompts
      ? api.sendMessage(chat, { ...written, reply_to: message, silent: true })
      : api.editMessageText(chat, message, written)
  const first = await edit()
  const called = isShortWait(first) ? await pause(first.failure.after_ms).then(edit) : first
  if (called.ok || isDone(called.failure)) return
  throw new Error(`the copy could not be closed: ${codeOf(called.failure)}`)
}

type Limited = { readonly ok: false; readonly failure: Extract<Failure, { kind: 'limited' }> }
const isShortWait = (called: Called<unknown>): called is Limited =>
  !called.ok && called.failure.kind === 'limited' && called.failure.after_ms <= LONGEST_CLOSE_WAIT_MS

/** The card already shows its outcome. */
const isDone = (failure: Failure): boolean => failure.kind === 'refused' && failure.why === 'not_modified'
