// The sum of the answers so far: nothing yet, or a decision with its causes. Only this room says whether a request is
// answered, as a function of its story alone; the reply room asks it before it appends, verify
// and replay ask it again.
import type { Hash } from '../canonical.js'
import type { FormSchema } from '../compiler/reply-schema.js'
import type { StoredBody } from '../event.js'
import type { Request } from '../request/request.js'
import type { Terms } from '../request/terms.js'
import { type FormTally, isAnswered, tallyForm, withDefaults } from './form.js'
import { type Count, count } from './votes.js'

/** A reply that was accepted, and its place in the ledger. */
export type Counted = {
  readonly seq: number
  readonly at: string
  /** SHA-256 over the event's body, as INBOUND_REPLY_RECEIVED has announced it. */
  readonly event_hash: Hash
  readonly reply: StoredBody<'HUMAN_REPLY_EVENT'>
}

/** A request's story, as far as its answers are concerned. Terms were not recorded under rules 1. */
export type Tallied = {
  readonly request: Pick<Request, 'reply_schema'>
  readonly terms:
    | (Pick<Terms, 'quorum' | 'electorate'> & { readonly policy?: Pick<Terms['policy'], 'take_defaults'> })
    | null
  readonly replies: readonly Counted[]
}

export type Tally =
  | { readonly kind: 'open'; readonly count?: Count; readonly form?: FormTally }
  /** The seq of every reply that counted, the deciding one last, and the decision. */
  | {
      readonly kind: 'decided'
      readonly causes: readonly number[]
      readonly answer: NonNullable<StoredBody<'REQUEST_RESOLVED'>['answer']>
    }

export function tally({ request, terms, replies }: Tallied): Tally {
  if (request.reply_schema.kind === 'form') return ofForm(request.reply_schema, terms, replies)
  if (terms?.quorum !== undefined) return poll(replies, count(replies, terms.quorum, terms.electorate ?? []))
  const [first] = replies
  return first === undefined
    ? { kind: 'open' }
    : { kind: 'decided', causes: [first.seq], answer: answerOf(first) }
}

function poll(replies: readonly Counted[], counted: Count): Tally {
  const last = replies.at(-1)
  if (counted.decided === null || last === undefined) return { kind: 'open', count: counted }
  const answer = { ...answerOf(last), parsed_choice: counted.decided, votes: replies.map(voteOf) }
  return { kind: 'decided', causes: replies.map(({ seq }) => seq), answer }
}

function ofForm(form: FormSchema, terms: Tallied['terms'], replies: readonly Counted[]): Tally {
  const sum = tallyForm(form, replies)
  const last = replies.at(-1)
  if (last === undefined || !isAnswered(sum)) return { kind: 'open', form: sum }
  const decisions = terms?.policy?.take_defaults === true ? withDefaults(form, sum) : sum.decisions
  const answer = { ...answerOf(last), parsed_payload: { decisions } }
  return { kind: 'decided', causes: sum.causes, answer }
}

type Answer = NonNullable<StoredBody<'REQUEST_RESOLVED'>['answer']>

function answerOf({ reply, at }: Counted): Answer {
  const { parsed_choice, parsed_payload, channel } = reply
  const { user_id: answered_by, proof } = reply.sender_identity
  // Only the replies to a form have decisions, and those are summed up above.
  return { parsed_choice, parsed_payload, answered_by, channel, proof, at } as Answer
}

export function voteOf({ reply, at }: Counted) {
  const { parsed_payload: payload } = reply
  const { user_id: answered_by, proof } = reply.sender_identity
  const choice = reply.parsed_choice === 'YES' ? ('YES' as const) : ('NO' as const)
  const why = payload !== null && 'reason_hash' in payload && { reason_hash: payload.reason_hash }
  return { answered_by, choice, ...why, channel: reply.channel, proof, at }
}
