// The one "your reply could not be read": claimed in the ledger before it is said, once per request and person until a
// reply of theirs is counted, so that two robots cannot keep each other talking.

import type { Reason } from '../reason.js'
import type { Recorder } from '../record/record.js'
import type { Channel } from '../request/channel.js'

/** Only somebody whose right was proven, who was merely too late, or who left out the code of a message of theirs is
 *  told; a stranger is not. The addressee is told of too many tries made in their name. */
const mayBeTold = ({ reason, theirs }: Notice): boolean =>
  TOLD.includes(reason) || (reason === 'rate_limited' && theirs)

const TOLD: readonly Reason[] = [
  'delegated_away',
  'no_longer_approver',
  'four_eyes',
  'proof_insufficient',
  'already_resolved',
  'deadline_passed',
  'code_mismatch',
  'already_voted',
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
  'decision_answered',
  'reason_missing',
]

type Notice = {
  readonly delivery_id: string
  readonly channel: Channel
  readonly reason: Reason
  /** The refused reply came from the recipient, and the channel vouches for that. */
  readonly theirs: boolean
}

/** Whether the caller may say it. */
export async function claimNotice(
  { record }: Pick<Recorder, 'record'>,
  requestId: string,
  notice: Notice,
): Promise<boolean> {
  if (!mayBeTold(notice)) return false
  const { theirs: _theirs, ...told } = notice
  const result = await record(requestId, ({ deliveries, noticed }) => {
    const recipient = deliveries.find(one => one.delivery_id === told.delivery_id)?.user_id
    if (recipient === undefined || noticed.includes(recipient)) return { leave: 'told' as const }
    return { tell: () => ({ events: [{ type: 'NOTICE_SENT', body: { recipient, ...told } }] }) }
  })
  return result.kind === 'recorded'
}
