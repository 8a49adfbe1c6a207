// The mail that asked, as the reply to it must name it: by ids that only the lane can write. A person who was
// forwarded the text of a mail has its address and its marker, and could put both into a mail of their own; the text
// does not hold the id.
import type { Binding, Desk } from '../../src/adapter/index.js'
import { writeMessageId, writeNoticeId } from './marker.js'

export type AskingMail = {
  readonly delivery_id: string
  /** Whether an address like the author's is known to us. */
  readonly isKnown: boolean
  /** The ids of the mail that asked, and of the notice about a reply to it, which can be answered too. */
  readonly messageId: string
  readonly noticeId: string
  /** The ids of the mails that reminded of it, which can be answered too. */
  readonly reminderIds: readonly string[]
  /** The decisions of a form, in lower case; null where one answer is asked for. */
  readonly decisions: readonly string[] | null
}

/** The means to write the ids: a stamp that the lane alone can write for a value, and the domain they stand in. */
export type Namer = { readonly stamp: (value: string) => string; readonly domain: string }

/** A ladder has no more steps. */
const MAX_STEPS = 10

/** A mailbox shows no Message-ID twice, so mails that differ in one of these must differ in their id. */
type Copy = {
  readonly delivery_id: string
  /** A lane that lost its data may use an old delivery id again. */
  readonly deadline_at: string
  /** The last attempt whose mail can no longer be answered. */
  readonly voided?: number
  /** A mail that only announces takes no answer, and shows less than one that asks. */
  readonly announces: boolean
}

export function idsOf(
  { stamp, domain }: Namer,
  { delivery_id, deadline_at, voided = 0, announces }: Copy,
): Pick<AskingMail, 'messageId' | 'noticeId' | 'reminderIds'> {
  const kind = `${voided === 0 ? '' : ` ${voided}`}${announces ? ' announces' : ''}`
  const asked = `${delivery_id} ${deadline_at}${kind}`
  return {
    messageId: writeMessageId(stamp(asked), domain),
    noticeId: writeNoticeId(stamp(`notice ${asked}`), domain),
    reminderIds: Array.from({ length: MAX_STEPS }, (_, step) =>
      writeMessageId(stamp(`reminder ${step} ${asked}`), domain),
    ),
  }
}

/** The mail that asked under this handle or id; null where none of ours did. */
export async function findAsked(
  namer: Namer,
  desk: Desk,
  binding: Binding,
  sender: string,
): Promise<AskingMail | null> {
  const unproven = { channel: 'email', proof: 'dmarc', authenticated: false, automated: false } as const
  const seen = await desk.look({ ...unproven, binding, sender, text: '' })
  if (seen === null) return null
  const { delivery_id, voided, announces, display, reason } = seen
  const ids = idsOf(namer, { delivery_id, deadline_at: display.deadline_at, voided, announces })
  const { reply_schema: schema } = display
  const decisions = schema.kind === 'form' ? schema.decisions.map(({ id }) => id.toLowerCase()) : null
  return { delivery_id, isKnown: reason !== 'unknown_sender', decisions, ...ids }
}
