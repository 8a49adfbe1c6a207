// The events of the ledger: one strict schema per entry type, from which the types are derived. The ledger checks a
// body against its schema before it is hashed, and `lane ledger verify` checks it again (invariant I4), by the shapes
// of the rules the entry was written under.
import { z } from 'zod'
import type { Hash } from './canonical.js'
import { REASONS_OF, type Reason } from './reason.js'
import { CHANNELS, PROOFS, type Proof } from './request/channel.js'
import type { Range } from './request/content/cut.js'
import { DEFAULT_ACTIONS, MOODS } from './request/request.js'
import { CONTENT_RULES, ORIGIN_SYSTEMS, URGENCIES } from './request/terms.js'
import { NEWEST_RULES, type Rules } from './rules.js'

const hash = z.custom<Hash>(value => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value))
const at = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const name = z.string().min(1).max(256)
const count = z.number().int().nonnegative()
const channel = z.enum(CHANNELS)

export type Check = { readonly check: Reason; readonly ok: boolean }

const defaultAction = z.enum(DEFAULT_ACTIONS)
const plainPayloads = [
  z.strictObject({ selected: z.array(z.string().max(32)).max(26) }),
  z.strictObject({ text: z.string().max(1000) }),
  z.strictObject({ number: z.number(), unit: z.string().max(64).exactOptional() }),
  z.strictObject({ date: z.string().max(40) }),
] as const
/** The words of a reason are beside the ledger. */
const explained = z.strictObject({ reason_hash: hash })
const firstPayload = z.union(plainPayloads).nullable()

const decisionId = z.string().max(32)
/** The answer to one decision, by the decision's type, with `more` about it. */
const decisionsWith = <S extends z.core.$ZodLooseShape>(more: S) => {
  const of = <V extends z.core.$ZodLooseShape>(value: V) =>
    z.strictObject({ decision_id: decisionId, ...value, ...more })
  return z.union([
    of({ approved: z.boolean() }),
    of({ selected: z.union([z.string().max(32), z.array(z.string().max(32)).max(26)]) }),
    of({ value: z.union([z.string().max(1000), z.number()]) }),
  ])
}
const commented = { comment_hash: hash.exactOptional() }
const formOf = <D extends z.ZodType>(decision: D) =>
  z.strictObject({ decisions: z.array(decision).min(1).max(50) })
const replied = z.union([...plainPayloads, explained, formOf(decisionsWith(commented))]).nullable()
/** The answers of everybody whose reply counted, and what an optional decision takes by default. */
const counted = decisionsWith({ ...commented, answered_by: name, channel, proof: z.enum(PROOFS), at })
const byDefault = decisionsWith({ by: z.literal('default'), answered_by: z.null(), proof: z.null() })
const answered = z.union([...plainPayloads, explained, formOf(z.union([counted, byDefault]))]).nullable()
const recipients = z
  .array(
    z.strictObject({ user_id: name, channels: z.array(channel).min(1), route: z.enum(['first', 'all']) }),
  )
  .min(1)
const step = z.union([
  z.strictObject({ after_seconds: count.min(1), do: z.enum(['remind', 'next_channel']) }),
  z.strictObject({ after_seconds: count.min(1), do: z.literal('add'), recipients }),
])
const terms = z.strictObject({
  urgency: z.enum(URGENCIES),
  urgency_asked: z.enum(URGENCIES).exactOptional(),
  quorum: z.strictObject({ need: count.min(2).max(10), veto: z.boolean() }).exactOptional(),
  electorate: z.array(name).min(1).exactOptional(),
  ladder: z.array(step).min(1).exactOptional(),
  policy: z.strictObject({
    approvers: z.array(name).exactOptional(),
    proofs: z.array(z.enum(PROOFS)),
    four_eyes: z.literal(true).exactOptional(),
    owner: name.exactOptional(),
    content: z.enum(CONTENT_RULES).exactOptional(),
    take_defaults: z.literal(true).exactOptional(),
  }),
})
/** A content that was recorded with the request; null `chars` for bytes that are no text. */
const held = z.strictObject({ handle: hash, size: count, chars: count.nullable() })
const isPlace = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const range = z.custom<Range>(value => Array.isArray(value) && value.length === 2 && value.every(isPlace))
/** What a copy shows of one, in code points. */
const shownContent = z.strictObject({
  handle: hash,
  name: name.nullable(),
  chars: count.nullable(),
  shown: z.array(range).max(2),
  shown_hash: hash,
  whole: z.boolean(),
})
const origin = z.strictObject({ system: z.enum([...ORIGIN_SYSTEMS, 'aah']), ref: name, hash })
const vote = z.strictObject({
  answered_by: name,
  choice: z.enum(['YES', 'NO']),
  reason_hash: hash.exactOptional(),
  channel,
  proof: z.enum(PROOFS),
  at,
})
const run = z.strictObject({
  run_id: name,
  mood: name,
  sub_mode: z.literal('approval').exactOptional(),
  work_item_id: name.exactOptional(),
})

