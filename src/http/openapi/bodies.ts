// The bodies the door answers with. Those it takes are described by the shapes that read them (shapes.ts).
import { ASSERTED } from '../../adapter/page.js'
import { AHDB_FIELDS, DECISIONS } from '../../event.js'
import { TYPES as ENTRY_TYPES, STATUSES } from '../../interop/ahil/entry.js'
import { SCOPES } from '../../ledger/shelf.js'
import { CHANNELS, PROOFS } from '../../request/channel.js'
import { DEFAULT_ACTIONS, MOODS } from '../../request/request.js'
import { URGENCIES } from '../../request/terms.js'
import { CODES } from '../problem.js'
import {
  anything,
  count,
  flag,
  instant,
  list,
  maybe,
  object,
  one,
  reference,
  type Schema,
  text,
} from './schema.js'

const hash: Schema = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }
const channel = one(...CHANNELS)
export const STATES = ['pending', 'partial', 'answered', 'defaulted', 'undelivered', 'withdrawn'] as const
const state = one(...STATES)
const defaultAction = one(...DEFAULT_ACTIONS)
const type = one('REQUEST_QUESTION', 'REQUEST_REVIEW', 'REQUEST_APPROVAL')
const scopes = list(one(...SCOPES))

/** One member for each kind of reply schema that is answered by a value and not by a choice. */
const payload: Schema = {
  oneOf: [
    object({ selected: list(text) }),
    object({ text }),
    object({ number: { type: 'number' }, 'unit?': text }),
    object({ date: text }),
    object({ decisions: list(reference('AnsweredDecision')) }),
  ],
}
/** By the decision's type one of three; nobody's where a default was taken. */
const answeredDecision = object({
  decision_id: text,
  'approved?': flag,
  'selected?': { oneOf: [text, list(text)] },
  'value?': { oneOf: [text, { type: 'number' }] },
  'comment?': maybe(text),
  'by?': one('default'),
  answered_by: maybe(text),
  'channel?': channel,
  proof: maybe(one(...PROOFS)),
  'at?': instant,
})
const meaning = { parsed_choice: maybe(text), parsed_payload: maybe(payload) }
const vote = object({
  answered_by: text,
  choice: one('YES', 'NO'),
  'reason?': maybe(text),
  channel,
  proof: one(...PROOFS),
  at: instant,
})
const urgency = one(...URGENCIES)
const step = object({
  after_seconds: count,
  do: one('remind', 'add', 'next_channel'),
  'recipients?': list(object({ user_id: text, channels: list(channel), route: one('first', 'all') })),
})
const terms = object({
  urgency,
  'urgency_asked?': urgency,
  'quorum?': object({ need: count, veto: flag }),
  'electorate?': list(text),
  'ladder?': list(step),
})
const outcome = { resolved_at: maybe(instant), default_action: defaultAction, default_applied: flag }
const decided = {
  decision: one(...DECISIONS),
  'mood?': one(...MOODS),
  'work_item_id?': text,
  reason: text,
  by: text,
  at: instant,
}
const key = {
  key_id: text,
  name: text,
  scopes,
  created_at: instant,
  revoked_at: maybe(instant),
  owner: maybe(text),
  urgent: flag,
}

