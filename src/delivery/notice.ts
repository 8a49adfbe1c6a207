// The one "your reply could not be read": claimed in the ledger before it is said, once per request and person, so that
// two robots cannot keep each other talking.
import type { Channel } from '../adapter.js'
import type { Reason } from '../reason.js'
import type { Recorder } from '../record.js'

/** Only to somebody whose right was proven, who was merely too late, or who left out the code of a message of theirs: a
 *  stranger is told nothing. */
const TOLD: readonly Reason[] = [
  'proof_insufficient',
  'already_resolved',
  'deadline_passed',
  'code_mismatch',
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
]

export type Notice = { readonly delivery_id: string; readonly channel: Channel; readonly reason: Reason }

/** Whether whoever asks may say it. */
export async function claimNotice(
  { record }: Pick<Recorder, 'record'>,
  requestId: string,
  notice: Notice,
): Promise<boolean> {
  if (!TOLD.includes(notice.reason)) return false
  const result = await record(requestId, ({ deliveries, noticed }) => {
    const recipient = deliveries.find(one => one.delivery_id === notice.delivery_id)?.user_id
    if (recipient === undefined || noticed.includes(recipient)) return { leave: 'told' as const }
    return { tell: () => ({ events: [{ type: 'NOTICE_SENT', body: { ...notice, recipient } }] }) }
  })
  return result.kind === 'recorded'
}
