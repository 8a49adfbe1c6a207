// What a proof tells of a decision, checked member by member from the entries it carries: the checks 6 to 11 of
// docs/spec/proof.md, in that order. The entries are known to stand in the tree; nothing else is known of them.
import { canonical, hashOf, sha256 } from '../canonical.js'
import type { StoredBody } from '../event.js'
import type { Request } from '../request/request.js'
import { type Counted, type Tallied, tally } from '../tally/tally.js'
import { verdictOf } from '../tally/verdict.js'
import { oddFor } from './kinds.js'
import { type AnyEntry, isIssuing, member, tokenUsedBy } from './parts.js'
import { ProofRefused } from './refused.js'
import { hashOfDisplay } from './shown.js'

const need: (holds: boolean, code: ProofRefused['code'], message: string) => asserts holds = (
  holds,
  code,
  message,
) => {
  if (!holds) throw new ProofRefused(code, message)
}
const isSame = (one: unknown, other: unknown): boolean => canonical(one ?? null) === canonical(other ?? null)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textsOf = (value: unknown): readonly string[] => listOf(value).filter(one => typeof one === 'string')

const ID_MEMBER: Readonly<Record<string, string>> = {
  REQUEST_QUESTION: 'question_id',
  REQUEST_REVIEW: 'review_id',
  REQUEST_APPROVAL: 'approval_id',
}
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  HUMAN_REPLY_EVENT: ['answered'],
  TIMEOUT_RECEIPT: ['defaulted', 'undelivered'],
  REQUEST_WITHDRAWN: ['withdrawn'],
}
const STANDING = ['sent', 'uncertain', 'closed']
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** So many seconds after a time; null where there is none: 30 February and 24:00 are read as other days by some. */
function later(at: string, seconds: unknown): string | null {
  if (!TIME.test(at) || !Number.isSafeInteger(seconds) || (seconds as number) < 1) return null
  if (new Date(at).toISOString() !== at) return null
  const ms = Date.parse(at) + (seconds as number) * 1000
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null
}

export type DecisionStory = {
  readonly opening: AnyEntry
  readonly request: Readonly<Record<string, unknown>>
  readonly terms: unknown
  readonly resolved: AnyEntry
  readonly entries: readonly AnyEntry[]
  readonly displays: readonly unknown[]
}

/** Throws ProofRefused for the first that does not hold. */
export function checkDecision(
  requestId: string,
  entries: readonly AnyEntry[],
  displays: readonly unknown[],
): DecisionStory {
  const of = (...types: readonly string[]): readonly AnyEntry[] =>
    entries.filter(({ type }) => types.includes(type))
  const opening = asked('request_altered', entries, () => openingOf(requestId, entries))
  const request = opening.body.request as Readonly<Record<string, unknown>>
  const deliveries = of('DELIVERY_STARTED')
  asked('display_altered', entries, () => checkDisplays(requestId, opening, displays, deliveries))
  asked('reply_unfounded', entries, () => checkReplies(opening, entries))
  asked('right_missing', entries, () => checkRights(opening, entries))
  const resolved = asked('outcome_differs', entries, () => checkOutcome(opening, entries))
  const told = { opening, request, terms: opening.body.terms ?? null, resolved, entries, displays }
  asked('decision_differs', entries, () => checkDirection(told))
  return told
}

/** A member that a check needs and that is not there, or not of its kind, fails the check: whoever holds the key can sign
 *  anything, and no file makes this throw anything else. */
function asked<T>(code: ProofRefused['code'], entries: readonly AnyEntry[], check: () => T): T {
  const odd = oddFor(code, entries)
  need(odd === undefined, code, `a member of entry ${odd?.seq} is missing, or is something else`)
  try {
    return check()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw new ProofRefused(code, 'a member that is needed is missing, or is something else')
    throw error
  }
}

