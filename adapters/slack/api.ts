// Slack's Web API as this channel calls it: never repeated by the library, never waited for without end, and every
// failure told apart by whether the deed may have been done.
import { type Logger, LogLevel, webApi } from '@slack/bolt'

const SLACK_API = 'https://slack.com/api/'

/** For calls made while Slack waits for our answer (3 s in all), and for those around a send. */
const PROMPT_MS = 1_500
/** For a post or an edit. With a look before it, one after it and the opening of the conversation it stays within the
 *  10 s that the lane gives a send. */
const CALM_MS = 4_000
/** The longest wait that a provider can ask for. */
const LONGEST_WAIT_MS = 3_600_000
/** More than the lane's 256 sends under way: none of them waits in the library's queue while its own time runs. */
const CONCURRENT_CALLS = 300

export type Api = {
  readonly prompt: webApi.WebClient
  readonly calm: webApi.WebClient
}

/** The library logs its traffic; addresses, handles and people's words do not belong in a log. */
export const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
}

export const clientOptions = (url: string | undefined, timeout: number): webApi.WebClientOptions => ({
  slackApiUrl: url ?? SLACK_API,
  // chat.postMessage has no idempotency key: a repetition after a lost answer would post twice.
  retryConfig: { retries: 0 },
  // The library would stop its whole queue for one destination's limit.
  rejectRateLimitedCalls: true,
  allowAbsoluteUrls: false,
  maxRequestConcurrency: CONCURRENT_CALLS,
  logger: SILENT,
  timeout,
})

export const openApi = (token: string, url: string | undefined): Api => ({
  prompt: new webApi.WebClient(token, clientOptions(url, PROMPT_MS)),
  calm: new webApi.WebClient(token, clientOptions(url, CALM_MS)),
})

export type Trouble =
  /** Not now, and nothing was done. */
  | { readonly kind: 'limited'; readonly code: string; readonly retry_after_ms: number }
  /** Slack said no, and nothing was done. */
  | { readonly kind: 'refused'; readonly code: string }
  /** It never got there. */
  | { readonly kind: 'unreached'; readonly code: string }
  /** It may have been done. */
  | { readonly kind: 'unclear'; readonly code: string }

/** Slack's own words for "it broke here", with which it says that part of the deed may be done. */
const BROKE = ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable']
/** The connection was never made. */
const NEVER_LEFT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

export function troubleOf(error: unknown): Trouble {
  if (error instanceof webApi.WebAPIRateLimitedError)
    return { kind: 'limited', code: 'rate_limited', retry_after_ms: waitOf(error.retryAfter) }
  if (error instanceof webApi.WebAPIPlatformError) {
    const code = error.data.error
    return BROKE.includes(code) ? { kind: 'unclear', code } : { kind: 'refused', code }
  }
  if (error instanceof webApi.WebAPIHTTPError) return { kind: 'unclear', code: `http_${error.statusCode}` }
  if (error instanceof webApi.WebAPIRequestError) return requestTrouble(error.original)
  return { kind: 'unclear', code: 'no_answer' }
}

const waitOf = (seconds: number): number => Math.min(Math.max(seconds, 0) * 1000, LONGEST_WAIT_MS)

function requestTrouble(original: Error): Trouble {
  const { cause } = original
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return NEVER_LEFT.includes(code)
    ? { kind: 'unreached', code: 'unreachable' }
    : { kind: 'unclear', code: 'no_answer' }
}
