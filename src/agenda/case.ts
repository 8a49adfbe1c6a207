// A case is a story folded: everything the lane knows of one request, from its entries alone.
import type { Hash } from '../canonical.js'
import type { Answered, Body, Entry, Happened, OutcomeKind, StoredBody } from '../event.js'
import { idOf, type Request, type Run } from '../request/request.js'
import type { Origin, Terms } from '../request/terms.js'
import type { Counted } from '../tally/tally.js'
import { type Asked, added, handed, widened } from './asked.js'
import { attempted, type Callback, registered } from './callback.js'
import {
  closed,
  type Delivery,
  exhausted,
  failed,
  held,
  reminded,
  reported,
  sent,
  spentOnHanding,
  started,
} from './delivery.js'

export type HeldContent = NonNullable<Body<'REQUEST_OPENED'>['contents']>[number]

/** The director's decision about the outcome. */
type Decided = StoredBody<'DIRECTOR_DECIDED'> & { readonly at: string }

/** The one-time right that a YES has given, and how it was spent or revoked. */
export type PolicyToken = StoredBody<'POLICY_TOKEN_ISSUED'> & {
  readonly spent: { readonly spend_id: string; readonly by: string; readonly at: string } | null
  readonly revoked_at: string | null
}

type Step = StoredBody<'REQUEST_ESCALATED'> & { readonly at: string }
type Hand = Pick<StoredBody<'REQUEST_DELEGATED'>, 'from' | 'to' | 'by'> & { readonly at: string }

export type Case = {
  readonly request_id: string
  readonly request: Request
  readonly request_hash: Hash
  readonly run: Run
  readonly recipients: StoredBody<'REQUEST_OPENED'>['recipients']
  /** Everybody it is put to by now. */
  readonly asked: readonly Asked[]
  /** The steps of the ladder that have added people or opened channels. */
  readonly steps: readonly Step[]
  /** Every hand that it went through. */
  readonly hands: readonly Hand[]
  /** The delivery whose addressee's machine has just answered; null where the last word was another. */
  readonly automated: string | null
  /** People whose mail has said that they are out of office, each once. */
  readonly absent: readonly string[]
  readonly envelope_hash: Hash
  /** Null for a request opened under rules 1, which recorded none: the configuration alone judges it. */
  readonly terms: Terms | null
  /** The name of the key that asked, as it was then; null under rules 1. */
  readonly asked_by: string | null
  readonly origin: Origin | null
  /** The contents that were recorded with it; the texts are on the shelf. */
  readonly contents: readonly HeldContent[]
  readonly opened_by: string
  readonly opened_at: string
  readonly deadline_at: string
  readonly deadline_ms: number
  /** `partial`: something was counted, and it decides nothing yet. */
  readonly state: 'pending' | 'partial' | OutcomeKind
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
  /** People who were told that a reply of theirs could not be read, and of whom none was counted since. */
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
    asked: body.recipients,
    steps: [],
    hands: [],
    automated: null,
    absent: [],
    envelope_hash: body.envelope_hash,
    ...termsOf(body),
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

function termsOf(
  body: StoredBody<'REQUEST_OPENED'>,
): Pick<Case, 'terms' | 'asked_by' | 'origin' | 'contents'> {
  if (!('terms' in body)) return { terms: null, asked_by: null, origin: null, contents: [] }
  const { terms, asked_by, origin = null, contents = [] } = body
  return { terms, asked_by, origin, contents }
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
    case 'DELIVERY_HELD':
      return withDeliveries(before, held(before.deliveries, event.body, event.at))
    case 'REQUEST_REMINDED':
      return withDeliveries(before, reminded(before.deliveries, event.body))
    case 'REQUEST_ESCALATED':
      return escalated(before, event)
    case 'REQUEST_DELEGATED':
      return delegated(before, event)
    case 'NOTICE_SENT':
      return { ...before, noticed: [...before.noticed, event.body.recipient] }
    case 'INBOUND_REPLY_REJECTED':
      if (event.body.reason === 'automated_message') return { ...before, automated: event.body.delivery_id }
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
  // Whoever has answered a part may be told again of another part that could not be read: a form is answered in several replies.
  const noticed = before.noticed.filter(person => person !== reply.sender_identity.user_id)
  return { ...before, state: 'partial', announced: null, replies: [...before.replies, one], noticed }
}

function escalated(before: Case, { body, at }: Extract<Told, { type: 'REQUEST_ESCALATED' }>): Case {
  const what = before.terms?.ladder?.[body.step]
  const asked =
    what?.do === 'add' ? added(before.asked, what.recipients, body.to) : widened(before.asked, body.to)
  const steps = [...before.steps, { at, ...body }]
  const away =
    body.early === 'out_of_office'
      ? before.deliveries.find(one => one.delivery_id === before.automated)?.user_id
      : undefined
  return {
    ...before,
    asked,
    steps,
    automated: null,
    ...(away !== undefined && { absent: [...before.absent, away] }),
  }
}

function delegated(before: Case, { body, at }: Extract<Told, { type: 'REQUEST_DELEGATED' }>): Case {
  const { from, to, by } = body
  return {
    ...before,
    announced: null,
    asked: handed(before.asked, body),
    hands: [...before.hands, { from, to, by, at }],
    deliveries:
      body.delivery_id !== undefined
        ? spentOnHanding(before.deliveries, body.delivery_id)
        : before.deliveries,
  }
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