function openingOf(requestId: string, entries: readonly AnyEntry[]): AnyEntry {
  const [first] = entries
  const code = 'request_altered'
  need(first?.type === 'REQUEST_OPENED', code, 'it does not begin with the opening of the request')
  need(
    entries.filter(({ type }) => type === 'REQUEST_OPENED').length === 1,
    code,
    'the request was opened twice',
  )
  const { body, at } = first
  const type = member(body.request, 'type')
  need(typeof type === 'string' && Object.hasOwn(ID_MEMBER, type), code, 'it is no request')
  need(
    body.request_hash === hashOf('lane/request/v1', body.request),
    code,
    'request_hash is not that of the request',
  )
  need(member(body.request, ID_MEMBER[type] ?? '') === requestId, code, 'the request has another id')
  const due = later(at, member(body.request, 'deadline_seconds'))
  need(
    due !== null && body.deadline_at === due,
    code,
    'the deadline is not deadline_seconds after the opening',
  )
  return first
}

function checkDisplays(
  requestId: string,
  { body }: AnyEntry,
  displays: readonly unknown[],
  deliveries: readonly AnyEntry[],
): void {
  const code = 'display_altered'
  const hashes = [...new Set(deliveries.map(({ body: { display_hash } }) => display_hash))]
  const shown = displays.map(hashOfDisplay)
  need(isSame(shown, hashes), code, 'what was shown is not what the deliveries say')
  const told = {
    request_id: requestId,
    request_hash: body.request_hash,
    run_id: member(body.run, 'run_id'),
    reply_schema: member(body.request, 'reply_schema'),
    deadline_at: body.deadline_at,
    default_action: member(body.request, 'default_action'),
  }
  for (const display of displays)
    for (const [name, value] of Object.entries(told))
      need(isSame(member(display, name), value), code, `${name} was shown otherwise than it was asked`)
}

const isDelegation = ({ type, body }: AnyEntry): boolean =>
  type === 'REQUEST_DELEGATED' && body.by === 'person'
/** What a person said: an answer, or that somebody else is to answer. */
export const isSaid = (entry: AnyEntry): boolean => entry.type === 'HUMAN_REPLY_EVENT' || isDelegation(entry)
export const senderOf = ({ type, body }: AnyEntry): unknown =>
  type === 'REQUEST_DELEGATED' ? body.from : member(body.sender_identity, 'user_id')

function checkReplies({ body: opened }: AnyEntry, entries: readonly AnyEntry[]): void {
  const code = 'reply_unfounded'
  const bySeq = new Map(entries.map(entry => [entry.seq, entry]))
  const resolved = entries.filter(({ type }) => type === 'REQUEST_RESOLVED')
  for (const { seq } of entries.filter(({ type }) => type === 'INBOUND_REPLY_RECEIVED')) {
    const next = bySeq.get(seq + 1)
    need(next !== undefined && isSaid(next), code, `nothing follows on the reply announced by entry ${seq}`)
  }
  for (const entry of entries.filter(isSaid)) {
    checkReply(entry, bySeq.get(entry.seq - 1), entries)
    need(
      entry.at < (opened.deadline_at as string),
      code,
      `entry ${entry.seq} came at the deadline or after it`,
    )
    need(
      resolved.every(({ seq }) => entry.seq < seq),
      code,
      `entry ${entry.seq} came after the resolution`,
    )
  }
  if (member(member(opened.request, 'reply_schema'), 'kind') === 'form') return
  const replies = entries.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
  for (const values of [replies.map(tokenUsedBy), replies.map(({ body }) => body.reply_id)])
    need(new Set(values.map(String)).size === values.length, code, 'a token or a reply was used twice')
}

function checkReply(entry: AnyEntry, before: AnyEntry | undefined, entries: readonly AnyEntry[]): void {
  const code = 'reply_unfounded'
  const { body, seq } = entry
  need(before?.type === 'INBOUND_REPLY_RECEIVED', code, `entry ${seq} was not announced`)
  const { reply_id, delivery_id, token_validation, event_hash } = before.body
  const isAnnounced = isSame(reply_id, body.reply_id) && isSame(delivery_id, body.delivery_id)
  need(isAnnounced, code, `entry ${seq - 1} announces another reply`)
  const checks = Array.isArray(token_validation) && token_validation.every(one => member(one, 'ok') === true)
  need(checks, code, `a check of entry ${seq - 1} does not hold`)
  need(event_hash === sha256(canonical(body)), code, `entry ${seq} is not what was announced`)
  const ofDelivery = entries.filter(
    one => isIssuing(one.type) && isSame(one.body.delivery_id, body.delivery_id),
  )
  const token = tokenUsedBy(entry)
  const isIssued = ofDelivery.some(one => one.seq < seq && one.body.token_hash === token)
  need(isIssued, code, `the token of entry ${seq} was not issued before for its delivery`)
  const recipients = ofDelivery
    .filter(({ type }) => type === 'DELIVERY_STARTED')
    .map(one => one.body.recipient)
  const isTheirs = recipients.length > 0 && recipients.every(one => isSame(one, senderOf(entry)))
  need(isTheirs, code, `the token of entry ${seq} was issued to somebody else`)
}

