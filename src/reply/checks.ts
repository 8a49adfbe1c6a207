// The named checks of an inbound reply, in their one order. Each is judged on facts gathered before; the first that
// fails is the reason, and the ledger keeps every result up to it.

import type { Inbound } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { attemptWith, type Delivery, needsCode, newestToken } from '../agenda/delivery.js'
import { remember } from '../canonical.js'
import {
  type Answer,
  type Compiled,
  compile,
  decisionsOf,
  type Refusal,
  type Remark,
} from '../compiler/compile.js'
import { writeDelegation } from '../compiler/delegate.js'
import { quote } from '../compiler/quote.js'
import { writeAnswer } from '../compiler/write.js'
import type { Check, Deed } from '../event.js'
import type { Grant } from '../ledger/shelf.js'
import { REASONS, type Reason } from '../reason.js'
import { hashReplySchema } from '../request/schema-hash.js'
import { isApproval } from '../request/substance.js'
import { isByPasskey, provesPossession } from '../request/way.js'
import { tallyForm } from '../tally/form.js'
import { hashToken } from '../token/jws.js'
import type { Verified } from '../token/reply-token.js'
import { type HandTo, handingIn, isUnreadHand, refusalOf } from './hand.js'
import type { Speaker } from './rest.js'
import type { Right } from './right.js'

export type Facts = {
  readonly inbound: Inbound
  readonly grant: Grant
  /** The person by whose code it was bound, and the channel; null if it was bound otherwise. */
  readonly speaker: Speaker | null
  /** The code is there and right, if one is needed. */
  readonly fits: boolean
  readonly subject: Case
  readonly delivery: Delivery
  readonly token: Verified
  /** The speaker the channel vouches for, by the lane's own register; null for a stranger. */
  readonly sender: string | null
  readonly right: Right
  /** The person to whom the sender hands it by this name, or what stands against that. */
  readonly handTo: HandTo
  /** What follows if a message rejected for this reason says that its sender is out of office. */
  readonly onAbsence: (reason: Reason) => readonly Deed[]
  /** The ledger's clock. */
  readonly ms: number
  /** Facts only the ledger's guards know: true once one of them has said no. */
  readonly exhausted: boolean
  readonly resting: boolean
  readonly duplicate: boolean
  readonly replayed: boolean
}

export type Judgement =
  | {
      readonly ok: true
      readonly checks: readonly Check[]
      readonly answer: Answer
      readonly remarks: readonly Remark[]
      /** To whom the reply hands the request on, in place of an answer. */
      readonly hand?: string
    }
  | {
      readonly ok: false
      readonly checks: readonly Check[]
      readonly reason: Reason
      readonly refusal: Unread | null
    }

/** The words as they were read, and what would have been understood. */
export type Unread = Pick<Refusal, 'read' | 'accepted' | 'lines'>

type Test = readonly [Reason, (facts: Facts) => boolean]

const claims = ({ token }: Facts) => (token.ok ? token.claims : null)
const flawed = (facts: Facts, flaw: string): boolean => !facts.token.ok && facts.token.flaw === flaw

const expiryOf = (facts: Facts): number => (claims(facts)?.exp ?? 0) * 1000

/** Whether no moment that a check asks about lies between the time judged by and `ms`. */
export const isSameMoment = (facts: Facts, ms: number): boolean =>
  [facts.subject.deadline_ms, expiryOf(facts)].every(moment => facts.ms < moment === ms < moment)

/** The checks before the words are looked at. */
const RIGHT: readonly Test[] = [
  ['rate_limited', facts => !facts.exhausted && !facts.resting && !isDead(facts)],
  ['token_malformed', facts => !flawed(facts, 'token_malformed')],
  ['token_unknown_key', facts => !flawed(facts, 'token_unknown_key')],
  ['token_bad_signature', facts => !flawed(facts, 'token_bad_signature')],
  ['request_mismatch', facts => isForThisRequest(facts)],
  ['schema_mismatch', facts => claims(facts)?.rsh === hashReplySchema(facts.subject.request.reply_schema)],
  ['automated_message', facts => !facts.inbound.automated],
  ['unknown_sender', facts => facts.sender !== null],
  ['sender_unauthenticated', facts => facts.inbound.authenticated && isConfirmedAsSaid(facts)],
  ['wrong_recipient', facts => facts.sender === claims(facts)?.sub],
  ['delegated_away', facts => facts.right.isTheirs],
  ['no_longer_approver', facts => facts.right.approves],
  ['four_eyes', facts => facts.right.isOther],
  [
    'proof_insufficient',
    facts => facts.right.proofs.includes(facts.inbound.proof) && isAnswerable(facts) && isBoundEnough(facts),
  ],
  ['duplicate_message', facts => !facts.duplicate],
  ['already_resolved', facts => isOpen(facts.subject)],
  ['deadline_passed', facts => facts.ms < facts.subject.deadline_ms],
  ['token_expired', facts => facts.ms < expiryOf(facts)],
  ['token_replayed', facts => !facts.replayed],
  ['code_mismatch', facts => facts.fits && (facts.speaker === null || isNewest(facts))],
  ['already_voted', facts => !facts.right.hasVoted],
]

