// A reply as the ledger records it: the events of an accepted one, the entry of a rejected one,
// and its words beside them.
import type { Inbound } from '../adapter/contract.js'
import { canonical, sha256 } from '../canonical.js'
import { instant } from '../clock.js'
import { type Answer, decisionsOf, GRAMMAR, type Remark } from '../compiler/compile.js'
import type { Body, Deed } from '../event.js'
import { hashRemark, type KeptRemark, writeBeside } from '../ledger/beside.js'
import type { Moment } from '../ledger/contract.js'
import type { Grant, RawReply, Shelving } from '../ledger/shelf.js'
import { hashEvidence, writeEvidence } from '../passkey/evidence.js'
import type { Told } from '../record/record.js'
import { type Tally, tally } from '../tally/tally.js'
import { draw } from '../token/chance.js'
import { hashToken } from '../token/jws.js'
import { type Facts, isSameMoment, type Judgement } from './checks.js'
import { handing } from './hand.js'

const SALT_BYTES = 32
const ID_BYTES = 16
/** Of the id: milliseconds since 1970, for nine thousand years. */
const TIME_BYTES = 6

/** The words as they came, salted, to be kept beside the ledger. The id begins with the time, so that the words of one
 *  hour lie together in their table. */
export function keepsake(inbound: Inbound, grant: Grant, now: number): RawReply {
  const chance = draw(ID_BYTES + SALT_BYTES)
  chance.writeUIntBE(Math.floor(now), 0, TIME_BYTES)
  return {
    reply_id: `r-${chance.subarray(0, ID_BYTES).toString('hex')}`,
    request_id: grant.request_id,
    salt: chance.subarray(ID_BYTES),
    raw: inbound.text,
  }
}

/** The judgement holds if the ledger's own clock leaves it as it was. If a deadline or an expiry has come in between,
 *  everything is asked afresh: an overdue default is resolved first, and the person is told what was recorded. */
export function tell(
  facts: Facts,
  judgement: Judgement,
  raw: RawReply,
  moment: Moment,
  beside: readonly Shelving[],
): Told<'changed'> {
  if (!isSameMoment(facts, moment.ms)) return { refuse: 'changed' }
  const remarks = judgement.ok ? salted(judgement.remarks) : []
  const shelve: Shelving[] = [{ put: 'raw', reply: kept(raw, facts.inbound, remarks) }, ...beside]
  if (judgement.ok) {
    const evidence = evidenceOf(facts.inbound, raw)
    const place = { ...moment, seq: moment.seq + evidence.events.length }
    const said =
      judgement.hand === undefined
        ? acceptance(facts, judgement, remarks, raw, place)
        : handing(facts, judgement.hand, judgement.checks, raw)
    return { events: [...evidence.events, ...said], shelve: [...shelve, ...evidence.shelve] }
  }
  if (judgement.reason === 'deadline_passed' && !moment.suspect) return { refuse: 'changed' }
  return { events: [rejection(facts, judgement, raw), ...facts.onAbsence(judgement.reason)], shelve }
}

type Kept = { readonly events: readonly Deed[]; readonly shelve: readonly Shelving[] }
const NOTHING: Kept = { events: [], shelve: [] }

/** Stands before the reply, whose resolution must follow on it directly. */
function evidenceOf({ confirmed }: Inbound, { reply_id }: RawReply): Kept {
  if (confirmed === undefined) return NOTHING
  const { evidence } = confirmed
  return {
    events: [{ type: 'REPLY_EVIDENCE', body: { reply_id, evidence_hash: hashEvidence(evidence) } }],
    shelve: [{ put: 'evidence', reply_id, evidence: writeEvidence(evidence) }],
  }
}

const salted = (remarks: readonly Remark[]): readonly KeptRemark[] =>
  remarks.map(remark => ({ ...remark, salt: draw(SALT_BYTES) }))

function kept(raw: RawReply, { fields = {} }: Inbound, remarks: readonly KeptRemark[]): RawReply {
  const beside = writeBeside({ fields, remarks })
  return beside === null ? raw : { ...raw, beside }
}

const hashRaw = ({ salt, raw }: RawReply) => sha256(salt, raw)

function rejection(facts: Facts, judgement: Extract<Judgement, { ok: false }>, raw: RawReply): Deed {
  return {
    type: 'INBOUND_REPLY_REJECTED',
    body: {
      reply_id: raw.reply_id,
      delivery_id: facts.grant.delivery_id,
      channel: facts.inbound.channel,
      reason: judgement.reason,
      token_validation: judgement.checks,
      raw_text_hash: hashRaw(raw),
      grammar: GRAMMAR,
      proof: facts.inbound.proof,
    },
  }
}

/** The reply, and the resolution if the reply decides. */
function acceptance(
  facts: Facts,
  judgement: Extract<Judgement, { ok: true }>,
  remarks: readonly KeptRemark[],
  raw: RawReply,
  moment: Moment,
): readonly Deed[] {
  const { inbound, grant } = facts
  const about = { reply_id: raw.reply_id, delivery_id: grant.delivery_id, channel: inbound.channel }
  const reply: Body<'HUMAN_REPLY_EVENT'> = {
    request_id: facts.subject.request_id,
    ...about,
    sender_identity: { user_id: facts.sender ?? '', proof: inbound.proof },
    ...(inbound.provider_message_id !== undefined && { provider_message_id: inbound.provider_message_id }),
    raw_text_hash: hashRaw(raw),
    grammar: GRAMMAR,
    ...explained(judgement.answer, remarks),
    receipts: { token_hash: hashToken(grant.token), received_at: instant(facts.ms) },
  }
  const event_hash = sha256(canonical(reply))
  const counted = { seq: moment.seq + 1, at: moment.at, event_hash, reply }
  return [
    {
      type: 'INBOUND_REPLY_RECEIVED',
      body: { token_validation: judgement.checks, event_hash, ...about },
    },
    { type: 'HUMAN_REPLY_EVENT', body: reply },
    ...resolution(tally({ ...facts.subject, replies: [...facts.subject.replies, counted] })),
  ]
}

type Parsed = Pick<Body<'HUMAN_REPLY_EVENT'>, 'parsed_choice' | 'parsed_payload'>

/** The answer with the hashes of the words that explain it. */
function explained(answer: Answer, remarks: readonly KeptRemark[]): Parsed {
  if (remarks.length === 0) return answer
  const whole = remarks.find(({ about }) => about === null)
  if (whole !== undefined) return { ...answer, parsed_payload: { reason_hash: hashRemark(whole) } }
  const decisions = decisionsOf(answer).map(decision => {
    const remark = remarks.find(({ about }) => about === decision.decision_id)
    return remark === undefined ? decision : { ...decision, comment_hash: hashRemark(remark) }
  })
  return { parsed_choice: null, parsed_payload: { decisions } }
}

const resolution = (come: Tally): readonly Deed[] =>
  come.kind === 'open'
    ? []
    : [
        {
          type: 'REQUEST_RESOLVED',
          body: { outcome: 'answered', causes: come.causes, answer: come.answer },
        },
      ]
