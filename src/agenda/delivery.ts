// The state of each copy of a request, folded from its story: begun, sent, failed, reported, closed, worn out.

import type { Hash } from '../canonical.js'
import type { StoredBody } from '../event.js'
import type { Channel, Proof } from '../request/channel.js'
import type { ShownContent } from '../request/content/exhibit.js'
import { bindsByCode, OWN_PROOF, pageProofOf, provesPossession } from '../request/way.js'

type DeliveryState = 'queued' | 'held' | 'sending' | 'sent' | 'uncertain' | 'failed' | 'closed'

/** The token of an attempt, and the display it was minted for. Behind it stand those of the attempts before: their
 *  copies may be answered as well. */
type Minted = {
  readonly token_hash: Hash
  readonly display_hash: Hash
  /** What its display shows of the contents. */
  readonly contents: readonly ShownContent[]
  readonly earlier: Minted | null
}

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
  /** The last attempt's: a provider's report about an earlier one is no news of this. Null before the first. */
  readonly minted: Minted | null
  /** The key that signed it; null for an entry from before keys were named. */
  readonly kid: string | null
  /** The last attempt's copy leads to its page and takes no answer where it stands. */
  readonly announces: boolean
  /** The proofs by which it takes no answer any more: the attempts under each were used up. */
  readonly exhausted: readonly Proof[]
  /** The provider's last report, after it had taken the copy. */
  readonly status: string | null
  /** The provider reported that the copy did not arrive: nothing later makes it stand again. */
  readonly bounced: boolean
  /** It failed for good, and only because the person had linked no address there. */
  readonly unlinked: boolean
  /** When a copy of it first stood; null if none did. */
  readonly stood_at: number | null
  /** Nothing new is sent before: the end of quiet hours, as it was recorded, and when it was. */
  readonly held: { readonly until: number; readonly at: number } | null
  /** The reminders of it, each with a token beside those of the attempts. */
  readonly reminders: readonly { readonly step: number; readonly token_hash: Hash | null }[]
  /** Its token was spent on handing the request on. */
  readonly handed: boolean
  /** Attempts up to this one carry tokens of a key that was revoked: none of their copies can be answered. */
  readonly voided: number
}

/** The reason a delivery fails to somebody who has not linked their address yet. */
export const NOT_LINKED = 'recipient_not_linked'
/** The status of a delivery whose recipient has linked an address since it was begun: if it failed for want of one,
 *  it is owed again. */
export const LINKED = 'linked'

/** The status of a delivery whose token's key was revoked: its copy does not stand, and a fresh one is owed. */
export const KEY_REVOKED = 'key_revoked'

type Deliveries = readonly Delivery[]

export function started(before: Deliveries, body: StoredBody<'DELIVERY_STARTED'>, at: string): Deliveries {
  const known = before.find(delivery => delivery.delivery_id === body.delivery_id)
  const { token_hash, display_hash } = body
  const claim = {
    state: 'sending' as const,
    attempts: body.attempt,
    lease_until: Date.parse(body.lease_until),
    retry_at: null,
    minted: { token_hash, display_hash, contents: contentsOf(body), earlier: known?.minted ?? null },
    kid: 'kid' in body ? body.kid : null,
    announces: 'announces' in body && body.announces === true,
    // Nothing was reported of this attempt yet.
    status: null,
  }
  if (known === undefined) return [...before, fresh(body, at, claim)]
  // A fresh attempt is the newest message; the copies reminded of so far cannot be answered any more.
  const reminders = known.reminders.map(({ step }) => ({ step, token_hash: null }))
  return update(before, body.delivery_id, at, { ...claim, reminders })
}

const contentsOf = (body: StoredBody<'DELIVERY_STARTED'>): readonly ShownContent[] =>
  'contents' in body ? (body.contents ?? []) : []

type Place = Pick<StoredBody<'DELIVERY_STARTED'>, 'delivery_id' | 'channel' | 'recipient'>

/** How far its attempts have come. */
type Progress = Pick<
  Delivery,
  'state' | 'attempts' | 'lease_until' | 'retry_at' | 'minted' | 'kid' | 'announces' | 'status'
>
const NOT_BEGUN: Progress = {
  state: 'held',
  attempts: 0,
  lease_until: null,
  retry_at: null,
  minted: null,
  kid: null,
  announces: false,
  status: null,
}

const fresh = (
  { delivery_id, channel, recipient: user_id }: Place,
  at: string,
  progress: Progress,
): Delivery => ({
  delivery_id,
  user_id,
  channel,
  at,
  ...progress,
  final: false,
  exhausted: [],
  bounced: false,
  unlinked: false,
  stood_at: null,
  held: null,
  reminders: [],
  handed: false,
  voided: 0,
})

/** Before its first attempt, or the reminder of a copy that stands. */
export function held(before: Deliveries, body: StoredBody<'DELIVERY_HELD'>, at: string): Deliveries {
  const hold = { until: Date.parse(body.until), at: Date.parse(at) }
  if (before.some(one => one.delivery_id === body.delivery_id))
    return update(before, body.delivery_id, null, { held: hold })
  return [...before, { ...fresh(body, at, NOT_BEGUN), held: hold }]
}

