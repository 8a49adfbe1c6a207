// The deliveries a request needs, from the people asked and the state of the deliveries so far. Somebody reached by
// preference gets the first channel, and the next one when that fails; one whose request names channels gets all. Each
// step that opens the next channel lets them be reached by one more. A channel on which a person's codes rest comes last,
// and a copy there only announces. Nothing is planned for somebody who has handed the request on, or has voted.

import { sha256 } from '../canonical.js'
import type { Channel } from '../request/channel.js'
import type { Asked } from './asked.js'
import type { Case } from './case.js'
import { type Delivery, isWornOut, needsCode, stands } from './delivery.js'

/** After this many failed attempts the next channel is tried while the first goes on being retried. */
const FAILOVER_AFTER = 3
/** A copy whose attempts ran out, or whose code rests, is replaced at most this often. */
const FRESH_DELIVERIES = 3

export type Planned = { readonly delivery_id: string; readonly user_id: string; readonly channel: Channel }

/** Whether a person's codes on a channel rest now. */
export type IsResting = (user_id: string, channel: Channel) => boolean
export const nobodyRests: IsResting = () => false

/** Same facts, same id: a doubled alarm claims the same delivery and conflicts, instead of making another. */
export function deliveryId(request_id: string, user_id: string, channel: Channel, round: number): string {
  const facts = JSON.stringify([request_id, user_id, channel, round])
  return `d-${sha256('lane/delivery/v1\n', facts).slice(7, 31)}`
}

/** The channels that the configuration has for somebody. */
export type ChannelsOf = (user_id: string) => readonly Channel[]

export function plan(subject: Case, isResting: IsResting, channelsOf: ChannelsOf): readonly Planned[] {
  return subject.asked.flatMap(one =>
    mayAnswer(subject, one) ? planFor(subject, one, isResting, channelsOf) : [],
  )
}

/** It is theirs to answer, and where votes are counted they have not voted. */
export const mayAnswer = ({ terms, replies }: Case, { user_id, handed_to }: Asked): boolean =>
  handed_to === undefined &&
  (terms?.quorum === undefined || replies.every(({ reply }) => reply.sender_identity.user_id !== user_id))

export function planFor(
  subject: Case,
  { user_id, channels, route, widened = 0 }: Asked,
  isResting: IsResting,
  channelsOf: ChannelsOf,
): readonly Planned[] {
  const known = channels ?? channelsOf(user_id)
  const planned: Planned[] = []
  let wanted = 1 + widened
  for (const channel of route === 'first' ? awakeFirst(known, user_id, isResting) : known) {
    const made = subject.deliveries.filter(one => one.user_id === user_id && one.channel === channel)
    const rounds = roundsOf(subject, { user_id, channel }, made, isResting)
    planned.push(...rounds)
    const last = rounds.length > made.length ? undefined : made.at(-1)
    if (route === 'first' && !givesWay(last) && --wanted === 0) break
  }
  return planned
}

/** Whether as many of their channels serve them as steps have opened, and the one they are reached by. */
export function isServed(
  { deliveries }: Case,
  { user_id, route, widened = 0 }: Asked,
  isResting: IsResting,
): boolean {
  if (route !== 'first') return false
  if (widened === 0) return deliveries.some(one => one.user_id === user_id && serves(one, isResting))
  const serving = deliveries.filter(one => one.user_id === user_id && serves(one, isResting))
  return new Set(serving.map(({ channel }) => channel)).size > widened
}

function awakeFirst(channels: readonly Channel[], userId: string, isResting: IsResting): readonly Channel[] {
  const resting = channels.filter(channel => isResting(userId, channel))
  return resting.length === 0
    ? channels
    : [...channels.filter(channel => !resting.includes(channel)), ...resting]
}

/** Whether a person has a copy before them that they can still answer. */
export const serves = (delivery: Delivery, isResting: IsResting): boolean =>
  stands(delivery) && !isWornOut(delivery) && !rests(delivery, isResting)

const rests = (delivery: Delivery, isResting: IsResting): boolean =>
  needsCode(delivery) && isResting(delivery.user_id, delivery.channel)

function roundsOf(
  { request_id, deliveries }: Case,
  { user_id, channel }: Omit<Planned, 'delivery_id'>,
  made: readonly Delivery[],
  isResting: IsResting,
): Planned[] {
  const elsewhere = deliveries.some(
    one => one.user_id === user_id && one.channel !== channel && serves(one, isResting),
  )
  // Another copy in place of one whose code rests is worth sending only to somebody who can answer nowhere else.
  const isSpent = (one: Delivery): boolean =>
    isWornOut(one) || (!elsewhere && stands(one) && rests(one, isResting))
  const rounds = made.map(({ delivery_id }) => ({ delivery_id, user_id, channel }))
  if (made.every(isSpent) && made.length <= FRESH_DELIVERIES)
    rounds.push({ delivery_id: deliveryId(request_id, user_id, channel, made.length), user_id, channel })
  return rounds
}

function givesWay(delivery: Delivery | undefined): boolean {
  if (delivery === undefined) return false
  if (isWornOut(delivery)) return true
  if (stands(delivery)) return false
  const failures = delivery.state === 'sending' ? delivery.attempts - 1 : delivery.attempts
  return delivery.final || failures >= FAILOVER_AFTER
}
