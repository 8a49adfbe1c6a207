// Lets an answer in. A reply that names a delivery is judged and recorded in one append: an accepted reply
// resolves its request with it, a rejected one leaves it open, and either way the event names
// every check and its result.
//
// R1  Nothing is said to the person before the commit.
// R2  The deadline is judged by the ledger's clock inside the append; from `deadline_at` on only the default can win.
// R3  A reply that names no delivery is not recorded: strangers cannot grow the ledger.
// R4  Attempts are counted per delivery and proof: the holder of a link uses up the page's attempts, and nobody's on
//     the channel. When they run out no further answer by that proof is taken. All strangers to a delivery share one
//     count, which bounds what they can make the ledger hold and takes nothing from the addressee.
// R5  An answer by an insufficient proof is nobody's attempt: the person is told each time, the ledger a few times.
// R6  A wrong code is counted against the codes of its person on that channel, see rest.ts.
// R7  A passkey vouches for its person until it is taken back, which the append itself asks.
import type { Inbound } from '../adapter/contract.js'
import { holds } from '../agenda/asked.js'
import { type Case, isOpen } from '../agenda/case.js'
import type { Delivery } from '../agenda/delivery.js'
import { nextReach } from '../agenda/ladder.js'
import { type Answer, decisionsOf } from '../compiler/compile.js'
import type { Deed } from '../event.js'
import type { Guard } from '../ledger/contract.js'
import type { Shelving } from '../ledger/shelf.js'
import type { Reason } from '../reason.js'
import type { Recorder } from '../record/record.js'
import { isByPasskey, provesPossession } from '../request/way.js'
import { type Binder, type Bound, bind } from './bind.js'
import { type Facts, isDead, type Judgement, judge, type Unread } from './checks.js'
import type { HandTo } from './hand.js'
import { codeTry, type Rester, restIfGuessed, type Speaker } from './rest.js'
import { rightOf, type Today } from './right.js'
import { keepsake, tell } from './tell.js'

/** Entries that strangers, and answers by an insufficient proof, may add to one delivery's story. */
const RECORDED_AT_MOST = 10

export type Receiver = Binder &
  Rester &
  Pick<Recorder, 'record'> & {
    readonly policyFor: (subject: Case) => Today
    /** Whether this person can hand the request to the one they name. */
    readonly handTo: (subject: Case, from: string, name: string, ms: number) => ReturnType<HandTo>
    /** The entries of the ladder's next step, done now because somebody is out of office. */
    readonly stepUp: (subject: Case, step: number, ms: number) => readonly Deed[]
    readonly attemptsPerDelivery: number
  }

export type Received =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'accepted'; readonly subject: Case }
  | { readonly kind: 'handed'; readonly subject: Case; readonly from: string; readonly to: string }
  | {
      readonly kind: 'rejected'
      readonly reason: Reason
      readonly refusal: Unread | null
      readonly subject: Case
      readonly delivery_id: string
      /** It came from the addressee, and the channel vouches for that. */
      readonly theirs: boolean
      /** Only a passkey is enough for this request. */
      readonly passkey?: true
    }

/** The answers of the guards so far; each can only turn true. */
type Known = {
  readonly exhausted: boolean
  readonly resting: boolean
  readonly duplicate: boolean
  /** The ledger holds already that this message came twice. */
  readonly repeated: boolean
  readonly replayed: boolean
  /** A passkey that vouched for the sender was taken back meanwhile. */
  readonly revoked: boolean
  /** The ledger holds often enough that this proof is insufficient. */
  readonly saidEnough: boolean
}

const NOTHING_KNOWN: Known = {
  exhausted: false,
  resting: false,
  duplicate: false,
  repeated: false,
  replayed: false,
  revoked: false,
  saidEnough: false,
}

/** Takes, with the reply, a row that must stand or fall with it: the place up to which a
 *  pulled channel has been read. */
export async function receive(
  receiver: Receiver,
  given: Inbound,
  beside: readonly Shelving[] = [],
): Promise<Received> {
  const bound = await bind(receiver, given)
  if (bound === null) return { kind: 'unknown' }
  if ('missed' in bound) return missed(receiver, bound.missed)
  const received = await judged(receiver, bound, beside)
  if (bound.speaker !== null && received.kind === 'rejected') await restIfGuessed(receiver, bound.speaker)
  return received
}

/** Counted though there is no copy to record it with. */
async function missed(receiver: Receiver, speaker: Speaker): Promise<Received> {
  await receiver.ledger.append({
    guards: [codeTry(speaker, true)],
    decide: () => ({ kind: 'append', events: [] }),
  })
  await restIfGuessed(receiver, speaker)
  return { kind: 'unknown' }
}

