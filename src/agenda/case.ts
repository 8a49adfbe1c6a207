// A case is a story folded: everything the lane knows of one request, from its entries alone.
import type { Channel } from '../adapter.js'
import type { Hash } from '../canonical.js'
import type { Answered, Body, Draft, Entry, OutcomeKind } from '../event.js'
import { idOf, type Request, type Run } from '../request/request.js'
import { attempted, type Callback, registered } from './callback.js'

export type DeliveryState = 'queued' | 'sending' | 'sent' | 'uncertain' | 'failed' | 'closed'

export type Delivery = {
  readonly delivery_id: string
  readonly user_id: string
  readonly channel: Channel
  readonly state: DeliveryState
  readonly attempts: number
  readonly at: string
  /** While sending: the claim holds until here; afterwards the attempt counts as lost. */
  readonly lease_until: number | null
  /** Failed for now: when the next attempt is owed. */
  readonly retry_at: number | null
  /** The last attempt failed and no further one will be made. */
  readonly final: boolean
  /** What the last attempt showed: a reply's token must say the same. */
  readonly display_hash: Hash
  /** The last attempt's: what a provider reports of an earlier one is no news of this. */
  readonly token_hash: Hash
  /** Its sender has used up the attempts: the reply handle is dead. */
  readonly exhausted: boolean
  /** What the provider reported last, after it had taken the copy. */
  readonly status: string | null
  /** It reported that the copy did not arrive: nothing later makes it stand again. */
  readonly bounced: boolean
  /** It failed for good, and only because the person had linked no address there. */
  readonly unlinked: boolean
}

/** Why a delivery fails to somebody who has not linked their address yet. */
export const NOT_LINKED = 'recipient_not_linked'
/** The status of a delivery whose recipient has linked an address since it was begun: what failed for want of one is owed
 *  again. */
export const LINKED = 'linked'

/** What the run does because of the outcome. */
export type Decided = Body<'DIRECTOR_DECIDED'> & { readonly at: string }

/** The one-time right that a YES has given, and what became of it. */
export type PolicyToken = Body<'POLICY_TOKEN_ISSUED'> & {
  readonly spent: { readonly spend_id: string; readonly by: string; readonly at: string } | null
  readonly revoked_at: string | null
}

export type Case = {
  readonly request_id: string
  readonly request: Request
  readonly request_hash: Hash
  readonly run: Run
  readonly recipients: Body<'REQUEST_OPENED'>['recipients']
  readonly envelope_hash: Hash
  readonly opened_by: string
  readonly opened_at: string
  readonly deadline_at: string
  readonly deadline_ms: number
  readonly state: 'pending' | OutcomeKind
  readonly resolved_at: string | null
  readonly answer: NonNullable<Answered> | null
  /** The reply behind the answer: its raw words are kept under this id. */
  readonly reply_id: string | null
  /** The hash of the HUMAN_REPLY_EVENT behind the answer. */
  readonly event_hash: Hash | null
  readonly default_applied: boolean
  readonly deliveries: readonly Delivery[]
  /** Null where whoever asked did not ask to be called. */
  readonly callback: Callback | null
  readonly receipt: { readonly seq: number; readonly hash: Hash }
  readonly resolved_seq: number | null
  /** Null while it is open, and until the director of its run has decided. */
  readonly decision: Decided | null
  readonly policy_token: PolicyToken | null
  /** Who was told that a reply of theirs could not be read. */
  readonly noticed: readonly string[]
  /** How many entries the story has: what an append expects. */
  readonly version: number
}

/** An entry, or an event about to become one. */
type Happened = Draft & { readonly at: string; readonly seq: number; readonly hash?: Hash }

/** Null for an empty story; a story that does not begin with REQUEST_OPENED is a broken ledger. */
export function fold(story: readonly Entry[]): Case | null {
  let folded: Case | null = null
  for (const entry of story) folded = apply(folded, entry)
  return folded
}

export function apply(before: Case | null, event: Happened): Case {
  if (before === null) return opened(event)
  const after = change(before, event)
  const version = before.version + 1
  // What `change` has made is nobody else's yet; only what it left as it was must be copied.
  return after === before ? { ...before, version } : Object.assign(after, { version })
}

const NO_HASH: Hash = 'sha256:'

function opened(event: Happened): Case {
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
    reply_id: null,
    event_hash: null,
    default_applied: false,
    deliveries: [],
    callback: null,
    receipt: { seq: event.seq, hash: event.hash ?? NO_HASH },
    resolved_seq: null,
    decision: null,
    policy_token: null,
    noticed: [],
    version: 1,
  }
}