export const ANSWER_BODIES = {
  Case: object({
    request_id: text,
    type,
    request: reference('Request'),
    request_hash: hash,
    run: reference('AskingRun'),
    state,
    opened_at: instant,
    deadline_at: instant,
    answer: maybe(reference('Answer')),
    'so_far?': object({
      'decisions?': list(reference('AnsweredDecision')),
      'votes?': list(vote),
      'missing?': list(text),
    }),
    'tally?': object({ need: count, yes: count, no: count }),
    ...outcome,
    deliveries: list(reference('Delivery')),
    'terms?': terms,
    'escalations?': list(
      object({
        step: count,
        do: one('add', 'next_channel'),
        to: list(text),
        'early?': one('failed', 'out_of_office'),
        at: instant,
      }),
    ),
    'delegations?': list(object({ from: text, to: text, by: one('person', 'away', 'lane'), at: instant })),
    decision: maybe(reference('Decision')),
    receipt: object({ seq: count, hash }),
  }),
  Answer: object({
    ...meaning,
    answered_by: text,
    channel,
    proof: one(...PROOFS),
    at: instant,
    'reason?': maybe(text),
    'votes?': list(vote),
    'raw_text?': text,
    'credential_hash?': hash,
  }),
  AnsweredDecision: answeredDecision,
  Delivery: object({
    delivery_id: text,
    user_id: text,
    channel,
    state: one('queued', 'held', 'sending', 'sent', 'uncertain', 'failed', 'closed'),
    attempts: count,
    at: instant,
    'until?': instant,
  }),
  Decision: object({ ...decided, 'policy_token?': text, 'policy_token_expires_at?': instant }),
  CaseList: object({ items: list(reference('Case')), next_cursor: maybe(text) }),
  Spent: object({ jti: text, action: text, spend_id: text, spent_at: instant }),
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
  RunDecided: object({
    run_id: text,
    request_id: text,
    ...decided,
    ahdb: list(object({ field: one(...AHDB_FIELDS), state: one('proposed', 'refused'), 'reason?': text })),
  }),
  Erased: object({ request_id: text, erased: list(text), contents: list(text) }),
  Blob: object({ handle: hash, size: count }),
  Recipients: object({ items: list(object({ user_id: text, name: text, channels: list(channel) })) }),
  Absence: object({ user_id: text, from: instant, until: instant, to: maybe(text) }),
  Invitation: object({ url: text, expires_at: instant }),
  PasskeyInvitation: object({
    user_id: text,
    by: one('person', 'operator'),
    channels: list(one(...CHANNELS)),
    url: maybe(text),
    expires_at: instant,
  }),
  Passkeys: object({
    items: list(
      object({
        user_id: text,
        credential: text,
        credential_hash: hash,
        by: one('person', 'operator'),
        registered_at: maybe(instant),
      }),
    ),
  }),
  RevokedPasskey: object({
    user_id: text,
    credential: text,
    credential_hash: hash,
    passkey: one('revoked'),
    channels: list(one(...CHANNELS)),
  }),
  MadeKey: object({ ...key, key: text }),
  Key: object(key),
  Keys: object({ items: list(reference('Key')) }),
  RevokedKey: object({ key_id: text, revoked_at: instant }),
  ExchangeLog: object({
    schema_version: one('1.0'),
    description: text,
    entries: list(
      object({
        id: text,
        type: one(...ENTRY_TYPES),
        from: text,
        to: text,
        date: text,
        status: one(...STATUSES),
        content: text,
        'context?': anything,
      }),
    ),
  }),
  Proof: object({
    format: one('lane/proof/v1'),
    request_id: text,
    checkpoint: text,
    story: text,
    entries: list(object({ entry: anything, path: list(text) })),
    displays: list(anything),
    'evidence?': list(object({ reply_id: text, evidence: anything, registered: anything })),
    'contents?': object({
      words: list(object({ hash, salt: text, text })),
      handles: { type: 'object', additionalProperties: text },
    }),
  }),
  Artifact: anything,
  Responses: object({ items: list(anything) }),
  Consistency: object({ from: count, to: count, hashes: list(text) }),
  Rotated: object({ kid: text, not_before: instant }),
  RevokedSigningKey: object({ kid: text, revoked_at: instant }),
  SessionForm: object({
    'reply?': text,
    'delegate?': text,
    'code?': text,
    csrf: text,
    display: text,
    ...Object.fromEntries(ASSERTED.map(name => [`${name}?`, text])),
  }),
  Challenge: object({ ticket: text, challenge: text, host: text, credentials: list(text) }),
  ReplyForm: object({ 'reply?': text, 'delegate?': text, code: text, csrf: text }),
  SessionsEnded: object({ user_id: text, sessions: one('ended') }),
  SignInForm: object({
    'key?': text,
    'link?': text,
    'to?': text,
    'ticket?': text,
    'credential_id?': text,
    'client_data?': text,
    'authenticator_data?': text,
    'signature?': text,
  }),
  PasskeyForm: object({ 'csrf?': text, ticket: text, client_data: text, attestation: text }),
  PasskeyEndForm: object({ csrf: text, credential: text }),
  SignOutForm: object({ csrf: text, 'everywhere?': text }),
  Answered: object({
    request_id: text,
    state,
    deadline_at: instant,
    answer: maybe(object(meaning)),
    ...outcome,
  }),
  About: object({ name: text, version: text, what: text, api: text, health: text }),
  Health: object({ status: text }),
  Readiness: object({
    status: one('ready', 'degraded', 'not ready'),
    version: text,
    checks: object({ ledger: text, clock: text, alarms: text, seals: text }),
  }),
  Jwks: object({ keys: list(anything) }),
  OpenApi: anything,
  Problem: object({
    type: text,
    title: text,
    status: count,
    detail: text,
    code: one(...Object.keys(CODES)),
    'errors?': list(object({ field: text, read: text, accepted: text })),
  }),
} as const satisfies Readonly<Record<string, Schema>>

export type BodyName = keyof typeof ANSWER_BODIES