async function judged(receiver: Receiver, bound: Bound, beside: readonly Shelving[]): Promise<Received> {
  const raw = keepsake(bound.inbound, bound.grant, receiver.now())
  let known = NOTHING_KNOWN
  for (;;) {
    let judged: Judged | null = null
    const result = await receiver.record<'changed', 'nothing'>(bound.grant.request_id, subject => {
      judged = judgedBy(receiver, bound, subject, known)
      if (judged === null || isSilent(judged, known)) return { leave: 'nothing' }
      const { facts, judgement } = judged
      return {
        tell: moment => tell(facts, judgement, raw, moment, beside),
        guards: guardsFor(receiver, facts, judgement),
        resolves: judgement.ok,
      }
    })
    if (result.kind === 'guarded') known = learn(known, result.guard)
    if (result.kind === 'recorded' || result.kind === 'left') return concluded(judged, result.subject)
  }
}

/** A reply held against one state of its request. */
type Judged = { readonly facts: Facts; readonly judgement: Judgement }

function judgedBy(receiver: Receiver, bound: Bound, subject: Case, known: Known): Judged | null {
  const facts = gather(receiver, bound, subject, known)
  return facts && { facts, judgement: judge(facts) }
}

/** Whether this sender could answer now, before any words: nothing is recorded and nothing counted. */
export async function glance(
  receiver: Receiver,
  given: Inbound,
): Promise<{
  readonly subject: Case
  readonly delivery: Delivery
  readonly reason: Reason | null
} | null> {
  const bound = await bind(receiver, given)
  const subject = bound === null || 'missed' in bound ? null : await receiver.current(bound.grant.request_id)
  if (bound === null || 'missed' in bound || subject === null) return null
  const judged = judgedBy(receiver, bound, subject, NOTHING_KNOWN)
  if (judged === null) return null
  const { facts, judgement } = judged
  const reason = judgement.ok || judgement.refusal !== null ? null : judgement.reason
  return { subject: facts.subject, delivery: facts.delivery, reason }
}

function gather(receiver: Receiver, bound: Bound, subject: Case, known: Known): Facts | null {
  const { grant, token } = bound
  const inbound = known.revoked ? { ...bound.inbound, authenticated: false } : bound.inbound
  const delivery = subject.deliveries.find(one => one.delivery_id === grant.delivery_id)
  if (delivery === undefined) return null
  const sender = whoSpeaks(receiver, inbound, token.ok ? token.claims.sub : null)
  const right = rightOf(subject, sender, receiver.policyFor(subject))
  const ms = receiver.now()
  return {
    subject,
    delivery,
    sender,
    right,
    handTo: name => receiver.handTo(subject, sender ?? '', name, ms),
    onAbsence: reason => afterAbsence(receiver, { ...bound, subject, sender }, reason, ms),
    ms,
    ...bound,
    inbound,
    ...known,
  }
}

/** The next step of the ladder comes now, once for each person whose own mail, bound to ours, says that they are away. */
function afterAbsence(
  { stepUp }: Receiver,
  { subject, sender, inbound, token }: Pick<Facts, 'subject' | 'sender' | 'inbound' | 'token'>,
  reason: Reason,
  ms: number,
): readonly Deed[] {
  if (reason !== 'automated_message' || inbound.absent !== true || !isOpen(subject)) return []
  const isTheirs = token.ok && sender === token.claims.sub && inbound.authenticated && !inbound.loosely
  // Whoever has handed it on is waited for no more.
  const isWaitedFor = holds(subject.asked, sender ?? '') && !subject.absent.includes(sender ?? '')
  const next = isTheirs && isWaitedFor ? nextReach(subject) : null
  return next === null || ms >= subject.deadline_ms ? [] : stepUp(subject, next.step, ms)
}

/** On a channel that proves possession only, anybody with the handle and its code speaks as the addressee. A channel
 *  that vouches for its senders and names nobody has vouched for nobody. */
function whoSpeaks(
  receiver: Receiver,
  { channel, sender, proof, session }: Inbound,
  addressee: string | null,
): string | null {
  if (session !== undefined) return session.user_id
  if (sender !== undefined) return receiver.whois(channel, sender)
  return provesPossession(proof) ? addressee : null
}

/** Vouched for, and a person: somebody who only uses the addressee's name, or a robot of theirs,
 *  is counted with the strangers. */
