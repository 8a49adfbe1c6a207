// A copy of a card, and the search for one whose place is not known. Slack has no idempotency key, so every card
// carries its delivery's id in its metadata, with the attempt and whether it only announces: a card stands for a
// later attempt only if it can still be answered, and asks as that one does. If Slack did not answer the post, the
// card's reference holds the delivery's id in place of the time stamp, and the card is looked for by it.
import type { Outbound } from '../../src/adapter/index.js'
import { type Api, troubleOf } from './api.js'

const EVENT_TYPE = 'lane_request'
/** Messages searched, newest first: few others come between a post and the search for it. */
const LOOK_BACK = 50

export type Copy = { readonly channel: string; readonly ts: string }

/** A copy, as the lane keeps it: `D0123:1700000000.000100`. */
export const refOf = ({ channel, ts }: Copy): string => `${channel}:${ts}`
/** A copy that may have been posted: `D0123:d-0123456789abcdef01234567`. */
export const refOfUnseen = (channel: string, delivery_id: string): string => `${channel}:${delivery_id}`

type Payload = {
  readonly delivery_id?: unknown
  readonly attempt?: unknown
  readonly announces?: unknown
}

export const metadataOf = ({ delivery_id, attempt, reply }: Outbound) => ({
  event_type: EVENT_TYPE,
  event_payload: { delivery_id, attempt, announces: reply === null },
})

/** The card of an earlier attempt that stands for this one. */
export const lookFor = (
  api: Api,
  channel: string,
  { delivery_id, voided = 0, reply }: Outbound,
): Promise<Copy | null> =>
  look(
    api,
    channel,
    payload =>
      payload.delivery_id === delivery_id &&
      Number(payload.attempt) > voided &&
      payload.announces === (reply === null),
  )

async function look(
  { prompt }: Api,
  channel: string,
  isIt: (payload: Payload) => boolean,
): Promise<Copy | null> {
  const { messages = [] } = await prompt.conversations.history({
    channel,
    limit: LOOK_BACK,
    include_all_metadata: true,
  })
  const found = messages.find(
    ({ metadata }) => metadata?.event_type === EVENT_TYPE && isIt((metadata.event_payload ?? {}) as Payload),
  )
  return found?.ts === undefined ? null : { channel, ts: found.ts }
}

/** The place of the copy with this reference. */
export async function locate(api: Api, ref: string): Promise<Copy> {
  const [channel = '', place = ''] = ref.split(':')
  if (/^[0-9]/.test(place)) return { channel, ts: place }
  const found = await look(api, channel, ({ delivery_id }) => delivery_id === place).catch(error => {
    throw new Error(`the copy could not be looked for: ${troubleOf(error).code}`)
  })
  if (found === null) throw new Error('the copy was not found')
  return found
}