function change(before: Case, event: Happened): Case {
  switch (event.type) {
    case 'DELIVERY_STARTED':
      return started(before, event.body, event.at)
    case 'OUTBOUND_REQUEST_SENT':
      return sent(before, event.body, event.at)
    case 'DELIVERY_FAILED':
      return failed(before, event.body, event.at)
    case 'DELIVERY_STATUS':
      return reported(before, event.body, event.at)
    case 'DELIVERY_CLOSED':
      return update(before, event.body.delivery_id, event.at, { state: 'closed' })
    case 'NOTICE_SENT':
      return { ...before, noticed: [...before.noticed, event.body.recipient] }
    case 'INBOUND_REPLY_REJECTED':
      if (event.body.reason !== 'rate_limited') return before
      return update(before, event.body.delivery_id, null, { exhausted: true })
    case 'INBOUND_REPLY_RECEIVED':
      return { ...before, event_hash: event.body.event_hash }
    case 'HUMAN_REPLY_EVENT':
      return { ...before, reply_id: event.body.reply_id }
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
      // While it is open a decision steers the run; the one about the outcome is still to come.
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

const ofToken = (before: Case, patch: Partial<PolicyToken>): Case =>
  before.policy_token === null ? before : { ...before, policy_token: { ...before.policy_token, ...patch } }

function started(before: Case, body: Body<'DELIVERY_STARTED'>, at: string): Case {
  const claim = {
    state: 'sending' as const,
    attempts: body.attempt,
    lease_until: Date.parse(body.lease_until),
    retry_at: null,
    display_hash: body.display_hash,
    token_hash: body.token_hash,
    // Of this attempt nothing was reported yet.
    status: null,
  }
  if (before.deliveries.some(delivery => delivery.delivery_id === body.delivery_id)) {
    return update(before, body.delivery_id, at, claim)
  }
  const { delivery_id, channel, recipient: user_id } = body
  const fresh: Delivery = {
    delivery_id,
    user_id,
    channel,
    at,
    ...claim,
    final: false,
    exhausted: false,
    bounced: false,
    unlinked: false,
  }
  return { ...before, deliveries: [...before.deliveries, fresh] }
}

/** A bounce may be reported before we have told that it was sent. */
function sent(before: Case, body: Body<'OUTBOUND_REQUEST_SENT'>, at: string): Case {
  if (before.deliveries.some(one => one.delivery_id === body.delivery_id && one.bounced)) return before
  return update(before, body.delivery_id, at, {
    state: body.uncertain ? 'uncertain' : 'sent',
    lease_until: null,
  })
}

function reported(before: Case, { delivery_id, status, stands }: Body<'DELIVERY_STATUS'>, at: string): Case {
  const unlinked = before.deliveries.some(one => one.delivery_id === delivery_id && one.unlinked)
  if (status === LINKED && unlinked)
    return update(before, delivery_id, at, { status, state: 'queued', final: false, unlinked: false })
  if (stands) return update(before, delivery_id, null, { status })
  return update(before, delivery_id, at, {
    status,
    state: 'failed',
    final: true,
    bounced: true,
    lease_until: null,
  })
}

/** A failure may be told after its lease was over and another attempt made: that one, or a copy that stands, counts. */
function failed(before: Case, body: Body<'DELIVERY_FAILED'>, at: string): Case {
  const delivery = before.deliveries.find(one => one.delivery_id === body.delivery_id)
  if (delivery === undefined || stands(delivery) || body.attempt < delivery.attempts) return before
  // Whoever sent may not have known yet what was linked while they did.
  const final = body.final && !(body.code === NOT_LINKED && delivery.status === LINKED)
  return update(before, body.delivery_id, at, {
    state: final ? 'failed' : 'queued',
    lease_until: null,
    retry_at: body.retry_at === undefined ? null : Date.parse(body.retry_at),
    final,
    unlinked: final && body.code === NOT_LINKED,
  })
}

function update(before: Case, id: string, at: string | null, patch: Partial<Delivery>): Case {
  const deliveries = before.deliveries.map(delivery =>
    delivery.delivery_id === id ? { ...delivery, ...patch, at: at ?? delivery.at } : delivery,
  )
  return { ...before, deliveries }
}

export const isOpen = (subject: Pick<Case, 'state'>): boolean => subject.state === 'pending'

/** A delivery stands when a person may have it before them. */
export const stands = (delivery: Delivery): boolean =>
  delivery.state === 'sent' || delivery.state === 'uncertain' || delivery.state === 'closed'
