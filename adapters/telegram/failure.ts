// Failures of a call to the Bot API, told apart by their meaning for us. The library's own errors carry the token in
// their words and the whole message in their fields: nothing of them leaves this file.
import { TelegramError } from 'telegraf'

export type Failure =
  /** Telegram blocks the bot for everything during this time. */
  | { readonly kind: 'limited'; readonly after_ms: number }
  /** Telegram's verdict on the call, which would be the same again. */
  | { readonly kind: 'refused'; readonly why: Why }
  /** The token is no bot's; the operator can mend it. */
  | { readonly kind: 'unauthorized' }
  /** Telegram, or something before it, could not do it just now. */
  | { readonly kind: 'broken' }
  /** Nothing left us. */
  | { readonly kind: 'unreachable' }
  /** The call may have left us, and no verdict came back. */
  | { readonly kind: 'silent' }

type Why = 'blocked' | 'chat_not_found' | 'not_modified' | 'conflict' | 'other'

export type Called<T> =
  | { readonly ok: true; readonly result: T }
  | { readonly ok: false; readonly failure: Failure }

/** A 429 that names no time: Telegram counts in seconds, and one is the shortest it says. */
const USUAL_WAIT_SECONDS = 1
/** The longest wait that a provider can ask for. */
const LONGEST_WAIT_MS = 3_600_000
const GATEWAY_TIMEOUT = 504

export function readFailure(error: unknown): Failure {
  return error instanceof TelegramError ? verdictOf(error) : troubleOf(error)
}

function verdictOf({ code, description, parameters }: TelegramError): Failure {
  if (code === 429) return { kind: 'limited', after_ms: waitOf(parameters?.retry_after) }
  // A gateway that gave up waiting does not know the call's fate.
  if (code === GATEWAY_TIMEOUT) return { kind: 'silent' }
  if (code >= 500) return { kind: 'broken' }
  // A token with a wrong form is not found, one with a wrong secret is unauthorized.
  if (code === 401 || code === 404) return { kind: 'unauthorized' }
  return { kind: 'refused', why: whyOf(code, description ?? '') }
}

function waitOf(said: unknown): number {
  const seconds = typeof said === 'number' && said > 0 ? said : USUAL_WAIT_SECONDS
  return Math.min(seconds * 1000, LONGEST_WAIT_MS)
}

function whyOf(code: number, description: string): Why {
  if (code === 403) return 'blocked'
  if (code === 409) return 'conflict'
  if (/chat not found|PEER_ID_INVALID|user not found/i.test(description)) return 'chat_not_found'
  if (/message is not modified/i.test(description)) return 'not_modified'
  return 'other'
}

/** No connection was made, or it was not believed: the call cannot have arrived. */
const NEVER_LEFT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_.*|ERR_TLS_.*|UNABLE_TO_.*|.*SELF_SIGNED.*)$/

function troubleOf(error: unknown): Failure {
  const { code, type } = Object(error) as { code?: unknown; type?: unknown }
  if (NEVER_LEFT.test(String(code))) return { kind: 'unreachable' }
  // Telegram speaks JSON; another answer comes from something before it, which has taken nothing.
  return type === 'invalid-json' ? { kind: 'broken' } : { kind: 'silent' }
}

/** The stable code of a failure, for the ledger and the log. */
export function codeOf(failure: Failure): string {
  return failure.kind === 'refused' ? `telegram_${failure.why}` : `telegram_${failure.kind}`
}
