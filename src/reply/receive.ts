// Lets an answer in. Whatever came back is judged and recorded in one append: an accepted reply resolves its request
// with it, a rejected one leaves it open, and either way the event names every check and its result.
//
// R1  Nothing is said to the person before the commit.
// R2  The deadline is judged by the ledger's clock inside the append; from `deadline_at` on only the default can win.
// R3  What names no delivery is not recorded: strangers cannot grow the ledger.
// R4  Attempts are counted per delivery and sender. When they run out the handle is dead, whatever comes next.
import type { Inbound, Proof } from '../adapter.js'
import type { Case } from '../agenda/case.js'
import { canonical, sha256 } from '../canonical.js'
import type { Refusal } from '../compiler/compile.js'
import type { Guard, Shelving } from '../ledger/contract.js'
import type { Reason } from '../reason.js'
import type { Recorder } from '../record.js'
import type { Request } from '../request/request.js'
import { type Binder, type Bound, bind } from './bind.js'
import { type Facts, type Judgement, judge, provesPossession } from './checks.js'
import { keepsake, tell } from './tell.js'

export type Receiver = Binder &
  Pick<Recorder, 'record'> & {
    readonly proofsFor: (request: Request) => readonly Proof[]
    readonly attemptsPerDelivery: number
    readonly current: (requestId: string) => Promise<Case | null>
  }

export type Received =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'accepted'; readonly subject: Case }
  | {
      readonly kind: 'rejected'
      readonly reason: Reason
      readonly refusal: Refusal | null
      readonly subject: Case
      readonly delivery_id: string
    }

/** What the guards have said so far; each can only turn true. */
type Known = {
  readonly exhausted: boolean
  readonly duplicate: boolean
  /** The ledger has said of this message already that it came twice. */
  readonly repeated: boolean
  readonly replayed: boolean
}

const NOTHING_KNOWN: Known = { exhausted: false, duplicate: false, repeated: false, replayed: false }

/** With the reply, what else must stand or fall with it: the place up to which a pulled channel has been read. */
export async function receive(
  receiver: Receiver,
  given: Inbound,
  beside: readonly Shelving[] = [],
): Promise<Received> {
  const bound = await bind(receiver, given)
  if (bound === null) return { kind: 'unknown' }
  const raw = keepsake(bound.inbound, bound.grant)
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

/** Whether this sender could answer now, whatever the words: nothing is recorded and nothing counted. */
export async function glance(
  receiver: Receiver,
  given: Inbound,
): Promise<{
  readonly subject: Case
  readonly delivery_id: string
  readonly reason: Reason | null
} | null> {
  const bound = await bind(receiver, given)
  const subject = bound && (await receiver.current(bound.grant.request_id))
  const judged = bound && subject && judgedBy(receiver, bound, subject, NOTHING_KNOWN)
  if (judged === null) return null
  const { facts, judgement } = judged
  const reason = judgement.ok || judgement.refusal !== null ? null : judgement.reason
  return { subject: facts.subject, delivery_id: facts.grant.delivery_id, reason }
}

function gather(receiver: Receiver, bound: Bound, subject: Case, known: Known): Facts | null {
  const { inbound, grant, token } = bound
  const delivery = subject.deliveries.find(one => one.delivery_id === grant.delivery_id)
  if (delivery === undefined) return null
  const sender = speaker(receiver, inbound, token.ok ? token.claims.sub : null)
  const proofs = receiver.proofsFor(subject.request)
  return { subject, delivery, sender, proofs, ms: receiver.now(), ...bound, ...known }
}

/** Where a channel proves possession only, whoever has the handle and its code speaks as the addressee; one that
 *  vouches for its senders and names nobody has vouched for nobody. */
function speaker(
  receiver: Receiver,
  { channel, sender, proof }: Inbound,
  addressee: string | null,
): string | null {
  if (sender !== undefined) return receiver.whois(channel, sender)
  return provesPossession(proof) ? addressee : null
}

/** Vouched for, and a person: who only uses the addressee's name, and a robot of theirs, have attempts of their own. */
const isAddressee = ({ sender, token, inbound }: Facts): boolean =>
  token.ok && sender === token.claims.sub && inbound.authenticated && !inbound.automated

/** A dead handle says nothing more: the entry that killed it is there. And a stranger's own attempts running out
 *  neither kills the addressee's handle nor needs an entry beyond those already made. */
const isSilent = ({ facts, judgement }: Judged, { repeated }: Known): boolean =>
  repeated ||
  (!judgement.ok && judgement.reason === 'rate_limited' && (facts.delivery.exhausted || !isAddressee(facts)))

function guardsFor(receiver: Receiver, facts: Facts, likely: Judgement): Guard[] {
  const guards: Guard[] = []
  const { inbound, token, grant } = facts
  if (inbound.provider_message_id !== undefined) {
    const value = `${inbound.channel}/${inbound.provider_message_id}`
    guards.push({ kind: 'unclaimed', space: facts.duplicate ? 'duplicate' : 'message', value })
  }
  const sender = isAddressee(facts) ? 'addressee' : sha256(canonical(inbound.sender ?? null))
  const at_most = receiver.attemptsPerDelivery
  // Asked after the message: a provider that repeats itself must not use up the person's attempts.
  if (at_most > 0 && !facts.exhausted && !facts.duplicate) {
    guards.push({ kind: 'attempts', delivery_id: grant.delivery_id, sender, at_most, fails: !likely.ok })
  }
  if (likely.ok && token.ok) guards.push({ kind: 'unclaimed', space: 'jti', value: token.claims.jti })
  return guards
}

function learn(known: Known, guard: Guard): Known {
  if (guard.kind === 'attempts') return { ...known, exhausted: true }
  switch (guard.kind === 'unclaimed' ? guard.space : guard.kind) {
    case 'jti':
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
  if (judgement.ok) return { kind: 'accepted', subject }
  const { reason, refusal } = judgement
  return { kind: 'rejected', reason, refusal, subject, delivery_id: facts.grant.delivery_id }
}