/** The built-in director's name in `by`; no key id looks like it. */
export const LANE = 'lane'
/** The operator's deeds that no story tells. */
const DEEDS = [
  'key_added',
  'key_revoked',
  'signing_key_revoked',
  'recipient_invited',
  'passkey_enrolled',
  'passkey_revoked',
  'sessions_ended',
  'away_set',
  'backup_taken',
  'raw_read',
  'content_erased',
  'secret_rewrapped',
  'rollback_accepted',
] as const
/** The ways a request can end. */
export const OUTCOMES = ['answered', 'defaulted', 'undelivered', 'withdrawn'] as const
/** The moves a run can be told to make next. */
export const DECISIONS = ['CONTINUE', 'CHANGE_MOOD', 'SPLIT', 'HALT'] as const
export const AHDB_FIELDS = ['drive', 'believe', 'assert', 'hypothesize'] as const
export type AhdbField = (typeof AHDB_FIELDS)[number]
/** The fields a reply may never touch: an assertion needs evidence, a hypothesis is the run's own. */
export const isClosedField = (field: AhdbField): boolean => field === 'assert' || field === 'hypothesize'
/** A delta states a preference or two; a larger one is a document and belongs behind a handle. */
export const DELTA_ITEMS = 20
export const DELTA_CHARS = 8192
const deltaOf = (chars: number) =>
  z
    .array(z.unknown())
    .max(DELTA_ITEMS)
    .refine(items => JSON.stringify(items).length <= chars)
export const ahdbDelta = deltaOf(DELTA_CHARS)
/** A form may have fifty answers of the longest text. */
const formDelta = deltaOf(65_536)
const jti = z.string().regex(/^[A-Za-z0-9_-]{22}$/)

const attempted = { delivery_id: name, attempt: count.min(1), channel, recipient: name }

type Words = readonly [string, ...string[]]

/** The shapes that both sets of rules have, but for their words: the reasons of a rejection, the proofs of identity
 *  and the answers. */
function commonBodies<
  const R extends Words,
  const P extends Words,
  Reply extends z.ZodType,
  Answer extends z.ZodType,
