// Which deliveries a request needs, from its recipients and what became of the deliveries so far. A recipient reached
// by preference gets the first channel, and the next one when that fails; one whose request names channels gets all.
import type { Channel } from '../adapter.js'
import { sha256 } from '../canonical.js'
import type { Case } from './case.js'
import { type Delivery, stands } from './delivery.js'

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

export function plan(subject: Case): readonly Planned[] {
  return subject.recipients.flatMap(({ user_id, channels, route }) => {
    const planned: Planned[] = []
    for (const channel of channels) {
      const made = subject.deliveries.filter(one => one.user_id === user_id && one.channel === channel)
      const rounds = roundsOf(subject.request_id, user_id, channel, made)
      planned.push(...rounds)
      const last = rounds.length > made.length ? undefined : made.at(-1)
      if (route === 'first' && !givesWay(last)) break
    }
    return planned
  })
}

function roundsOf(
  requestId: string,
  user_id: string,
  channel: Channel,
  made: readonly Delivery[],
): Planned[] {
  const rounds = made.map(({ delivery_id }) => ({ delivery_id, user_id, channel }))
  const needsFresh = made.every(one => one.exhausted) && made.length <= FRESH_DELIVERIES
  if (needsFresh)
    rounds.push({ delivery_id: deliveryId(requestId, user_id, channel, made.length), user_id, channel })
  return rounds
}

function givesWay(delivery: Delivery | undefined): boolean {
  if (delivery === undefined || stands(delivery)) return false
  const failures = delivery.state === 'sending' ? delivery.attempts - 1 : delivery.attempts
  return delivery.final || failures >= FAILOVER_AFTER
}
