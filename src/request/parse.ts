// From a caller's JSON to a typed submission, or to every reason it is none. Strict: unknown fields are refused, no
// value is coerced, and each refusal names the field, what was read and what would have been accepted.
import { canonical, type Hash } from '../canonical.js'
import { NEWEST_RULES, type Rules } from '../rules.js'
import { unfitContents } from './content/given.js'
import { RESERVED_NAMES } from './field.js'
import { plainSubmission } from './plain.js'
import type { Recipient } from './recipient.js'
import { type FieldError, fieldError, MAX_ERRORS, refusalOf, valueAt } from './refusal.js'
import type { RequestDraft, Run } from './request.js'
import { SUBMISSION_SHAPES } from './request-shape.js'
import { secretPlaces } from './secrecy.js'
import type { Ladder, Origin, Quorum, Urgency } from './terms.js'

export type { FieldError } from './refusal.js'
export { completeRequest } from './request.js'

export type Submission = {
  readonly request: RequestDraft
  readonly run: Run
  /** As named by the caller; null where the caller names nobody. */
  readonly recipients: readonly Recipient[] | null
  /** The address to which the outcome is sent; absent where the caller will ask or wait. */
  readonly callback_url?: string
  readonly quorum?: Pick<Quorum, 'need'> & Partial<Quorum>
  readonly urgency?: Urgency
  readonly ladder?: Ladder<Recipient>
  readonly origin?: Origin
  /** Texts by their handles. They are no part of the envelope's hash: the request's own holds their handles. */
  readonly contents?: Readonly<Record<Hash, string>>
}

/** The rules that the configuration adds. */
export type SubmissionPolicy = {
  readonly actions: readonly string[]
  /** The URLs that may be called, in words and as a test; absent where nothing is called. */
  readonly callback?: { readonly words: string; readonly isCallable: (url: string) => boolean }
}

type ParsedSubmission =
  | { readonly ok: true; readonly submission: Submission }
  | {
      readonly ok: false
      readonly code: 'invalid_request' | 'not_available'
      readonly errors: readonly FieldError[]
    }

/** Features that are designed and not built, or not switched on: a caller must learn that apart
 *  from "this is wrong". */
function unavailable(body: unknown, { callback }: SubmissionPolicy): FieldError[] {
  const errors: FieldError[] = []
  if (callback === undefined && valueAt(body, ['callback_url']) !== undefined) {
    const words =
      'callbacks need LANE_WEBHOOK_SECRET, which this lane does not have; ' +
      'leave it out and use GET /v1/requests/:id/wait or /v1/events'
    errors.push(fieldError(body, ['callback_url'], words))
  }
  return errors
}

/** Faults that the shape cannot see: where a callback may go, the configured actions, and a hidden `__proto__`. */
function unfit(body: unknown, { actions, callback }: SubmissionPolicy): FieldError[] {
  // One list, and no copy of it for each: every request passes here, and nearly none has a fault.
  return unfitCallback(body, callback).concat(
    unfitAction(body, actions),
    unfitSecrets(body),
    unfitContents(body),
    unfitSize(body),
  )
}

/** Bytes of the request as it is hashed: every other kind is bounded below that by its parts. */
const MAX_REQUEST_BYTES = 65_536

function unfitSize(body: unknown): FieldError[] {
  if (valueAt(body, ['request', 'reply_schema', 'kind']) !== 'form') return []
  const size = sizeOf(valueAt(body, ['request']))
  if (size !== null && size <= MAX_REQUEST_BYTES) return []
  const has = size === null ? 'none' : size
  const accepted = `a request of at most ${MAX_REQUEST_BYTES} bytes of canonical JSON; this has ${has}`
  return [fieldError(body, ['request', 'reply_schema'], accepted)]
}

/** Null for a value that has no canonical text: half a character, or nested so deeply that the stack ends. The door
 *  refuses such bodies before; a ledger that is verified may hold anything. */
function sizeOf(request: unknown): number | null {
  try {
    return Buffer.byteLength(canonical(request))
  } catch {
    return null
  }
}

/** The ledger keeps every request for ever, and every auditor reads it. */
function unfitSecrets(body: unknown): FieldError[] {
  const kept = ['request', 'run', 'origin'].flatMap(part => secretPlaces(valueAt(body, [part]), [part]))
  return kept.map(path => fieldError(body, path, 'text without a token, an API key or a reply link'))
}

function unfitCallback(body: unknown, callback: SubmissionPolicy['callback']): FieldError[] {
  const url = valueAt(body, ['callback_url'])
  if (url === undefined || callback === undefined) return []
  if (typeof url === 'string' && callback.isCallable(url)) return []
  return [fieldError(body, ['callback_url'], callback.words)]
}

function unfitAction(body: unknown, actions: readonly string[]): FieldError[] {
  if (valueAt(body, ['request', 'type']) !== 'REQUEST_APPROVAL') return []
  const errors: FieldError[] = []
  const action = valueAt(body, ['request', 'action'])
  if (typeof action === 'string' && !actions.includes(action)) {
    const known = actions.length === 0 ? 'no action is configured' : `one of ${actions.join(', ')}`
    errors.push(fieldError(body, ['request', 'action'], known))
  }
  const hidden = ['request', 'parameters', '__proto__']
  if (valueAt(body, hidden) !== undefined) {
    errors.push(fieldError(body, hidden, `a name other than ${RESERVED_NAMES.join(', ')}`))
  }
  return errors
}

export function parseSubmission(
  body: unknown,
  policy: SubmissionPolicy,
  rules: Rules = NEWEST_RULES,
): ParsedSubmission {
  const plain = plainSubmission(body)
  if (plain !== null && unfit(body, policy).length === 0) return { ok: true, submission: plain }
  const missing = unavailable(body, policy)
  if (missing.length > 0) return { ok: false, code: 'not_available', errors: missing }
  const read = SUBMISSION_SHAPES[rules].safeParse(body)
  const found = [...(read.success ? [] : refusalOf(body, read.error.issues)), ...unfit(body, policy)]
  const errors = found.slice(0, MAX_ERRORS)
  if (!read.success || errors.length > 0) return { ok: false, code: 'invalid_request', errors }
  const { recipients = null, ...rest } = read.data
  return { ok: true, submission: { recipients, ...rest } }
}
