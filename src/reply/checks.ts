// The named checks of an inbound reply, in their one order. Each is judged on facts gathered before; the first that
// fails is the reason, and the ledger keeps every result up to it.

import type { Inbound } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { type Delivery, needsCode, shownWith } from '../agenda/delivery.js'
import { remember } from '../canonical.js'
import { type Answer, compile, type Refusal } from '../compiler/compile.js'
import type { Check } from '../event.js'
import type { Grant } from '../ledger/contract.js'
import { REASONS, type Reason } from '../reason.js'
import type { Proof } from '../request/channel.js'
import { hashReplySchema } from '../request/schema-hash.js'
import { provesPossession } from '../request/way.js'
import { hashToken } from '../token/jws.js'
import type { Verified } from '../token/reply-token.js'
import type { Speaker } from './rest.js'

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
  readonly proofs: readonly Proof[]
  /** The ledger's clock. */
  readonly ms: number
  /** Facts only the ledger's guards know: true once one of them has said no. */
  readonly exhausted: boolean
  readonly resting: boolean
  readonly duplicate: boolean
  readonly replayed: boolean
}

export type Judgement =
  | { readonly ok: true; readonly checks: readonly Check[]; readonly answer: Answer }
  | {
      readonly ok: false
      readonly checks: readonly Check[]
      readonly reason: Reason
      readonly refusal: Refusal | null
    }

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
  ['sender_unauthenticated', facts => facts.inbound.authenticated],
  ['wrong_recipient', facts => facts.sender === claims(facts)?.sub],
  [
    'proof_insufficient',
    facts => facts.proofs.includes(facts.inbound.proof) && isAnswerable(facts) && isBoundEnough(facts),
  ],
  ['duplicate_message', facts => !facts.duplicate],
  ['already_resolved', facts => isOpen(facts.subject)],
  ['deadline_passed', facts => facts.ms < facts.subject.deadline_ms],
  ['token_expired', facts => facts.ms < expiryOf(facts)],
  ['token_replayed', facts => !facts.replayed],
  ['code_mismatch', facts => facts.fits && (facts.speaker === null || isNewest(facts))],
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
    said.dsh === shownWith(delivery, hashToken(grant.token))
  )
}

/** The attempts by this proof were used up before. */
export const isDead = ({ delivery, inbound }: Facts): boolean => delivery.exhausted.includes(inbound.proof)

/** The speaker is proven, but not that they speak of this request: they may have been led to write the words. */
const isBoundEnough = ({ inbound, subject }: Facts): boolean =>
  inbound.loosely !== true || subject.request.type !== 'REQUEST_APPROVAL'

/** A page without a code is there to be read, and a copy that only announces is answered on its page alone. */
function isAnswerable({ grant: { use, code_hash }, inbound: { proof } }: Facts): boolean {
  if (use === null) return true
  return use === 'reply' || (provesPossession(proof) && code_hash !== '')
}

/** When a request's copies are answered by code only the newest one counts: an older code would be
 *  a second one to guess. */
function isNewest({ subject, grant }: Facts): boolean {
  const isTheirs = (one: Delivery): boolean => one.user_id === grant.user_id && one.channel === grant.channel
  const newest = subject.deliveries.findLast(one => isTheirs(one) && needsCode(one))
  return newest?.minted.token_hash === hashToken(grant.token)
}

/** The checks of an accepted reply: always the same, so they are spelt once. */
const ALL_HOLD: readonly Check[] = REASONS.map(check => ({ check, ok: true }))
remember(ALL_HOLD)

export function judge(facts: Facts): Judgement {
  for (const [check, holds] of RIGHT) if (!holds(facts)) return failing(check, null)
  const compiled = compile(facts.subject.request.reply_schema, facts.inbound.text)
  return compiled.ok
    ? { ok: true, checks: ALL_HOLD, answer: compiled.answer }
    : failing(compiled.reason, compiled)
}

/** Every check up to the one that failed, which is the reason. */
function failing(reason: Reason, refusal: Refusal | null): Judgement {
  const checks = ALL_HOLD.slice(0, REASONS.indexOf(reason))
  return { ok: false, checks: [...checks, { check: reason, ok: false }], reason, refusal }
}
