// The bodies of the door as JSON Schema: closed objects, so that a field nobody described fails the tests.

import { AHDB_FIELDS, DECISIONS } from '../../event.js'
import { SCOPES } from '../../ledger/contract.js'
import { CHANNELS, PROOFS } from '../../request/channel.js'
import { DEFAULT_ACTIONS, MOODS } from '../../request/request.js'

type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string' }
const maybe = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
const list = (items: Schema): Schema => ({ type: 'array', items })
const hash: Schema = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }
const instant: Schema = { type: 'string', format: 'date-time' }
const count: Schema = { type: 'integer', minimum: 0 }
const flag: Schema = { type: 'boolean' }
const one = (...values: readonly string[]): Schema => ({ enum: values })
const anything: Schema = { type: 'object' }

/** All required unless its name ends in "?". */
function object(fields: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(fields)
  const plain = (name: string): string => name.replace(/\?$/, '')
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map(name => [plain(name), fields[name]])),
    required: names.filter(name => !name.endsWith('?')),
  }
}

const channel = one(...CHANNELS)
const proof = one(...PROOFS)
const state = one('pending', 'partial', 'answered', 'defaulted', 'undelivered', 'withdrawn')
const defaultAction = one(...DEFAULT_ACTIONS)
const type = one('REQUEST_QUESTION', 'REQUEST_REVIEW', 'REQUEST_APPROVAL')
const run = object({ run_id: text, mood: text, 'sub_mode?': one('approval'), 'work_item_id?': text })
const receipt = object({ seq: count, hash })
const answer = object({
  parsed_choice: maybe(text),
  parsed_payload: maybe(anything),
  answered_by: text,
  channel,
  proof,
  at: instant,
  'raw_text?': text,
})
const delivery = object({
  delivery_id: text,
  user_id: text,
  channel,
  state: one('queued', 'sending', 'sent', 'uncertain', 'failed', 'closed'),
  attempts: count,
  at: instant,
})
const request: Schema = { type: 'object', properties: { type }, required: ['type'] }
const move = {
  decision: one(...DECISIONS),
  'mood?': one(...MOODS),
  'work_item_id?': text,
}
const decided = { ...move, reason: text, by: text, at: instant }
const theCase = object({
  request_id: text,
  type,
  request,
  request_hash: hash,
  run,
  state,
  opened_at: instant,
  deadline_at: instant,
  resolved_at: maybe(instant),
  answer: maybe(answer),
  default_action: defaultAction,
  default_applied: flag,
  deliveries: list(delivery),
  decision: maybe(object({ ...decided, 'policy_token?': text, 'policy_token_expires_at?': instant })),
  receipt,
})
const scopes = list(one(...SCOPES))
const key = { key_id: text, name: text, scopes, created_at: instant, revoked_at: maybe(instant) }

export function bodies(codes: readonly string[]): Readonly<Record<string, Schema>> {
  const recipient = { anyOf: [text, object({ user_id: text, 'channels?': list(channel) })] }
  return {
    Submission: object({ request, run, 'recipients?': list(recipient), 'callback_url?': text }),
    Case: theCase,
    CaseList: object({ items: list(theCase), next_cursor: maybe(text) }),
    Withdrawal: object({ reason: { type: 'string', minLength: 1, maxLength: 500 } }),
    Spending: object({ token: text, action: text, parameters: anything, spend_id: text }),
    Spent: object({ jti: text, action: text, spend_id: text, spent_at: instant }),
    Revocation: object({ 'reason?': { type: 'string', minLength: 1, maxLength: 500 } }),
    Revoked: object({ jti: text, revoked_at: instant }),
    Run: object({
      run_id: text,
      mood: maybe(text),
      open_requests: list(text),
      decisions: list(object({ request_id: text, ...decided })),
      ahdb: object({ drive: list({}), believe: list({}) }),
      outside_director: flag,
      older_left_out: flag,
    }),
    RunDecision: object({
      request_id: text,
      ...move,
      'ahdb?': object(Object.fromEntries(AHDB_FIELDS.map(field => [`${field}?`, list({})]))),
    }),
    RunDecided: object({
      run_id: text,
      request_id: text,
      ...decided,
      ahdb: list(object({ field: one(...AHDB_FIELDS), state: one('proposed', 'refused'), 'reason?': text })),
    }),
    Erased: object({ request_id: text, erased: list(text) }),
    Blob: object({ handle: hash, size: count }),
    Recipients: object({ items: list(object({ user_id: text, name: text, channels: list(channel) })) }),
    NewInvitation: object({ channel }),
    Invitation: object({ url: text, expires_at: instant }),
    NewKey: object({ name: text, scopes }),
    MadeKey: object({ ...key, key: text }),
    Key: object(key),
    Keys: object({ items: list(object(key)) }),
    RevokedKey: object({ key_id: text, revoked_at: instant }),
    Rotated: object({ kid: text, not_before: instant }),
    RevokedSigningKey: object({ kid: text, revoked_at: instant }),
    ReplyForm: object({ reply: text, code: text, csrf: text }),
    Answered: object({
      request_id: text,
      state,
      deadline_at: instant,
      resolved_at: maybe(instant),
      answer: maybe(object({ parsed_choice: maybe(text), parsed_payload: maybe(anything) })),
      default_action: defaultAction,
      default_applied: flag,
    }),
    About: object({ name: text, version: text, what: text, api: text, health: text }),
    Health: object({ status: text }),
    Readiness: object({
      status: one('ready', 'degraded', 'not ready'),
      version: text,
      checks: object({ ledger: text, clock: text, alarms: text, seals: text }),
    }),
    Jwks: object({ keys: list(anything) }),
    Anything: anything,
    Problem: object({
      type: text,
      title: text,
      status: count,
      detail: text,
      code: one(...codes),
      'errors?': list(object({ field: text, read: text, accepted: text })),
    }),
  }
}
