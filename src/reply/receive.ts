// Lets an answer in. Whatever came back is judged and recorded in one append: an accepted reply resolves its request
// with it, a rejected one leaves it open, and either way the event names every check and its result.
//
// R1  Nothing is said to the person before the commit.
// R2  The deadline is judged by the ledger's clock inside the append; from `deadline_at` on only the default can win.
// R3  What names no delivery is not recorded: strangers cannot grow the ledger.
// R4  Attempts are counted per delivery and sender. When they run out the handle is dead, whatever comes next.
import type { Binding, Channel, Inbound, Proof } from '../adapter.js'
import type { Case } from '../agenda/case.js'
import { canonical, sha256 } from '../canonical.js'
import { instant } from '../clock.js'
import { GRAMMAR, type Refusal } from '../compiler/compile.js'
import type { Body, Draft } from '../event.js'
import type { Grant, Guard, Moment, RawReply, Shelf, Shelving } from '../ledger/contract.js'
import type { Reason } from '../reason.js'
import type { Recorder, Told } from '../record.js'
import type { Request } from '../request/request.js'
import { draw } from '../token/chance.js'
import { hashToken } from '../token/jws.js'
import type { Keyring } from '../token/keyring.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'
import { verify } from '../token/reply-token.js'
import { type Facts, isCodeOf, isSameMoment, type Judgement, judge, provesPossession } from './checks.js'

const SALT_BYTES = 32
const ID_BYTES = 16
/** Longer ids of messages are kept by their hash: an entry's body has no room for them. */
const MAX_ID_CHARS = 200

/** How many of the messages on a person's phone they may still answer by code once the requests are settled. */
const CODES_REMEMBERED = 20

export type Receiver = {
  readonly record: Recorder
  readonly shelf: Shelf
  readonly keyring: () => Keyring
  readonly proofsFor: (request: Request) => readonly Proof[]
  /** The person a channel's vouched-for address belongs to. */
  readonly whois: (channel: Channel, sender: unknown) => string | null
  readonly attemptsPerDelivery: number
  /** The case as it stands once anything overdue has been resolved: every door asks this first. */
  readonly settle: (requestId: string) => Promise<Case>
  readonly now: () => number
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
    const facts = await gather(receiver, bound, known)
    if (facts === null) return { kind: 'unknown' }
    const { subject } = facts
    const likely = judge(facts)
    if (known.repeated || isSilent(facts, likely)) return concluded(facts, subject, likely)
    const result = await receiver.record<'changed'>(
      { request_id: subject.request_id, subject },
      moment => tell(facts, likely, raw, moment, beside),
      guardsFor(receiver, facts, likely),
    )
    if (result.kind === 'recorded') return concluded(facts, result.subject, likely)
    if (result.kind === 'guarded') known = learn(known, result.guard)
  }
}

/** Whether this sender could answer now, whatever the words: nothing is recorded and nothing counted. */
export async function glance(
  receiver: Receiver,
  given: Inbound,
): Promise<{ readonly subject: Case; readonly reason: Reason | null } | null> {
  const bound = await bind(receiver, given)
  const facts = bound && (await gather(receiver, bound, NOTHING_KNOWN))
  if (facts === null) return null
  const judgement = judge(facts)
  const reason = judgement.ok || judgement.refusal !== null ? null : judgement.reason
  return { subject: facts.subject, reason }
}

type Bound = Pick<Facts, 'inbound' | 'grant' | 'token'>

async function bind(receiver: Receiver, given: Inbound): Promise<Bound | null> {
  const inbound = readInbound(given)
  const grant = inbound && (await findGrant(receiver, inbound))
  if (inbound === null || grant === null) return null
  const token = await verify(receiver.keyring(), grant.token, receiver.now())
  return { inbound: asProven(inbound, grant), grant, token }
}

/** The console vouches for links that were printed on it: one that went out by another channel proves possession only. */
const asProven = (inbound: Inbound, { channel }: Grant): Inbound =>
  inbound.proof === 'console' && channel !== 'web' ? { ...inbound, proof: 'link_code' } : inbound

