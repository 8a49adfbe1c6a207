// The mail that asked, as the reply to it must name it: by ids that only the lane can write. Whoever was forwarded the
// text of a mail has its address and its marker, and could put both into a mail of their own; the id stands in neither.
import type { Binding, Desk } from '../../src/adapter/index.js'
import { writeMessageId, writeNoticeId } from './marker.js'

export type Asked = {
  readonly delivery_id: string
  /** Whether an address like the author's is known to us. */
  readonly isKnown: boolean
  /** Of the mail that asked, and of the notice about an answer to it: an answer to that one is an answer to us, too. */
  readonly messageId: string
  readonly noticeId: string
}

/** Who writes the ids: what the lane alone can write for a value, and the domain they stand in. */
export type Namer = { readonly stamp: (value: string) => string; readonly domain: string }

/** A mailbox shows no Message-ID twice, so that mails of one id must be worth the same. */
type Copy = {
  readonly delivery_id: string
  /** A lane whose data were lost asks under an old id. */
  readonly deadline_at: string
  /** The mails before can be answered no more. */
  readonly voided?: number
  /** It takes no answer, and shows less than one that does. */
  readonly announces: boolean
}

export function idsOf(
  { stamp, domain }: Namer,
  { delivery_id, deadline_at, voided = 0, announces }: Copy,
): Pick<Asked, 'messageId' | 'noticeId'> {
  const kind = `${voided === 0 ? '' : ` ${voided}`}${announces ? ' announces' : ''}`
  const asked = `${delivery_id} ${deadline_at}${kind}`
  return {
    messageId: writeMessageId(stamp(asked), domain),
    noticeId: writeNoticeId(stamp(`notice ${asked}`), domain),
  }
}

/** What was asked under this handle or id; null for nothing of ours. */
export async function findAsked(
  namer: Namer,
  desk: Desk,
  binding: Binding,
  sender: string,
): Promise<Asked | null> {
  const unproven = { channel: 'email', proof: 'dmarc', authenticated: false, automated: false } as const
  const seen = await desk.look({ ...unproven, binding, sender, text: '' })
  if (seen === null) return null
  const { delivery_id, voided, announces, display, reason } = seen
  const ids = idsOf(namer, { delivery_id, deadline_at: display.deadline_at, voided, announces })
  return { delivery_id, isKnown: reason !== 'unknown_sender', ...ids }
}