>(reasons: R, proofs: P, payload: Reply, answerPayload: Answer, delta: typeof ahdbDelta) {
  const reason = z.enum(reasons)
  const proof = z.enum(proofs)
  const checks = z.array(z.strictObject({ check: reason, ok: z.boolean() })).max(reasons.length)
  const answer = z.strictObject({
    parsed_choice: z.string().max(32).nullable(),
    parsed_payload: answerPayload,
    answered_by: name,
    channel,
    proof,
    at,
  })
  return {
    LANE_STARTED: z.strictObject({ version: name, grammar: name, profile: z.enum(['embedded', 'cluster']) }),
    KEY_ROTATED: z.strictObject({ kid: name, purpose: name, not_before: at }),
    REQUEST_OPENED: z.strictObject({
      // Its own rules were applied at the door (request/parse); here only its shape as a typed request is held.
      request: z.looseObject({ type: z.enum(['REQUEST_QUESTION', 'REQUEST_REVIEW', 'REQUEST_APPROVAL']) }),
      request_hash: hash,
      run,
      recipients,
      envelope_hash: hash,
      deadline_at: at,
      opened_by: name,
    }),
    DELIVERY_STARTED: z.strictObject({ ...attempted, token_hash: hash, display_hash: hash, lease_until: at }),
    OUTBOUND_REQUEST_SENT: z.strictObject({
      ...attempted,
      request_hash: hash,
      token_hash: hash,
      uncertain: z.literal(true).exactOptional(),
    }),
    DELIVERY_FAILED: z.strictObject({
      ...attempted,
      code: name,
      final: z.boolean(),
      retry_at: at.exactOptional(),
    }),
    DELIVERY_STATUS: z.strictObject({ delivery_id: name, status: name, stands: z.boolean() }),
    DELIVERY_CLOSED: z.strictObject({ delivery_id: name, edited: z.boolean() }),
    NOTICE_SENT: z.strictObject({ delivery_id: name, channel, recipient: name, reason: reason }),
    INBOUND_REPLY_RECEIVED: z.strictObject({
      reply_id: name,
      delivery_id: name,
      channel,
      token_validation: checks,
      event_hash: hash,
    }),
    HUMAN_REPLY_EVENT: z.strictObject({
      reply_id: name,
      request_id: name,
      delivery_id: name,
      channel,
      sender_identity: z.strictObject({ user_id: name, proof }),
      provider_message_id: name.exactOptional(),
      raw_text_hash: hash,
      grammar: name,
      parsed_choice: z.string().max(32).nullable(),
      parsed_payload: payload,
      receipts: z.strictObject({ token_hash: hash, received_at: at }),
    }),
    INBOUND_REPLY_REJECTED: z.strictObject({
      reply_id: name,
      delivery_id: name,
      channel,
      reason: reason,
      token_validation: checks,
      raw_text_hash: hash,
    }),
    TIMEOUT_RECEIPT: z.strictObject({
      request_hash: hash,
      default_action: defaultAction,
      deadline_at: at,
      fired_at: at,
      deliveries: z.array(z.strictObject({ delivery_id: name, state: name })),
    }),
    REQUEST_WITHDRAWN: z.strictObject({ reason: z.string().max(500), by: name }),
    REQUEST_RESOLVED: z.strictObject({
      outcome: z.enum(OUTCOMES),
      causes: z.array(count).min(1),
      answer: answer.exactOptional(),
      default_action: defaultAction.exactOptional(),
    }),
    DIRECTOR_DECIDED: z
      .strictObject({
        decision: z.enum(DECISIONS),
        mood: z.enum(MOODS).exactOptional(),
        work_item_id: name.exactOptional(),
        reason: name,
        because: count,
        by: name,
      })
      .refine(body => (body.mood !== undefined) === (body.decision === 'CHANGE_MOOD'))
      .refine(body => body.work_item_id === undefined || body.decision === 'SPLIT'),
    AHDB_DELTA: z
      .strictObject({
        field: z.enum(AHDB_FIELDS),
        state: z.enum(['proposed', 'refused']),
        delta,
        reason: name.exactOptional(),
        because: count,
        by: name,
      })
      .refine(body => body.state === 'refused' || !isClosedField(body.field)),
    POLICY_TOKEN_ISSUED: z.strictObject({
      jti,
      action: name,
      parameters_hash: hash,
      request_hash: hash,
      reply_event_hash: hash,
      issued_at: at,
      expires_at: at,
    }),
    POLICY_TOKEN_SPENT: z.strictObject({ jti, spend_id: name, by: name }),
    POLICY_TOKEN_REVOKED: z.strictObject({ jti, reason: z.string().max(500), by: name }),
    // The caller wants to be called at the URL of this hash: the URL itself may hold a secret and is on the shelf.
    CALLBACK_REGISTERED: z.strictObject({ url_hash: hash }),
    CALLBACK_ATTEMPTED: z.strictObject({
      attempt: count.min(1),
      ok: z.boolean(),
      status: count.max(999).nullable(),
      code: name.exactOptional(),
      final: z.boolean(),
      next_at: at.exactOptional(),
    }),
    RECIPIENT_LINKED: z.strictObject({ user_id: name, channel }),
    RAW_ERASED: z.strictObject({ reply_id: name, by: name }),
    CLOCK_SUSPECT: z.strictObject({
      state: z.enum(['suspected', 'confirmed', 'cleared']),
      wall: at,
      expected: at,
    }),
  } as const
}