async function gather(receiver: Receiver, bound: Bound, known: Known): Promise<Facts | null> {
  const { inbound, grant, token } = bound
  const subject = await receiver.settle(grant.request_id)
  const delivery = subject.deliveries.find(one => one.delivery_id === grant.delivery_id)
  if (delivery === undefined) return null
  const sender = speaker(receiver, inbound, token.ok ? token.claims.sub : null)
  const proofs = receiver.proofsFor(subject.request)
  return { ...bound, subject, delivery, sender, proofs, ...known, ms: receiver.now() }
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

/** A channel may change the case of what travels through it; what is no handle then names nothing. */
function readInbound(given: Inbound): Inbound | null {
  const { provider_message_id: id } = given
  const kept = id !== undefined && id.length > MAX_ID_CHARS ? { provider_message_id: sha256(id) } : {}
  if (given.binding.kind !== 'handle') return { ...given, ...kept }
  const handle = readHandle(given.binding.handle)
  return handle === null ? null : { ...given, ...kept, binding: { kind: 'handle', handle } }
}

type Finder = Pick<Receiver, 'shelf' | 'whois'>

async function findGrant(
  { shelf, whois }: Finder,
  { binding, channel, sender }: { binding: Binding; channel: Channel; sender?: unknown },
): Promise<Grant | null> {
  switch (binding.kind) {
    case 'handle':
      return shelf.grant(hashHandle(binding.handle))
    case 'ref':
      return shelf.grantByRef(channel, binding.ref)
    case 'code': {
      const user = sender === undefined ? null : whois(channel, sender)
      return user === null ? null : byCode(shelf, channel, user, binding.code)
    }
  }
}

/** A code of a request that is settled leads there, so that whoever is late is told what holds. One that is none of
 *  theirs is a try at what they were asked last: it is counted there, and fails there. So is one that two open requests
 *  share by chance. */
async function byCode(shelf: Shelf, channel: Channel, user: string, code: string): Promise<Grant | null> {
  const open = await shelf.openGrants(channel, user)
  const fitting = open.filter(grant => isCodeOf(grant, code))
  if (fitting.length === 1) return fitting[0] ?? null
  const settled = fitting.length > 0 ? [] : await shelf.lastGrants(channel, user, CODES_REMEMBERED)
  const late = settled.findLast(grant => isCodeOf(grant, code))
  return late ?? open.findLast(grant => !fitting.includes(grant)) ?? null
}

function keepsake(inbound: Inbound, grant: Grant): RawReply {
  const chance = draw(ID_BYTES + SALT_BYTES)
  return {
    reply_id: `r-${chance.subarray(0, ID_BYTES).toString('hex')}`,
    request_id: grant.request_id,
    salt: chance.subarray(ID_BYTES),
    raw: inbound.text,
  }
}

/** Vouched for, and a person: who only uses the addressee's name, and a robot of theirs, have attempts of their own. */
const isAddressee = ({ sender, token, inbound }: Facts): boolean =>
  token.ok && sender === token.claims.sub && inbound.authenticated && !inbound.automated

/** A dead handle says nothing more: the entry that killed it is there. And a stranger's own attempts running out
 *  neither kills the addressee's handle nor needs an entry beyond those already made. */
const isSilent = (facts: Facts, likely: Judgement): boolean =>
  !likely.ok && likely.reason === 'rate_limited' && (facts.delivery.exhausted || !isAddressee(facts))

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

/** The judgement holds if the ledger's own clock leaves it as it was. If a moment that matters has come between,
 *  everything is asked afresh: an overdue default is resolved first, and what is said is what was recorded. */
function tell(
  facts: Facts,
  judgement: Judgement,
  raw: RawReply,
  moment: Moment,
  beside: readonly Shelving[],
): Told<'changed'> {
  if (!isSameMoment(facts, moment.ms)) return { refuse: 'changed' }
  const shelve: Shelving[] = [{ put: 'raw', reply: raw }, ...beside]
  if (judgement.ok) return { events: acceptance(facts, judgement, raw, moment), shelve }
  if (judgement.reason === 'deadline_passed' && !moment.suspect) return { refuse: 'changed' }
  return { events: [rejection(facts, judgement, raw)], shelve }
}

const ids = ({ subject }: Facts) => ({ request_id: subject.request_id, run_id: subject.run.run_id })
const hashRaw = ({ salt, raw }: RawReply) => sha256(salt, raw)

function rejection(facts: Facts, judgement: Extract<Judgement, { ok: false }>, raw: RawReply): Draft {
  return {
    type: 'INBOUND_REPLY_REJECTED',
    ...ids(facts),
    body: {
      reply_id: raw.reply_id,
      delivery_id: facts.grant.delivery_id,
      channel: facts.inbound.channel,
      reason: judgement.reason,
      token_validation: judgement.checks,
      raw_text_hash: hashRaw(raw),
    },
  }
}

function acceptance(
  facts: Facts,
  judgement: Extract<Judgement, { ok: true }>,
  raw: RawReply,
  moment: Moment,
): readonly Draft[] {
  const { inbound, grant } = facts
  const about = { reply_id: raw.reply_id, delivery_id: grant.delivery_id, channel: inbound.channel }
  const answered_by = facts.sender ?? ''
  const event: Body<'HUMAN_REPLY_EVENT'> = {
    ...about,
    request_id: facts.subject.request_id,
    sender_identity: { user_id: answered_by, proof: inbound.proof },
    ...(inbound.provider_message_id !== undefined && { provider_message_id: inbound.provider_message_id }),
    raw_text_hash: hashRaw(raw),
    grammar: GRAMMAR,
    ...judgement.answer,
    receipts: { token_hash: hashToken(grant.token), received_at: instant(facts.ms) },
  }
  const answer = {
    ...judgement.answer,
    answered_by,
    channel: inbound.channel,
    proof: inbound.proof,
    at: moment.at,
  }
  return [
    {
      type: 'INBOUND_REPLY_RECEIVED',
      ...ids(facts),
      body: { ...about, token_validation: judgement.checks, event_hash: sha256(canonical(event)) },
    },
    { type: 'HUMAN_REPLY_EVENT', ...ids(facts), body: event },
    {
      type: 'REQUEST_RESOLVED',
      ...ids(facts),
      body: { outcome: 'answered', causes: [moment.seq + 1], answer },
    },
  ]
}

function concluded({ grant }: Facts, subject: Case, judgement: Judgement): Received {
  if (judgement.ok) return { kind: 'accepted', subject }
  const { reason, refusal } = judgement
  return { kind: 'rejected', reason, refusal, subject, delivery_id: grant.delivery_id }
}
