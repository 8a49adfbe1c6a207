// How a request ended, as other systems' files tell it: what was answered, and the hash by which that is named.

/** An answer as far as a file may tell of it. */
export type ToldAnswer = {
  readonly parsed_choice: string | null
  readonly parsed_payload: Readonly<Record<string, unknown>> | null
  readonly answered_by: string
  readonly channel: string
  readonly proof: string
}

type Told = {
  readonly seq: number
  readonly type: string
  readonly hash: string
  readonly body: Readonly<Record<string, unknown>>
}

/** The hash by which the end of a story is named: of the reply that decided, as the lane received it; without a reply,
 *  of the entry that ended it. Null if the story has no such end. */
export function eventHashIn(entries: readonly Told[]): string | null {
  const causes = entries.find(({ type }) => type === 'REQUEST_RESOLVED')?.body.causes
  const last = Array.isArray(causes) ? entries.find(({ seq }) => seq === causes.at(-1)) : undefined
  if (last === undefined) return null
  const received = entries.find(
    ({ type, body }) => type === 'INBOUND_REPLY_RECEIVED' && body.reply_id === last.body.reply_id,
  )
  if (last.type !== 'HUMAN_REPLY_EVENT') return last.hash
  return typeof received?.body.event_hash === 'string' ? received.body.event_hash : null
}