/** The proofs that rules 1 knew. */
export const FIRST_PROOFS = [
  'slack_signed',
  'telegram_id',
  'dmarc',
  'web_session',
  'console',
  'link_code',
  'sms_from',
] as const satisfies readonly Proof[]

const first = commonBodies(REASONS_OF['1'], FIRST_PROOFS, firstPayload, firstPayload, ahdbDelta)
const second = commonBodies(REASONS_OF['2'], PROOFS, replied, answered, formDelta)

/** The members of a hand that a person's own reply has given. */
const ofTheReply = {
  reply_id: name.exactOptional(),
  delivery_id: name.exactOptional(),
  channel: channel.exactOptional(),
  proof: z.enum(PROOFS).exactOptional(),
  grammar: name.exactOptional(),
  raw_text_hash: hash.exactOptional(),
  token_hash: hash.exactOptional(),
}
/** By their own reply, because they are away, or back because nothing could reach the other. */
const handed = z
  .strictObject({ from: name, to: name, by: z.enum(['person', 'away', 'lane']), ...ofTheReply })
  .refine(body =>
    Object.keys(ofTheReply).every(member => Object.hasOwn(body, member) === (body.by === 'person')),
  )

/** By the rules an entry was written under. The shapes of "1" never change. */
const BODIES_OF = {
  '1': first,
  '2': {
    ...second,
    LANE_STARTED: second.LANE_STARTED.extend({ rules: z.literal('2') }),
    REQUEST_OPENED: second.REQUEST_OPENED.extend({
      // The name of the key that asked, as it was then.
      asked_by: name,
      origin: origin.exactOptional(),
      terms,
      contents: z.array(held).min(1).exactOptional(),
    }),
    // A copy that only announces is answered on its page alone.
    DELIVERY_STARTED: second.DELIVERY_STARTED.extend({
      kid: name,
      announces: z.literal(true).exactOptional(),
      contents: z.array(shownContent).min(1).exactOptional(),
    }),
    INBOUND_REPLY_REJECTED: second.INBOUND_REPLY_REJECTED.extend({ grammar: name, proof: z.enum(PROOFS) }),
    REQUEST_RESOLVED: second.REQUEST_RESOLVED.extend({
      // Every vote that counted, the deciding one last, where there was a quorum.
      answer: second.REQUEST_RESOLVED.shape.answer
        .unwrap()
        .extend({ votes: z.array(vote).min(1).exactOptional() })
        .exactOptional(),
    }),
    CODES_RESTED: z.strictObject({ user_id: name, channel, until: at }),
    POLICY_TOKEN_ISSUED: second.POLICY_TOKEN_ISSUED.extend({ valid_seconds: count.min(1) }),
    // The entries before this one's append, and the hash of the last of them: they were sealed as they stood.
    LEDGER_SEALED: z.strictObject({ size: count, hash }),
    // A key of checkpoints names its log as well.
    KEY_ROTATED: second.KEY_ROTATED.extend({
      vkey: z
        .string()
        .max(1024)
        .regex(/^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/)
        .exactOptional(),
    })
      .refine(({ purpose, vkey }) => (purpose === 'checkpoint') === (vkey !== undefined))
      .refine(({ kid, vkey }) => vkey === undefined || vkey.split('+')[1] === kid),
    CHECKPOINT_SIGNED: z.strictObject({
      size: count,
      root: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
      kid: name,
    }),
    KEY_REVOKED: z.strictObject({ kid: name, by: name }),
    // The steps of the ladder, each its own claim. A reminder may carry a token of its own.
    REQUEST_REMINDED: z.strictObject({ delivery_id: name, step: count, token_hash: hash.exactOptional() }),
    REQUEST_ESCALATED: z.strictObject({
      step: count,
      do: z.enum(['add', 'next_channel']),
      to: z.array(name),
      early: z.enum(['failed', 'out_of_office']).exactOptional(),
    }),
    DELIVERY_HELD: z.strictObject({ delivery_id: name, channel, recipient: name, until: at }),
    REQUEST_DELEGATED: handed,
    RECIPIENT_AWAY: z.strictObject({
      user_id: name,
      from: at,
      until: at,
      to: name.exactOptional(),
      by: name,
    }),
    CONTENT_ERASED: z.strictObject({ handle: hash, by: name }),
    OPERATOR_ACTED: z.strictObject({ deed: z.enum(DEEDS), about: name, by: name }),
    // By whose word the passkey is this person's: their own, on a channel that vouches, or an operator's.
    PASSKEY_REGISTERED: z.strictObject({
      user_id: name,
      credential_hash: hash,
      by: z.enum(['person', 'operator']),
    }),
    // It signs nobody in and confirms nothing from here on; what it confirmed before stays confirmed.
    PASSKEY_REVOKED: z.strictObject({
      user_id: name,
      credential_hash: hash,
      by: z.enum(['person', 'operator']),
    }),
    // The assertion by which a passkey confirmed this reply is kept beside the ledger.
    REPLY_EVIDENCE: z.strictObject({ reply_id: name, evidence_hash: hash }),
  },
} as const satisfies Record<Rules, Readonly<Record<string, z.ZodType>>>