function checkRights({ body: opened }: AnyEntry, entries: readonly AnyEntry[]): void {
  const code = 'right_missing'
  const { terms } = opened
  const asked = new Set<unknown>(listOf(opened.recipients).map(one => member(one, 'user_id')))
  const places = new Set<unknown>(textsOf(member(terms, 'electorate')))
  for (const entry of entries) {
    const { type, body, seq } = entry
    if (type === 'REQUEST_ESCALATED') for (const user of textsOf(body.to)) asked.add(user)
    if (isSaid(entry) || type === 'REQUEST_DELEGATED')
      need(asked.has(senderOf(entry)), code, `${String(senderOf(entry))} had no right to say entry ${seq}`)
    if (isSaid(entry) && terms !== undefined) checkTerms(entry, terms, places)
    if (type !== 'REQUEST_DELEGATED') continue
    asked.delete(body.from)
    asked.add(body.to)
    if (places.has(body.from)) places.add(body.to)
  }
}

function checkTerms(entry: AnyEntry, terms: unknown, places: ReadonlySet<unknown>): void {
  const code = 'right_missing'
  const sender = senderOf(entry)
  const policy = member(terms, 'policy')
  const isAnswer = entry.type === 'HUMAN_REPLY_EVENT'
  const proof = isAnswer ? member(entry.body.sender_identity, 'proof') : entry.body.proof
  need(listOf(member(policy, 'proofs')).includes(proof), code, `the proof ${String(proof)} was not enough`)
  const approvers = member(policy, 'approvers')
  need(
    approvers === undefined || listOf(approvers).includes(sender),
    code,
    `${String(sender)} was no approver`,
  )
  need(member(terms, 'quorum') === undefined || places.has(sender), code, `${String(sender)} had no vote`)
  const owner = member(policy, 'owner')
  const isOther = member(policy, 'four_eyes') !== true || (owner !== undefined && !isSame(owner, sender))
  need(isOther, code, `${String(sender)} asked by a key of their own, where four eyes are needed`)
}

function checkOutcome(opening: AnyEntry, entries: readonly AnyEntry[]): AnyEntry {
  const code = 'outcome_differs'
  const [resolved, another] = entries.filter(({ type }) => type === 'REQUEST_RESOLVED')
  need(resolved !== undefined && another === undefined, code, 'it was not resolved exactly once')
  const { body, seq, at } = resolved
  const causes = listOf(body.causes)
  const cause = entries.find(one => one.seq === seq - 1)
  need(
    cause !== undefined && causes.at(-1) === cause.seq,
    code,
    'its cause does not stand directly before the resolution',
  )
  const leads = Object.hasOwn(OUTCOMES, cause.type) && OUTCOMES[cause.type]?.includes(body.outcome as string)
  need(leads === true && cause.at === at, code, `${cause.type} does not lead to this outcome`)
  if (cause.type === 'HUMAN_REPLY_EVENT') {
    const replies = entries.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
    const isForm = member(member(opening.body.request, 'reply_schema'), 'kind') === 'form'
    const hasDecisions = replies.some(one => member(one.body.parsed_payload, 'decisions') !== undefined)
    need(isForm || !hasDecisions, code, 'an answer decides what was not asked')
    const sum = tally(askedIn(opening, replies))
    need(
      sum.kind === 'decided' && isSame([sum.causes, sum.answer], [causes, body.answer ?? null]),
      code,
      'the answers come to something else',
    )
    return resolved
  }
  need(causes.length === 1 && body.answer === undefined, code, 'it was not answered, and has an answer')
  if (cause.type === 'REQUEST_WITHDRAWN')
    need(cause.at < (opening.body.deadline_at as string), code, 'withdrawn though the deadline had come')
  else checkTimeout(opening, cause, body)
  return resolved
}

