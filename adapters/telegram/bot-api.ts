// The Bot API as this adapter uses it: a small port over telegraf's client. Only telegraf's client is used: its own
// polling confirms an update on which a handler threw, its webhook server reads bodies of any size and splits
// characters, and `webhookReply` would send our calls as the answer to a webhook, where their results are lost.
//
// TB1  Every call ends within its own patience and returns a value; nothing of the library's errors comes out.
// TB2  Messages are sent without parse_mode, without previews, and cannot be forwarded.
import { Telegram } from 'telegraf'
import { type Called, readFailure } from './failure.js'
import type { Controls, Keyboard } from './keyboard.js'
import type { Written } from './written.js'

export const TELEGRAM = 'https://api.telegram.org'

/** Neither a person nor a webhook's sender waits longer. */
const PATIENCE_MS = 5_000
/** Telegram holds a request for updates open this long when there are none. */
const POLL_SECONDS = 25
const POLL_PATIENCE_MS = (POLL_SECONDS + 15) * 1000
/** The most the Bot API gives at once. */
const POLL_LIMIT = 100
/** Leaving edits out means that an edited message never changes an answer. */
const UPDATES = ['message', 'callback_query', 'my_chat_member'] as const

type Outgoing = Written & {
  readonly reply_markup?: Controls
  /** The message it is shown below. */
  readonly reply_to?: number
  readonly silent?: boolean
}
type WebhookInfo = {
  readonly url: string
  readonly pending_update_count: number
  readonly last_error_message?: string
}

export interface BotApi {
  getMe(): Promise<Called<{ readonly username: string }>>
  sendMessage(
    chat: number,
    message: Outgoing,
    patience_ms?: number,
  ): Promise<Called<{ readonly message_id: number }>>
  editMessageText(chat: number, message: number, written: Written): Promise<Called<unknown>>
  editMessageReplyMarkup(chat: number, message: number, keyboard: Keyboard): Promise<Called<unknown>>
  answerCallbackQuery(query: string, text: string, alert: boolean): Promise<Called<unknown>>
  /** Updates from `offset` on; the request confirms everything before it. Ends early when `stopping` is aborted. */
  getUpdates(offset: number | null, stopping: AbortSignal): Promise<Called<readonly unknown[]>>
  setWebhook(url: string, secret: string): Promise<Called<unknown>>
  /** Waiting updates stay. */
  deleteWebhook(): Promise<Called<unknown>>
  getWebhookInfo(): Promise<Called<WebhookInfo>>
}

const QUIET = { link_preview_options: { is_disabled: true } } as const

export function botApi(token: string, apiRoot: string): BotApi {
  const telegram = new Telegram(token, { apiRoot: `${apiRoot}/`, webhookReply: false })
  type Method = Parameters<Telegram['callApi']>[0]
  async function call<T>(
    method: Method,
    payload: object,
    patience = PATIENCE_MS,
    stopping?: AbortSignal,
  ): Promise<Called<T>> {
    const late = AbortSignal.timeout(patience)
    const signal = stopping === undefined ? late : AbortSignal.any([late, stopping])
    try {
      // The library's types know the fields of early 2024 and another AbortSignal.
      const result = await telegram.callApi(method, payload as never, { signal: signal as never })
      return { ok: true, result: result as T }
    } catch (error) {
      return { ok: false, failure: readFailure(error) }
    }
  }

  return {
    getMe: () => call('getMe', {}),
    sendMessage: (chat_id, { text, entities, reply_markup, reply_to, silent }, patience) =>
      call(
        'sendMessage',
        {
          chat_id,
          text,
          entities,
          ...QUIET,
          protect_content: true,
          ...(silent && { disable_notification: true }),
          ...(reply_markup && { reply_markup }),
          ...(reply_to !== undefined && {
            reply_parameters: { message_id: reply_to, allow_sending_without_reply: true },
          }),
        },
        patience,
      ),
    editMessageText: (chat_id, message_id, { text, entities }) =>
      call('editMessageText', { chat_id, message_id, text, entities, ...QUIET }),
    editMessageReplyMarkup: (chat_id, message_id, reply_markup) =>
      call('editMessageReplyMarkup', { chat_id, message_id, reply_markup }),
    answerCallbackQuery: (callback_query_id, text, show_alert) =>
      call('answerCallbackQuery', { callback_query_id, text, show_alert }),
    getUpdates: (offset, stopping) =>
      call(
        'getUpdates',
        {
          ...(offset !== null && { offset }),
          limit: POLL_LIMIT,
          timeout: POLL_SECONDS,
          allowed_updates: UPDATES,
        },
        POLL_PATIENCE_MS,
        stopping,
      ),
    setWebhook: (url, secret_token) => call('setWebhook', { url, secret_token, allowed_updates: UPDATES }),
    deleteWebhook: () => call('deleteWebhook', {}),
    getWebhookInfo: () => call('getWebhookInfo', {}),
  }
}
