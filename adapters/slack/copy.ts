// A copy of a card: where it stands, and how one is found whose place is not known. Slack has no idempotency key, so every
// card carries its delivery's id in its metadata. The reference of a card whose post was not answered names that id where
// otherwise the time stamp is; the card is looked for by it when it is to be edited.
import { type Api, troubleOf } from './api.js'

const EVENT_TYPE = 'lane_request'
/** Newest first; between a post and the look for it little else was said there. */
const LOOK_BACK = 50

export type Copy = { readonly channel: string; readonly ts: string }

/** A copy, as the lane keeps it: `D0123:1700000000.000100`. */
export const refOf = ({ channel, ts }: Copy): string => `${channel}:${ts}`
/** One that may stand there: `D0123:d-0123456789abcdef01234567`. */
export const refOfUnseen = (channel: string, delivery_id: string): string => `${channel}:${delivery_id}`

export const metadataOf = (delivery_id: string) => ({
  event_type: EVENT_TYPE,
  event_payload: { delivery_id },
})

export async function look({ prompt }: Api, channel: string, delivery_id: string): Promise<Copy | null> {
  const { messages = [] } = await prompt.conversations.history({
    channel,
    limit: LOOK_BACK,
    include_all_metadata: true,
  })
  const found = messages.find(({ metadata }) => {
    const payload = metadata?.event_payload as { delivery_id?: unknown } | undefined
    return metadata?.event_type === EVENT_TYPE && payload?.delivery_id === delivery_id
  })
  return found?.ts === undefined ? null : { channel, ts: found.ts }
}

/** Where the copy with this reference stands. */
export async function locate(api: Api, ref: string): Promise<Copy> {
  const [channel = '', place = ''] = ref.split(':')
  if (/^[0-9]/.test(place)) return { channel, ts: place }
  const found = await look(api, channel, place).catch(error => {
    throw new Error(`the copy could not be looked for: ${troubleOf(error).code}`)
  })
  if (found === null) throw new Error('the copy was not found')
  return found
}
