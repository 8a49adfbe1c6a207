// The outcomes of a request, as values. Four are the lane's own; `refused` means that nobody was asked, and `unknown`
// that the outcome could not be learned: neither is ever a yes.
import type { ReplySchema } from '../compiler/reply-schema.js'
import { type AnswerOf, readAnswer } from './answer.js'
import { jsonOf, type Trouble } from './call.js'
import { isFields, type ShownCase } from './case.js'

export type Answered<A> = {
  readonly kind: 'answered'
  readonly id: string
  readonly answer: A
  readonly by: string
  readonly channel: string
  /** The channel's proof of who answered. */
  readonly proof: string
  readonly at: string
  /** The words that explain the answer, if there are any: they order nothing. Null once they are erased. */
  readonly reason?: string | null
  /** The one-time right to perform an approved action: for the key that asked, after YES, while it is valid. */
  readonly policyToken?: string
  readonly case: ShownCase
}
/** Nobody answered in time (`defaulted`), or nobody could be reached (`undelivered`): the declared default holds. */
export type Defaulted = {
  readonly kind: 'defaulted' | 'undelivered'
  readonly id: string
  readonly defaultAction: string
  readonly at: string
  readonly case: ShownCase
}
export type Withdrawn = {
  readonly kind: 'withdrawn'
  readonly id: string
  readonly at: string
  readonly case: ShownCase
}
export type FieldError = { readonly field: string; readonly read: string; readonly accepted: string }
/** The lane did not open it: nobody was asked. */
export type Refused = {
  readonly kind: 'refused'
  readonly id: string
  readonly code: string
  readonly detail: string
  readonly errors: readonly FieldError[]
}
/** The request may have been asked, and may have been answered: `resume` by the id. */
export type Unknown = {
  readonly kind: 'unknown'
  readonly id: string
  readonly code: string
  readonly detail: string
}
/** Open when the caller's own patience ended; the case is null while the lane has not been reached. */
export type Pending = { readonly kind: 'pending'; readonly id: string; readonly case: ShownCase | null }

export type Outcome<A> = Answered<A> | Defaulted | Withdrawn | Refused | Unknown

export function outcomeOf<S extends ReplySchema>(schema: S, subject: ShownCase): Outcome<AnswerOf<S>> {
  const { request_id: id, state, answer, resolved_at } = subject
  const at = resolved_at ?? ''
  switch (state) {
    case 'answered': {
      const value = answer === null ? null : readAnswer(schema, answer)
      if (answer === null || value === null) return strange(id, 'the answer does not fit the reply schema')
      const { answered_by: by, channel, proof, at: answeredAt } = answer
      const token = subject.decision?.policy_token
      const policy = token === undefined ? {} : { policyToken: token }
      const why = answer.reason === undefined ? {} : { reason: answer.reason }
      const said = { answer: value, by, channel, proof, at: answeredAt, ...why, ...policy }
      return { kind: state, id, ...said, case: subject }
    }
    case 'defaulted':
    case 'undelivered':
      return { kind: state, id, defaultAction: subject.default_action, at, case: subject }
    case 'withdrawn':
      return { kind: state, id, at, case: subject }
    default:
      return strange(id, `the state ${JSON.stringify(state)} is no outcome`)
  }
}

export const strange = (id: string, detail: string): Unknown => ({
  kind: 'unknown',
  id,
  code: 'not_a_lane',
  detail,
})

type Told = Pick<Refused, 'code' | 'detail' | 'errors'>

export function told(trouble: Trouble): Told {
  if (trouble.kind === 'unreachable')
    return { code: 'unreachable', detail: `${trouble.why}: ${trouble.detail}`, errors: [] }
  const body = jsonOf(trouble)
  const answered = `answered ${trouble.status}`
  if (!isFields(body) || typeof body.code !== 'string')
    return { code: 'not_a_lane', detail: `${answered}, and not as a lane does`, errors: [] }
  const errors = Array.isArray(body.errors) ? (body.errors.filter(isFields) as FieldError[]) : []
  return { code: body.code, detail: String(body.detail ?? body.title ?? answered), errors }
}

export function unknown(id: string, trouble: Trouble): Unknown {
  const { code, detail } = told(trouble)
  return { kind: 'unknown', id, code, detail }
}

/** Only a problem in the lane's own words means that nobody was asked. */
export function notOpened(id: string, trouble: Trouble): Refused | Unknown {
  const { code, detail, errors } = told(trouble)
  const final = trouble.kind === 'problem' && trouble.status < 500 && code !== 'not_a_lane'
  return final ? { kind: 'refused', id, code, detail, errors } : { kind: 'unknown', id, code, detail }
}
