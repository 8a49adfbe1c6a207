// A case is a story folded: everything the lane knows of one request, from its entries alone.
import type { Hash } from '../canonical.js'
import type { Answered, Entry, Happened, OutcomeKind, StoredBody } from '../event.js'
import { idOf, type Request, type Run } from '../request/request.js'
import type { Counted } from '../tally/tally.js'
import { attempted, type Callback, registered } from './callback.js'
import { closed, type Delivery, exhausted, failed, reported, sent, started } from './delivery.js'

/** The director's decision about the outcome. */
type Decided = StoredBody<'DIRECTOR_DECIDED'> & { readonly at: string }

/** The one-time right that a YES has given, and how it was spent or revoked. */
export type PolicyToken = StoredBody<'POLICY_TOKEN_ISSUED'> & {
  readonly spent: { readonly spend_id: string; readonly by: string; readonly at: string } | null
  readonly revoked_at: string | null
}

export type Case = {
  readonly request_id: string
  readonly request: Request
  readonly request_hash: Hash
  readonly run: Run
  readonly recipients: StoredBody<'REQUEST_OPENED'>['recipients']
  readonly envelope_hash: Hash
  readonly opened_by: string
  readonly opened_at: string
  readonly deadline_at: string
  readonly deadline_ms: number
  readonly state: 'pending' | OutcomeKind
  readonly resolved_at: string | null
  readonly answer: NonNullable<Answered> | null
  /** Every reply that was accepted, in the order of the ledger. */
  readonly replies: readonly Counted[]
  /** The hash that the reply about to follow was announced with. */
  readonly announced: Hash | null
  readonly default_applied: boolean
  readonly deliveries: readonly Delivery[]
  /** Null if the caller did not ask to be called. */
  readonly callback: Callback | null
  readonly receipt: { readonly seq: number; readonly hash: Hash }
  readonly resolved_seq: number | null
  /** Null while the request is open, and until the director of its run has decided. */
  readonly decision: Decided | null
  readonly policy_token: PolicyToken | null
  /** People who were told that a reply of theirs could not be read. */
  readonly noticed: readonly string[]
  /** How many entries the story has: the version that an append expects. */
  readonly version: number
  /** The hash of the last of them. */
  readonly last: Hash
}

/** An entry, or an event about to become one. */
type Told = Happened & { readonly at: string; readonly seq: number; readonly hash?: Hash }

/** Null for an empty story; a story that does not begin with REQUEST_OPENED is a broken ledger. */
export function fold(story: readonly Entry[]): Case | null {
  let folded: Case | null = null
  for (const entry of story) folded = apply(folded, entry)
  return folded
}

export function apply(before: Case | null, event: Told): Case {
  if (before === null) return opened(event)
  const after = change(before, event)
  const grown = { version: before.version + 1, last: event.hash ?? NO_HASH }
  // An object made by `change` belongs to nobody else yet; one it left as it was must be copied.
  return after === before ? { ...before, ...grown } : Object.assign(after, grown)
}

const NO_HASH: Hash = 'sha256:'

function opened(event: Told): Case {
  if (event.type !== 'REQUEST_OPENED') throw new Error(`a story cannot begin with ${event.type}`)
  const { body } = event
  const request = body.request as unknown as Request
  return {
    request_id: idOf(request),
    request,
    request_hash: body.request_hash,
    run: body.run as Run,
    recipients: body.recipients,
    envelope_hash: body.envelope_hash,
    opened_by: body.opened_by,
    opened_at: event.at,
    deadline_at: body.deadline_at,
    deadline_ms: Date.parse(body.deadline_at),
    state: 'pending',
    resolved_at: null,
    answer: null,
    replies: [],
    announced: null,
    default_applied: false,
    deliveries: [],
    callback: null,
    receipt: { seq: event.seq, hash: event.hash ?? NO_HASH },
    resolved_seq: null,
    decision: null,
    policy_token: null,
    noticed: [],
    version: 1,
    last: event.hash ?? NO_HASH,
  }
}

function change(before: Case, event: Told): Case {
  switch (event.type) {
    case 'DELIVERY_STARTED':
      return withDeliveries(before, started(before.deliveries, event.body, event.at))
    case 'OUTBOUND_REQUEST_SENT':
      return withDeliveries(before, sent(before.deliveries, event.body, event.at))
    case 'DELIVERY_FAILED':
      return withDeliveries(before, failed(before.deliveries, event.body, event.at))
    case 'DELIVERY_STATUS':
      return withDeliveries(before, reported(before.deliveries, event.body, event.at))
    case 'DELIVERY_CLOSED':
      return withDeliveries(before, closed(before.deliveries, event.body, event.at))
    case 'NOTICE_SENT':
      return { ...before, noticed: [...before.noticed, event.body.recipient] }
    case 'INBOUND_REPLY_REJECTED':
      if (event.body.reason !== 'rate_limited') return before
      return withDeliveries(before, exhausted(before.deliveries, event.body))
    case 'INBOUND_REPLY_RECEIVED':
      return { ...before, announced: event.body.event_hash }
    case 'HUMAN_REPLY_EVENT':
      return counted(before, event)
    case 'REQUEST_RESOLVED':
      return {
        ...before,
        state: event.body.outcome,
        resolved_at: event.at,
        resolved_seq: event.seq,
        answer: event.body.answer ?? null,
        default_applied: event.body.outcome === 'defaulted' || event.body.outcome === 'undelivered',
      }
    case 'CALLBACK_REGISTERED':
      return { ...before, callback: registered(event.body) }
    case 'CALLBACK_ATTEMPTED':
      return { ...before, callback: before.callback && attempted(before.callback, event.body) }
    case 'DIRECTOR_DECIDED':
      // While the request is open a decision steers the run; the one about the outcome is still to come.
      return isOpen(before) ? before : { ...before, decision: { at: event.at, ...event.body } }
    case 'POLICY_TOKEN_ISSUED':
      return { ...before, policy_token: { spent: null, revoked_at: null, ...event.body } }
    case 'POLICY_TOKEN_SPENT': {
      const { spend_id, by } = event.body
      return ofToken(before, { spent: { spend_id, by, at: event.at } })
    }
    case 'POLICY_TOKEN_REVOKED':
      return ofToken(before, { revoked_at: event.at })
    default:
      return before
  }
}

function counted(before: Case, event: Extract<Told, { type: 'HUMAN_REPLY_EVENT' }>): Case {
  const { seq, at, body: reply } = event
  if (before.announced === null) throw new Error('a reply is announced before it is told')
  const one = { seq, at, event_hash: before.announced, reply }
  return { ...before, announced: null, replies: [...before.replies, one] }
}

const withDeliveries = (before: Case, deliveries: readonly Delivery[]): Case =>
  deliveries === before.deliveries ? before : { ...before, deliveries }

const ofToken = (before: Case, patch: Partial<PolicyToken>): Case =>
  before.policy_token === null ? before : { ...before, policy_token: { ...before.policy_token, ...patch } }

/** Whether it can still be answered, time out or be withdrawn. */
export const isOpen = (subject: Pick<Case, 'resolved_seq'>): boolean => subject.resolved_seq === null

/** The reply that decided; null where no person did. */
export const decidingReply = ({ answer, replies }: Case): Counted | null =>
  answer === null ? null : (replies.at(-1) ?? null)
