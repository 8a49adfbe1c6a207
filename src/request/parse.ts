// From a caller's JSON to a typed submission, or to every reason it is none. Strict: unknown fields are refused, no
// value is coerced, and what is refused is told by field, by what was read and by what would have been accepted.
import { RESERVED_NAMES } from './field.js'
import { type FieldError, fieldError, refusalOf, valueAt } from './refusal.js'
import { REPLY_KINDS } from './reply-shape.js'
import type { Recipient, RequestDraft, Run } from './request.js'
import { submissionShape } from './request-shape.js'

export type { FieldError } from './refusal.js'
export { completeRequest } from './request.js'

export type Submission = {
  readonly request: RequestDraft
  readonly run: Run
  /** As named by the caller; null where the caller names nobody. */
  readonly recipients: readonly Recipient[] | null
}

export type ParsedSubmission =
  | { readonly ok: true; readonly submission: Submission }
  | {
      readonly ok: false
      readonly code: 'invalid_request' | 'not_available'
      readonly errors: readonly FieldError[]
    }

/** Forms and callbacks are designed and not built: a caller must learn that apart from "this is wrong". */
function unavailable(body: unknown): FieldError[] {
  const errors: FieldError[] = []
  const kind = ['request', 'reply_schema', 'kind']
  if (valueAt(body, kind) === 'form') {
    errors.push(fieldError(body, kind, `forms are not available yet; one of ${REPLY_KINDS.join(', ')}`))
  }
  if (valueAt(body, ['callback_url']) !== undefined) {
    const words =
      'callbacks are not available yet; leave it out and use GET /v1/requests/:id/wait or /v1/events'
    errors.push(fieldError(body, ['callback_url'], words))
  }
  return errors
}

/** What the shape cannot see: the configured actions, and a `__proto__` that a record passes over. */
function unfit(body: unknown, actions: readonly string[]): FieldError[] {
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
  policy: { readonly actions: readonly string[] },
): ParsedSubmission {
  const missing = unavailable(body)
  if (missing.length > 0) return { ok: false, code: 'not_available', errors: missing }
  const read = submissionShape.safeParse(body)
  const errors = [...(read.success ? [] : refusalOf(body, read.error.issues)), ...unfit(body, policy.actions)]
  if (!read.success || errors.length > 0) return { ok: false, code: 'invalid_request', errors }
  const { request, run, recipients } = read.data
  return { ok: true, submission: { request, run, recipients: recipients ?? null } }
}
