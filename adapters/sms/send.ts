// One POST, without an idempotency key: the provider has none. So a refusal is repeated, and silence is not: a
// message that may have left stands as uncertain, and its status callback tells its fate later.
import { type Display, type Outbound, reasonOf, type Sent, TOO_LONG_HERE } from '../../src/adapter/index.js'
import { type Account, isPool } from './account.js'
import { call } from './call.js'
import { render } from './render.js'

/** Shorter than the lane waits for a send, so that this file gives the verdict. */
const ANSWER_WITHIN_MS = 8_000
/** The longest a provider keeps a message for a phone that is off. */
const LONGEST_VALIDITY_SECONDS = 14_400
/** The longest wait that a provider can ask for. */
const LONGEST_WAIT_MS = 3_600_000

export async function send(
  account: Account,
  hookUrl: string,
  display: Display,
  outbound: Outbound,
  patience: number = ANSWER_WITHIN_MS,
): Promise<Sent> {
  const body = render(display, outbound)
  if (body === null) return TOO_LONG_HERE
  try {
    const form = formOf(account, hookUrl, body, display, outbound)
    const { status, retryAfter, body: answer } = await call(account, '/Messages.json', patience, form)
    return status >= 200 && status <= 299 ? taken(answer) : refused(status, retryAfter, numberOf(answer))
  } catch (error) {
    return lost(error)
  }
}

function formOf(
  account: Account,
  hookUrl: string,
  body: string,
  display: Display,
  { address, reply, page, at }: Outbound,
): URLSearchParams {
  const left = Math.floor((Date.parse(display.deadline_at) - Date.parse(at)) / 1000)
  return new URLSearchParams({
    To: String(address),
    [isPool(account.from) ? 'MessagingServiceSid' : 'From']: account.from,
    Body: body,
    // Names a handle of the copy, because a report may arrive before the answer to this call.
    StatusCallback: `${hookUrl}?handle=${reply?.handle ?? handleIn(page.link)}`,
    // A question that comes after its deadline only confuses.
    ValidityPeriod: String(Math.min(Math.max(left, 1), LONGEST_VALIDITY_SECONDS)),
  })
}

/** An announcement has only the page's handle, with which its link ends. */
const handleIn = (link: string): string => link.slice(link.lastIndexOf('/') + 1)

const fieldOf = (answer: unknown, name: string): unknown => Object(answer)[name]
const numberOf = (answer: unknown): number | null => {
  const code = fieldOf(answer, 'code')
  return typeof code === 'number' && Number.isInteger(code) ? code : null
}

function taken(answer: unknown): Sent {
  const sid = fieldOf(answer, 'sid')
  return typeof sid === 'string' ? { kind: 'sent', ref: sid } : { kind: 'uncertain' }
}

/** The provider's final refusals, in our words. */
const FINAL: Readonly<Record<number, string>> = {
  21211: 'invalid_number',
  21214: 'invalid_number',
  21217: 'invalid_number',
  21408: 'region_not_allowed',
  21606: 'sender_refused',
  21610: 'opted_out',
  21612: 'unreachable_number',
  21614: 'invalid_number',
}
const TOO_MANY = 20_429

function refused(status: number, retryAfter: string, code: number | null): Sent {
  const again = (name: string): Sent => ({
    kind: 'failed',
    code: name,
    retryable: true,
    ...waitOf(retryAfter),
  })
  if (status === 429 || code === TOO_MANY) return again('rate_limited')
  if (status >= 500) return again('provider_unavailable')
  // An operator who corrects the token should not have to ask again.
  if (status === 401 || status === 403) return again('unauthorized')
  if (status < 400) return again('unexpected_answer')
  const name = code === null ? `refused_http_${status}` : (FINAL[code] ?? `refused_${code}`)
  return { kind: 'failed', code: name, retryable: false }
}

function waitOf(seconds: string): { readonly retry_after_ms?: number } {
  if (!/^[0-9]{1,9}$/.test(seconds)) return {}
  return { retry_after_ms: Math.min(Number(seconds) * 1000, LONGEST_WAIT_MS) }
}

/** Errors from before the first byte left: nobody has the message. */
const NOTHING_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*)$/

function lost(error: unknown): Sent {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = String(fieldOf(cause, 'code') ?? reasonOf(cause))
  if (NOTHING_LEFT.test(code)) return { kind: 'failed', code: 'provider_unreachable', retryable: true }
  return { kind: 'uncertain' }
}