const isAddressee = ({ sender, token, inbound }: Facts): boolean =>
  token.ok && sender === token.claims.sub && inbound.authenticated && !inbound.automated

/** Nothing more is recorded of a copy that takes no answer any more: the entry that ended it is there. And a stranger
 *  who runs out of attempts takes nothing from the addressee, and needs no entry beyond those already made. */
function isSilent({ facts, judgement }: Judged, { repeated, saidEnough }: Known): boolean {
  if (repeated || saidEnough) return true
  if (judgement.ok || judgement.reason !== 'rate_limited') return false
  return facts.resting || isDead(facts) || !isAddressee(facts)
}

function guardsFor(receiver: Receiver, facts: Facts, likely: Judgement): Guard[] {
  const guards: Guard[] = []
  const { inbound, token } = facts
  if (inbound.provider_message_id !== undefined) {
    const value = `${inbound.channel}/${inbound.provider_message_id}`
    guards.push({ kind: 'unclaimed', space: facts.duplicate ? 'duplicate' : 'message', value })
  }
  // Asked after the message: a provider that repeats itself must not use up the person's attempts.
  if (!facts.duplicate) guards.push(...countsFor(receiver, facts, likely))
  if (likely.ok && token.ok) guards.push(...spentBy(token.claims.jti, likely.answer))
  if (likely.ok)
    for (const credential_hash of inbound.passkeys ?? []) guards.push({ kind: 'passkey', credential_hash })
  // Whatever becomes of the reply, it was confirmed once.
  if (inbound.confirmed !== undefined && !facts.replayed)
    guards.push({ kind: 'unclaimed', space: 'ticket', value: inbound.confirmed.spends })
  return guards
}

/** A token is spent whole, or decision by decision where it is a form's. */
function spentBy(jti: string, answer: Answer): Guard[] {
  const decisions = decisionsOf(answer)
  const values = decisions.length === 0 ? [jti] : decisions.map(({ decision_id }) => `${jti}/${decision_id}`)
  return values.map(value => ({ kind: 'unclaimed', space: 'jti', value }))
}

/** The counts that apply to it (R4, R5, R6). */
function countsFor(receiver: Receiver, facts: Facts, likely: Judgement): Guard[] {
  const { speaker, fits, grant, inbound } = facts
  const { delivery_id } = grant
  const reason = likely.ok ? null : likely.reason
  const under = (name: string, at_most: number): Guard[] =>
    at_most === 0 || facts.exhausted
      ? []
      : [{ kind: 'attempts', delivery_id, under: name, at_most, fails: !likely.ok }]
  // A wrong code counts as one even if the copy it is recorded with has other faults: another
  // of theirs may be answered.
  if (speaker !== null && !fits) return [codeTry(speaker, true)]
  if (!isAddressee(facts)) return under('strangers', RECORDED_AT_MOST)
  if (reason === 'proof_insufficient') return under(reason, RECORDED_AT_MOST)
  const isMiss = reason === 'code_mismatch'
  const own = speaker !== null && isMiss ? [] : under(inbound.proof, receiver.attemptsPerDelivery)
  return speaker === null ? own : [codeTry(speaker, isMiss), ...own]
}

function learn(known: Known, guard: Guard): Known {
  if (guard.kind === 'misses') return { ...known, resting: true }
  if (guard.kind === 'attempts')
    return guard.under === 'proof_insufficient'
      ? { ...known, saidEnough: true }
      : { ...known, exhausted: true }
  switch (guard.kind === 'unclaimed' ? guard.space : guard.kind) {
    case 'passkey':
      return { ...known, revoked: true }
    case 'jti':
    case 'ticket':
      return { ...known, replayed: true }
    case 'message':
      return { ...known, duplicate: true }
    case 'duplicate':
      return { ...known, repeated: true }
    default:
      throw new Error(`a reply is not guarded by ${guard.kind}`)
  }
}

function concluded(judged: Judged | null, subject: Case): Received {
  if (judged === null) return { kind: 'unknown' }
  const { facts, judgement } = judged
  if (judgement.ok && judgement.hand !== undefined)
    return { kind: 'handed', subject, from: facts.sender ?? '', to: judgement.hand }
  if (judgement.ok) return { kind: 'accepted', subject }
  const { reason, refusal } = judgement
  const { delivery_id } = facts.grant
  const { proofs } = facts.right
  return {
    kind: 'rejected',
    reason,
    refusal,
    subject,
    delivery_id,
    theirs: isAddressee(facts),
    ...(proofs.length > 0 && proofs.every(isByPasskey) && { passkey: true }),
  }
}
