// The door's refusals: RFC 9457, one stable code each, and a sentence that says what would be accepted.
import type { FastifyReply } from 'fastify'
import type { FieldError } from '../request/parse.js'

/** Every code this door can answer with; docs/spec/http-api.md has a row for each. */
export const CODES = {
  malformed_json: [400, 'The body is not JSON with one meaning'],
  malformed_form: [400, 'The form could not be read'],
  malformed_query: [400, 'A query parameter is not understood'],
  unauthenticated: [401, 'A valid API key is needed'],
  scope_missing: [403, 'This API key may not do that'],
  scope_too_wide: [403, 'This API key may do more than an agent should'],
  not_admitted: [403, 'This run may not ask a person now'],
  foreign_origin: [403, 'The form was not sent from the reply page'],
  csrf_mismatch: [403, 'The form was not drawn by this lane'],
  code_mismatch: [403, 'The code does not belong to this link'],
  reply_rejected: [403, 'The right to answer was not proven'],
  sign_in_refused: [403, 'Signing in was refused'],
  policy_token_invalid: [403, 'This is no policy token of this lane'],
  policy_mismatch: [403, 'This is not what was approved'],
  not_found: [404, 'There is nothing here'],
  method_not_allowed: [405, 'This address is not used in that way'],
  id_conflict: [409, 'This id belongs to another request'],
  not_resolved: [409, 'The request is not resolved yet'],
  content_in_use: [409, 'An open request names this content'],
  changed: [409, 'What is shown has changed meanwhile'],
  already_resolved: [409, 'The request is already resolved'],
  delegated_away: [409, 'You have handed this to somebody else'],
  already_voted: [409, 'Your vote was counted before'],
  decision_answered: [409, 'One of these decisions was answered already'],
  already_decided: [409, 'The director has decided already'],
  not_approved: [409, 'The approval was not given'],
  already_spent: [409, 'The policy token was spent'],
  key_in_use: [409, 'A key cannot revoke itself'],
  deadline_passed: [410, 'The deadline has passed and the default holds'],
  policy_token_expired: [410, 'The policy token has expired'],
  policy_token_revoked: [410, 'The policy token was revoked'],
  approval_lapsed: [410, 'The approval is too old to act on'],
  too_large: [413, 'The body is too large'],
  quota_exceeded: [413, 'This key has used up its storage'],
  unsupported_media_type: [415, 'This content type is not taken here'],
  invalid_request: [422, 'The request is not one the lane can ask'],
  recipient_not_approver: [422, 'A recipient may not approve this action'],
  four_eyes: [422, 'This action needs two pairs of eyes'],
  quorum_needs_yes_no: [422, 'A quorum votes by YES and NO'],
  quorum_unreachable: [422, 'Too few people are asked for this quorum'],
  content_missing: [422, 'The content of this is not held'],
  cannot_be_shown: [422, 'Nobody asked could answer this'],
  no_route: [422, 'Nobody is to be asked about this'],
  not_linkable: [422, 'This person has no address to link there'],
  passkey_refused: [422, 'The passkey was not taken'],
  not_available: [422, 'This part of the lane is not available yet'],
  reply_too_long: [422, 'The reply is too long'],
  reply_bad_charset: [422, 'The reply has characters that cannot be taken'],
  reply_not_in_schema: [422, 'The reply is none of the possible answers'],
  reason_missing: [422, 'This answer needs a reason'],
  too_many_open_questions: [429, 'The run has too many open questions'],
  recipient_budget: [429, 'This person has been asked enough for now'],
  rate_limited: [429, 'Too many tries'],
  internal: [500, 'Something went wrong here'],
  ledger_unavailable: [503, 'The ledger cannot be written just now'],
  seal_broken: [503, 'What is stored is not what this lane has written'],
  provider_unavailable: [503, 'The sign-in provider does not answer just now'],
  channel_unavailable: [503, 'The channel does not answer just now'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type Code = keyof typeof CODES

/** A room's reasons for a refusal, as this door tells them. */
export type Refusals<Why extends string> = Readonly<Record<Why, readonly [code: Code, detail: string]>>
export const problemCodes = (refusals: Refusals<string>): readonly Code[] =>
  Object.values(refusals).map(([code]) => code)

type ProblemBody = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: Code
  readonly errors?: readonly FieldError[]
}

export function problem(code: Code, detail: string, errors?: readonly FieldError[]): ProblemBody {
  const [status, title] = CODES[code]
  return { type: `urn:interrupt-lane:${code}`, title, status, detail, code, ...(errors && { errors }) }
}

export function refuse(
  reply: FastifyReply,
  code: Code,
  detail: string,
  errors?: readonly FieldError[],
): FastifyReply {
  const body = problem(code, detail, errors)
  return reply.code(body.status).type('application/problem+json').send(JSON.stringify(body))
}