/** What the tally is asked. */
function askedIn({ body }: AnyEntry, told: readonly AnyEntry[]): Tallied {
  const replies = told.map(
    ({ seq, at, body: reply }): Counted => ({
      seq,
      at,
      event_hash: sha256(canonical(reply)),
      reply: reply as unknown as StoredBody<'HUMAN_REPLY_EVENT'>,
    }),
  )
  const terms = (body.terms ?? null) as Tallied['terms']
  return { request: body.request as unknown as Request, terms, replies }
}

function checkTimeout({ body: opened }: AnyEntry, { body, at }: AnyEntry, resolved: AnyEntry['body']): void {
  const code = 'outcome_differs'
  const fallback = member(opened.request, 'default_action')
  need(body.request_hash === opened.request_hash, code, 'another request timed out')
  need(
    isSame(body.default_action, fallback) && isSame(resolved.default_action, fallback),
    code,
    'the default is another',
  )
  need(body.deadline_at === opened.deadline_at && body.fired_at === at, code, 'it timed out at another time')
  need(at >= (opened.deadline_at as string), code, 'it timed out before the deadline')
  const stood = listOf(body.deliveries).some(one => STANDING.includes(member(one, 'state') as string))
  need(
    resolved.outcome === (stood ? 'defaulted' : 'undelivered'),
    code,
    'whether it was delivered is told otherwise',
  )
}

/** Whether an approval was given. */
function isGiven({ request, resolved }: Pick<DecisionStory, 'request' | 'resolved'>): boolean {
  if (request.type !== 'REQUEST_APPROVAL' || resolved.body.outcome !== 'answered') return false
  return verdictOf(resolved.body.answer as Parameters<typeof verdictOf>[0]) === 'given'
}

function checkDirection(told: DecisionStory): void {
  const code = 'decision_differs'
  const { opening, resolved, request, entries } = told
  for (const { type, seq, body } of entries) {
    if (type !== 'DIRECTOR_DECIDED' && type !== 'AHDB_DELTA') continue
    const subject = seq > resolved.seq ? resolved : opening
    need(body.because === subject.seq, code, `entry ${seq} is about something else`)
    const isFree = body.decision !== 'CONTINUE' || request.type !== 'REQUEST_APPROVAL' || isGiven(told)
    need(type !== 'DIRECTOR_DECIDED' || isFree, code, 'the run goes on without an approval')
  }
  const issued = entries.filter(({ type }) => type === 'POLICY_TOKEN_ISSUED')
  const gone = entries.filter(({ type }) => type === 'POLICY_TOKEN_SPENT' || type === 'POLICY_TOKEN_REVOKED')
  need(issued.length <= 1 && gone.length <= issued.length, code, 'a policy token was made or used twice')
  for (const entry of issued) checkIssued(told, entry, gone)
}

function checkIssued(told: DecisionStory, { seq, at, body }: AnyEntry, gone: readonly AnyEntry[]): void {
  const code = 'decision_differs'
  const { opening, request, resolved, entries } = told
  const decided = entries.some(
    one =>
      one.type === 'DIRECTOR_DECIDED' &&
      one.seq > resolved.seq &&
      one.seq < seq &&
      ['CONTINUE', 'CHANGE_MOOD'].includes(one.body.decision as string),
  )
  need(isGiven(told) && decided, code, 'a right was given without an approval')
  const announced = entries.find(one => one.seq === (listOf(resolved.body.causes).at(-1) as number) - 1)
  const bound = {
    action: request.action,
    parameters_hash: hashOf('lane/parameters/v1', request.parameters ?? null),
    request_hash: opening.body.request_hash,
    reply_event_hash: announced?.body.event_hash,
    issued_at: at,
  }
  for (const [name, value] of Object.entries(bound))
    need(isSame(body[name], value), code, `${name} of the policy token is that of something else`)
  if (body.valid_seconds !== undefined) {
    const due = later(resolved.at, body.valid_seconds)
    need(due !== null && body.expires_at === due, code, 'the policy token expires at another time')
  }
  for (const one of gone) {
    need(one.seq > seq && one.body.jti === body.jti, code, 'another policy token was used')
    if (one.type !== 'POLICY_TOKEN_SPENT') continue
    const inTime = one.at < (body.expires_at as string) && isSame(one.body.by, opening.body.opened_by)
    need(inTime, code, 'the policy token was spent too late or by another')
  }
}