/** A reminder takes nothing away if it fails: the copy stands as it stood. */
export const reminded = (
  before: Deliveries,
  { delivery_id, step, token_hash }: StoredBody<'REQUEST_REMINDED'>,
): Deliveries =>
  before.map(one =>
    one.delivery_id === delivery_id
      ? { ...one, reminders: [...one.reminders, { step, token_hash: token_hash ?? null }] }
      : one,
  )

export const spentOnHanding = (before: Deliveries, delivery_id: string): Deliveries =>
  update(before, delivery_id, null, { handed: true })

/** A bounce may be reported, or the key revoked, before the send itself is recorded. */
export function sent(before: Deliveries, body: StoredBody<'OUTBOUND_REQUEST_SENT'>, at: string): Deliveries {
  const delivery = before.find(one => one.delivery_id === body.delivery_id)
  if (delivery?.bounced || isVoid(delivery, body.attempt)) return before
  return update(before, body.delivery_id, at, {
    state: body.uncertain ? 'uncertain' : 'sent',
    lease_until: null,
    stood_at: delivery?.stood_at ?? Date.parse(at),
  })
}

export function reported(
  before: Deliveries,
  { delivery_id, status, stands }: StoredBody<'DELIVERY_STATUS'>,
  at: string,
): Deliveries {
  const unlinked = before.some(one => one.delivery_id === delivery_id && one.unlinked)
  if (status === LINKED && unlinked)
    return update(before, delivery_id, at, { status, state: 'queued', final: false, unlinked: false })
  if (status === KEY_REVOKED)
    return before.map(one => (one.delivery_id === delivery_id ? voided(one, at) : one))
  if (stands) return update(before, delivery_id, null, { status })
  return update(before, delivery_id, at, {
    status,
    state: 'failed',
    final: true,
    bounced: true,
    lease_until: null,
  })
}

const isVoid = (delivery: Delivery | undefined, attempt: number): boolean =>
  delivery !== undefined && attempt <= delivery.voided

const voided = (delivery: Delivery, at: string): Delivery => ({
  ...delivery,
  at,
  status: KEY_REVOKED,
  state: 'queued',
  lease_until: null,
  retry_at: null,
  voided: delivery.attempts,
})

/** A failure may be recorded after its lease was over and another attempt made: that one, or
 *  a copy that stands, counts. */
export function failed(before: Deliveries, body: StoredBody<'DELIVERY_FAILED'>, at: string): Deliveries {
  const delivery = before.find(one => one.delivery_id === body.delivery_id)
  if (delivery === undefined || stands(delivery) || body.attempt < delivery.attempts) return before
  if (isVoid(delivery, body.attempt)) return before
  // The sender may not have known yet of an address linked during the send.
  const final = body.final && !(body.code === NOT_LINKED && delivery.status === LINKED)
  return update(before, body.delivery_id, at, {
    state: final ? 'failed' : 'queued',
    lease_until: null,
    retry_at: body.retry_at === undefined ? null : Date.parse(body.retry_at),
    final,
    unlinked: final && body.code === NOT_LINKED,
  })
}

export const closed = (
  before: Deliveries,
  { delivery_id }: StoredBody<'DELIVERY_CLOSED'>,
  at: string,
): Deliveries => update(before, delivery_id, at, { state: 'closed' })

/** Under rules 1 an entry did not name the proof; it follows from the channel the reply came by. */
export function exhausted(before: Deliveries, body: StoredBody<'INBOUND_REPLY_REJECTED'>): Deliveries {
  const delivery = before.find(one => one.delivery_id === body.delivery_id)
  if (delivery === undefined) return before
  const told = 'proof' in body ? body.proof : (OWN_PROOF[body.channel] ?? pageProofOf(delivery.channel))
  return update(before, body.delivery_id, null, { exhausted: [...delivery.exhausted, told] })
}

const update = (before: Deliveries, id: string, at: string | null, patch: Partial<Delivery>): Deliveries =>
  before.map(delivery =>
    delivery.delivery_id === id ? { ...delivery, ...patch, at: at ?? delivery.at } : delivery,
  )

/** The attempt that this token was minted for, or was reminded of with it; null if it is neither's. A reminder shows what
 *  its copy shows. */
export function attemptWith({ minted, reminders }: Delivery, token_hash: Hash): Minted | null {
  if (reminders.some(one => one.token_hash === token_hash)) return minted
  for (let one: Minted | null = minted; one !== null; one = one.earlier)
    if (one.token_hash === token_hash) return one
  return null
}

/** A delivery stands when a person may have it before them. */
export const stands = (delivery: Delivery): boolean =>
  delivery.state === 'sent' || delivery.state === 'uncertain' || delivery.state === 'closed'

/** The token of the newest message about it: that of the last reminder, or of the last attempt. */
export const newestToken = ({ minted, reminders }: Delivery): Hash | null =>
  reminders.findLast(one => one.token_hash !== null)?.token_hash ?? minted?.token_hash ?? null

/** Whether it can no longer be answered in its one way: on its page, or where it stands. */
export function isWornOut({ channel, announces, exhausted, handed }: Delivery): boolean {
  if (handed) return true
  const own = announces ? null : OWN_PROOF[channel]
  return own === null ? exhausted.some(provesPossession) : exhausted.includes(own)
}

/** Whether it is answered by a code, which may rest. */
export const needsCode = ({ channel, announces }: Delivery): boolean => bindsByCode(channel) && !announces
