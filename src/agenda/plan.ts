// Which deliveries a request needs, from its recipients and what became of the deliveries so far. A recipient reached
// by preference gets the first channel, and the next one when that fails; one whose request names channels gets all.
import type { Channel } from '../adapter.js'
import { sha256 } from '../canonical.js'
import { type Case, type Delivery, stands } from './case.js'

/** After this many failed attempts the next channel is tried while the first goes on being retried. */
const FAILOVER_AFTER = 3
/** A reply handle that died of too many attempts is replaced at most this often. */
const FRESH_DELIVERIES = 3

export type Planned = { readonly delivery_id: string; readonly user_id: string; readonly channel: Channel }

/** Same facts, same id: a doubled alarm claims the same delivery and conflicts, instead of making another. */
export function deliveryId(request_id: string, user_id: string, channel: Channel, round: number): string {
  const facts = JSON.stringify([request_id, user_id, channel, round])
  return `d-${sha256('lane/delivery/v1\n', facts).slice(7, 31)}`
}

/** A case is asked for its plan again and again, and the plan changes only with the deliveries. */
const plans = new WeakMap<readonly Delivery[], readonly Planned[]>()

export function plan(subject: Case): readonly Planned[] {
  const known = plans.get(subject.deliveries)
  if (known !== undefined) return known
  const made = makePlan(subject)
  plans.set(subject.deliveries, made)
  return made
}

function makePlan(subject: Case): readonly Planned[] {
  const known = new Map(subject.deliveries.map(delivery => [delivery.delivery_id, delivery]))
  return subject.recipients.flatMap(({ user_id, channels, route }) => {
    const planned: Planned[] = []
    for (const channel of channels) {
      const rounds = roundsOf(subject.request_id, user_id, channel, known)
      planned.push(...rounds)
      const last = known.get(rounds.at(-1)?.delivery_id ?? '')
      if (route === 'first' && !givesWay(last)) break
    }
    return planned
  })
}

function roundsOf(
  requestId: string,
  user_id: string,
  channel: Channel,
  known: ReadonlyMap<string, Delivery>,
): Planned[] {
  const rounds: Planned[] = []
  for (let round = 0; round <= FRESH_DELIVERIES; round++) {
    const delivery_id = deliveryId(requestId, user_id, channel, round)
    rounds.push({ delivery_id, user_id, channel })
    if (!known.get(delivery_id)?.exhausted) break
  }
  return rounds
}

function givesWay(delivery: Delivery | undefined): boolean {
  if (delivery === undefined || stands(delivery)) return false
  const failures = delivery.state === 'sending' ? delivery.attempts - 1 : delivery.attempts
  return delivery.final || failures >= FAILOVER_AFTER
}