function isForThisRequest(facts: Facts): boolean {
  const { grant, subject, delivery } = facts
  const said = claims(facts)
  return (
    said !== null &&
    said.req === grant.request_id &&
    said.req === subject.request_id &&
    said.rqh === subject.request_hash &&
    said.ch === delivery.channel &&
    said.dsh === attemptWith(delivery, hashToken(grant.token))?.display_hash
  )
}

/** The proof is a passkey's exactly where one has confirmed the reply. */
const isConfirmedAsSaid = ({ inbound: { proof, confirmed } }: Facts): boolean =>
  isByPasskey(proof) === (confirmed !== undefined)

/** The attempts by this proof were used up before. */
export const isDead = ({ delivery, inbound }: Facts): boolean => delivery.exhausted.includes(inbound.proof)

/** The speaker is proven, but not that they speak of this request: they may have been led to write the words. */
const isBoundEnough = ({ inbound, subject }: Facts): boolean =>
  inbound.loosely !== true || !isApproval(subject.request)

/** A page without a code is there to be read, and a copy that only announces is answered on its page alone. */
function isAnswerable({ grant: { use, code_hash }, inbound: { proof, session } }: Facts): boolean {
  if (use === null || session !== undefined) return true
  return use === 'reply' || (provesPossession(proof) && code_hash !== '')
}

/** When a request's copies are answered by code only the newest one counts: an older code would be
 *  a second one to guess. */
function isNewest({ subject, grant }: Facts): boolean {
  const isTheirs = (one: Delivery): boolean => one.user_id === grant.user_id && one.channel === grant.channel
  const newest = subject.deliveries.findLast(one => isTheirs(one) && needsCode(one))
  return newest !== undefined && newestToken(newest) === hashToken(grant.token)
}

/** The checks of an accepted reply: always the same, so they are spelt once. */
const ALL_HOLD: readonly Check[] = REASONS.map(check => ({ check, ok: true }))
remember(ALL_HOLD)

export function judge(facts: Facts): Judgement {
  for (const [check, holds] of RIGHT) if (!holds(facts)) return failing(check, null)
  const named = handingIn(facts)
  if (named !== null || isUnreadHand(facts)) return judgeHand(facts, named ?? '')
  const { subject, inbound } = facts
  const compiled = compile(subject.request.reply_schema, inbound.text, inbound.fields)
  const taken = answeredBefore(subject, namedBy(compiled))
  if (taken !== null) return failing('decision_answered', taken)
  if (!compiled.ok) return failing(compiled.reason, compiled)
  const { answer, remarks = [] } = compiled
  return misspelt(facts, writeAnswer(answer)) ?? { ok: true, checks: ALL_HOLD, answer, remarks }
}

/** A passkey confirms an answer in its one spelling: whoever has the answer then has the words that were confirmed. */
function misspelt({ inbound: { text, confirmed } }: Facts, spelling: string | null): Judgement | null {
  if (confirmed === undefined || text === spelling) return null
  const accepted = `What a passkey confirms is spelt ${quote(spelling ?? '')}.`
  return failing('reply_not_in_schema', { read: quote(text), accepted })
}

/** The decisions of a form that the words name, once nothing but a reason is missing. */
function namedBy(compiled: Compiled): readonly string[] {
  if (!compiled.ok) return compiled.reason === 'reason_missing' ? (compiled.named ?? []) : []
  return decisionsOf(compiled.answer).map(({ decision_id }) => decision_id)
}

/** A decision is answered once; whoever names one that is, is told which, and what is still open. */
function answeredBefore({ request, replies }: Case, named: readonly string[]): Unread | null {
  const { reply_schema: schema } = request
  if (schema.kind !== 'form' || named.length === 0) return null
  const answered = new Set(tallyForm(schema, replies).decisions.map(({ decision_id }) => decision_id))
  const taken = named.filter(id => answered.has(id))
  if (taken.length === 0) return null
  const open = schema.decisions.map(({ id }) => id).filter(id => !answered.has(id))
  return { read: taken.join(', '), accepted: `Still open: ${open.join(', ')}.` }
}

function judgeHand(facts: Facts, named: string): Judgement {
  const hand = facts.handTo(named)
  if (!('to' in hand)) return failing('reply_not_in_schema', refusalOf(facts.inbound.text, hand))
  const done = { ok: true, checks: ALL_HOLD, answer: NO_ANSWER, remarks: [], hand: hand.to } as const
  return misspelt(facts, writeDelegation(hand.to)) ?? done
}

const NO_ANSWER: Answer = { parsed_choice: null, parsed_payload: null }

/** Every check up to the one that failed, which is the reason. */
function failing(reason: Reason, refusal: Unread | null): Judgement {
  const checks = ALL_HOLD.slice(0, REASONS.indexOf(reason))
  return { ok: false, checks: [...checks, { check: reason, ok: false }], reason, refusal }
}
