// The sum of the answers so far: nothing yet, or a decision with its causes. Only this room says whether a request is
// answered, as a function of its story alone; the reply room asks it before it appends, verify
// and replay ask it again.
//
// Every schema there is today is decided by its first answer.
import type { Hash } from '../canonical.js'
import type { StoredBody } from '../event.js'

/** A reply that was accepted, and its place in the ledger. */
export type Counted = {
  readonly seq: number
  readonly at: string
  /** SHA-256 over the event's body, as INBOUND_REPLY_RECEIVED has announced it. */
  readonly event_hash: Hash
  readonly reply: StoredBody<'HUMAN_REPLY_EVENT'>
}

export type Tally =
  | { readonly kind: 'open' }
  /** The seq of every reply that counted, the deciding one last, and the decision. */
  | {
      readonly kind: 'decided'
      readonly causes: readonly number[]
      readonly answer: NonNullable<StoredBody<'REQUEST_RESOLVED'>['answer']>
    }

export function tally(replies: readonly Counted[]): Tally {
  const [first] = replies
  return first === undefined
    ? { kind: 'open' }
    : { kind: 'decided', causes: [first.seq], answer: answerOf(first) }
}

function answerOf({ reply, at }: Counted) {
  const { parsed_choice, parsed_payload, channel } = reply
  const { user_id: answered_by, proof } = reply.sender_identity
  return { parsed_choice, parsed_payload, answered_by, channel, proof, at }
}
