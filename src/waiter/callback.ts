// Tells the caller by a call: one signed POST once the request is resolved, repeated by the schedule until it is
// taken. Unlike a delivery, a call is not claimed beforehand: a caller told the same outcome twice under the same
// webhook-id is not harmed, one not told at all is. Each attempt is recorded once, by the first replica to do so.
import { callAgainAt } from '../agenda/callback.js'
import type { Case } from '../agenda/case.js'
import type { Duty } from '../agenda/owed.js'
import { instant } from '../clock.js'
import type { Deed } from '../event.js'
import type { Moment } from '../ledger/contract.js'
import type { Recorder } from '../record/record.js'
import { type CallVerdict, post, type Road } from './post.js'
import { hashUrl, sign, webhookId } from './signature.js'

export type CallBack = Extract<Duty, { kind: 'call_back' }>

/** Under the 20 kB of the specification; only many deliveries and long options come near. */
const MAX_BODY_BYTES = 20_000
/** The pause for an endpoint that asks to be called less often and does not say how much less. */
const THROTTLED_MS = 60_000

/** The lane's way of calling: its signing keys, the addresses it may call, and the case as the
 *  caller would read it. */
export type Calls = Road & {
  readonly keys: readonly Uint8Array[]
  readonly agent: string
  readonly show: (subject: Case) => Promise<Shown>
}

/** The outcome in full, and in short for one that is too long to be sent. */
export type Shown = {
  readonly whole: Readonly<Record<string, unknown>>
  readonly short: Readonly<Record<string, unknown>>
}

type Caller = Pick<Recorder, 'record'> & {
  readonly now: () => number
  /** Null if LANE_WEBHOOK_SECRET was removed since: the call stays owed, and the ledger says why it is not made. */
  readonly calls: Calls | null
}

type CallOutcome =
  | CallVerdict
  | { readonly ok: false; readonly status: null; readonly code: 'not_configured' | 'url_changed' }

export async function callBack(
  caller: Caller,
  first: Case,
  duty: CallBack,
  url: string | null,
): Promise<Case> {
  const outcome = await call(caller, first, url)
  const { subject } = await caller.record(
    first.request_id,
    ({ request_id, callback }) =>
      // Another replica has called meanwhile and recorded it: this attempt has its entry.
      callback === null || callback.attempts >= duty.attempt
        ? { leave: 'told' as const }
        : { tell: moment => ({ events: [attempt(request_id, duty, outcome, moment)] }), rides: true },
    first,
  )
  return subject
}

async function call({ calls, now }: Caller, subject: Case, url: string | null): Promise<CallOutcome> {
  if (calls === null) return { ok: false, status: null, code: 'not_configured' }
  // The shelf stands beside the chain. An answer goes only to the URL that the chain names.
  if (url === null || hashUrl(url) !== subject.callback?.url_hash)
    return { ok: false, status: null, code: 'url_changed' }
  const body = messageOf(await calls.show(subject), subject)
  const headers = {
    'content-type': 'application/json',
    'user-agent': calls.agent,
    ...sign(calls.keys, webhookId(subject.request_id), now(), body),
  }
  return post({ url, headers, body }, calls)
}

export function messageOf(shown: Shown, { resolved_at }: Case): string {
  const message = (data: unknown): string =>
    JSON.stringify({ type: 'request.resolved', timestamp: resolved_at, data })
  const whole = message(shown.whole)
  return Buffer.byteLength(whole) < MAX_BODY_BYTES ? whole : message({ ...shown.short, abridged: true })
}

function attempt(requestId: string, duty: CallBack, outcome: CallOutcome, moment: Moment): Deed {
  const { ok, status } = outcome
  if (outcome.ok)
    return { type: 'CALLBACK_ATTEMPTED', body: { attempt: duty.attempt, ok, status, final: true } }
  const next =
    outcome.code === 'gone'
      ? null
      : callAgainAt(requestId, duty.attempt, moment.ms, pauseAskedFor(outcome, moment.ms))
  const body = { attempt: duty.attempt, ok, status, code: outcome.code, final: next === null }
  return {
    type: 'CALLBACK_ATTEMPTED',
    body: { ...body, ...(next !== null && { next_at: instant(next) }) },
  }
}

function pauseAskedFor(outcome: Exclude<CallOutcome, { ok: true }>, now: number): number {
  const asked = 'retryAfter' in outcome ? readRetryAfter(outcome.retryAfter, now) : null
  return asked ?? (outcome.code === 'throttled' ? THROTTLED_MS : 0)
}

/** Seconds or a date (RFC 9110 §10.2.3), as milliseconds from now; null if it is neither. */
export function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000
  const date = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