/** The shapes this program writes. */
export const BODIES = BODIES_OF[NEWEST_RULES]

export type EventType = keyof typeof BODIES
export const EVENT_TYPES = Object.keys(BODIES) as EventType[]
type Deep<T> = T extends (infer U)[]
  ? readonly Deep<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Deep<T[K]> }
    : T
/** As it is written now. */
export type Body<T extends EventType> = Deep<z.infer<(typeof BODIES)[T]>>
type First = (typeof BODIES_OF)['1']
/** As a ledger may hold it, under any rules. */
export type StoredBody<T extends EventType> =
  | Body<T>
  | (T extends keyof First ? Deep<z.infer<First[T]>> : never)

/** An event before the recorder has given it the ids of its request and run. */
export type Deed = { [T in EventType]: { readonly type: T; readonly body: Body<T> } }[EventType]

type Happening<T extends EventType, B> = {
  readonly type: T
  readonly request_id?: string
  readonly run_id?: string
  readonly body: B
}
/** An event before the ledger has given it a place: the store fills in seq, at, prev and hash. */
export type Draft = { [T in EventType]: Happening<T, Body<T>> }[EventType]
/** An operator's deed, recorded beside its effect; `about` names the effect's subject, `by` is a key
 *  id, or the lane itself. */
export const acted = (deed: (typeof DEEDS)[number], about: string, by: string): Draft => ({
  type: 'OPERATOR_ACTED',
  body: { deed, about, by },
})
/** An event as a story may hold it, under any rules. */
export type Happened = { [T in EventType]: Happening<T, StoredBody<T>> }[EventType]

type Placed = {
  readonly v: 1
  readonly seq: number
  readonly at: string
  readonly prev: Hash
  readonly hash: Hash
}
export type Entry = Happened & Placed
export type EntryOf<T extends EventType> = Extract<Entry, { readonly type: T }>

export type Answered = Body<'REQUEST_RESOLVED'>['answer']
export type OutcomeKind = Body<'REQUEST_RESOLVED'>['outcome']

/** The first reason a body is not of its type under these rules, or null. */
export function flawOf(type: string, body: unknown, rules: Rules): string | null {
  const bodies: Readonly<Record<string, z.ZodType>> = BODIES_OF[rules]
  const schema = Object.hasOwn(bodies, type) ? bodies[type] : undefined
  if (schema === undefined) return `unknown entry type ${JSON.stringify(type).slice(0, 80)}`
  const result = schema.safeParse(body)
  if (result.success) return null
  const issue = result.error.issues[0]
  return `${type}: /${issue?.path.join('/') ?? ''} ${issue?.message ?? 'does not fit'}`
}
