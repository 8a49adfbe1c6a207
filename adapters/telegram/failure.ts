// What went wrong when the Bot API was called, told apart by what it means for us. The library's own errors carry the
// token in their words and the whole message in their fields: nothing of them goes any further than this file.
import { TelegramError } from 'telegraf'

export type Failure =
  /** During this time the bot is blocked for everything. */
  | { readonly kind: 'limited'; readonly after_ms: number }
  /** Telegram's verdict on the call: it would be the same again. */
  | { readonly kind: 'refused'; readonly why: Why }
  /** The token is not one of a bot; the operator can mend it. */
  | { readonly kind: 'unauthorized' }
  /** Whoever answered could not do it just now. */
  | { readonly kind: 'broken' }
  /** Nothing left us. */
  | { readonly kind: 'unreachable' }
  /** It may have left us, and no verdict came back. */
  | { readonly kind: 'silent' }

type Why = 'blocked' | 'chat_not_found' | 'not_modified' | 'conflict' | 'other'

export type Called<T> =
  | { readonly ok: true; readonly result: T }
  | { readonly ok: false; readonly failure: Failure }

/** A 429 that names no time: Telegram counts in seconds, and one is the shortest it says. */
const USUAL_WAIT_SECONDS = 1
/** The longest a provider is left alone on its word: then it is asked again. */
const LONGEST_WAIT_MS = 3_600_000
const GATEWAY_TIMEOUT = 504

export function readFailure(error: unknown): Failure {
  return error instanceof TelegramError ? verdictOf(error) : troubleOf(error)
}

function verdictOf({ code, description, parameters }: TelegramError): Failure {
  if (code === 429) return { kind: 'limited', after_ms: waitOf(parameters?.retry_after) }
  // A gateway that gave up waiting does not know what became of it.
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
  // Telegram speaks JSON; what does not is something before it, and has taken nothing.
  return type === 'invalid-json' ? { kind: 'broken' } : { kind: 'silent' }
}

/** The stable code of a failure, for the ledger and the log. */
export function codeOf(failure: Failure): string {
  return failure.kind === 'refused' ? `telegram_${failure.why}` : `telegram_${failure.kind}`
}
