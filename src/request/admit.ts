// Whether this run may ask just now, and whom. Pure: the configuration comes in as the few facts that are needed. A
// caller names people; it never chooses who is entitled to approve.

import type { Channel, Proof } from './channel.js'
import { isToldByContent } from './display.js'
import type { Groups } from './group.js'
import { flawsOf, ladderOf, namedOn } from './ladder.js'
import { type Named, namings, unknownGroups } from './naming.js'
import type { FieldError, Submission } from './parse.js'
import { canVote, type Demand, quorumOf } from './quorum.js'
import type { Recipient, ResolvedRecipient } from './recipient.js'
import type { RequestDraft } from './request.js'
import { isApproval } from './substance.js'
import type { ContentRule, Ladder, Policy, Quorum, Terms } from './terms.js'
import { quote } from './text.js'
import { isOnPage, type Way, wayOf } from './way.js'

/** The facts of the configuration that admission needs. */
export type Admission = {
  readonly recipients: Readonly<Record<string, Person>>
  readonly groups: Groups
  readonly actions: Readonly<Record<string, Action>>
  /** Of forms that hold an approval: who may answer one that names no action, and whether defaults are taken. */
  readonly forms: { readonly approvers: readonly string[]; readonly take_defaults: boolean }
  /** The operator's ladder for such a request. */
  readonly ladderFor: (request: RequestDraft) => Ladder<Recipient> | undefined
  readonly asker: Asker
  /** The channels that are running. */
  readonly configured: readonly Channel[]
  /** The proofs that policy accepts for this request. */
  readonly proofsFor: (request: RequestDraft) => readonly Proof[]
  /** Whether a copy on this channel could show everything that is decided. */
  readonly shows: (channel: Channel, submission: Submission, terms: Terms) => boolean
  /** Whether links are printed on the console: otherwise nothing carries those of the web. */
  readonly printsLinks: boolean
  /** Whether this person can sign in, and a session of theirs can answer such a request. */
  readonly signsIn: (userId: string, request: RequestDraft) => boolean
  /** The proofs that passkeys of this person give here. */
  readonly confirms: (userId: string) => readonly Proof[]
}
/** A person's channels are those the operator lists for them, the preferred ones first. */
type Person = { readonly channels: readonly Channel[] }

type Action = Demand & { readonly approvers: readonly string[]; readonly content?: ContentRule }
/** The key that asks: the person it belongs to, and whether it may say that something is urgent. */
type Asker = { readonly owner: string | null; readonly urgent: boolean }

type Refused = {
  readonly ok: false
  readonly code:
    | 'not_admitted'
    | 'invalid_request'
    | 'recipient_not_approver'
    | 'four_eyes'
    | 'quorum_needs_yes_no'
    | 'quorum_unreachable'
    | 'cannot_be_shown'
  readonly detail: string
  readonly errors: readonly FieldError[]
}
type Admitted =
  | { readonly ok: true; readonly recipients: readonly ResolvedRecipient[]; readonly terms: Terms }
  | Refused

const refused = (code: Refused['code'], detail: string, errors: readonly FieldError[]): Refused => ({
  ok: false,
  code,
  detail,
  errors,
})

export function admit(submission: Submission, admission: Admission): Admitted {
  const { groups } = admission
  const given = submission.recipients ?? onlyPerson(admission)
  const named = namings(given, '/recipients', groups)
  // Those the ladder names pass the same checks.
  const all = submission.ladder === undefined ? named : [...named, ...namedOn(submission.ladder, groups)]
  return (
    wrongMood(submission) ??
    misnamed(submission, given, named, groups) ??
    unknownPeople(all, admission) ??
    unentitled(all, submission, admission) ??
    unreachable(all, admission) ??
    ownerless(submission, admission) ??
    admitted(submission, admission, named)
  )
}

/** More people than this are a mailing list, and nobody's decision. */
const MAX_RECIPIENTS = 10

function misnamed(
  { ladder, request }: Submission,
  given: readonly Recipient[],
  named: readonly Named[],
  groups: Groups,
): Refused | null {
  const errors = [
    ...unknownGroups(given, '/recipients', groups),
    ...(ladder === undefined ? [] : flawsOf(ladder, request.deadline_seconds, groups)),
  ]
  if (named.length > MAX_RECIPIENTS)
    errors.push({
      field: '/recipients',
      read: `${named.length} people`,
      accepted: `at most ${MAX_RECIPIENTS} people, those of groups among them`,
    })
  return errors.length === 0
    ? null
    : refused('invalid_request', 'The people named cannot be asked so.', errors)
}

function admitted(submission: Submission, admission: Admission, named: readonly Named[]): Admitted {
  const action = actionOf(submission, admission)
  const isLeftOut = (userId: string): boolean =>
    action?.four_eyes === true && userId === admission.asker.owner
  const people = named.map(({ recipient }) => recipient)
  const others = action?.four_eyes ? people.filter(({ user_id }) => !isLeftOut(user_id)) : people
  if (others.length === 0) return nobodyElse(people)
  const recipients = others.map(one => resolve(one, admission))
  const ladder = ladderFor(submission, admission, recipients, isLeftOut)
  const quorum = quorumOf(submission, action)
  const terms = termsOf(submission, admission, { action, quorum, recipients, ladder })
  return (
    unvotable(submission, quorum, recipients) ??
    unanswerable(submission, admission, recipients, terms) ?? { ok: true, recipients, terms }
  )
}

const actionOf = ({ request }: Pick<Submission, 'request'>, { actions }: Admission): Action | undefined =>
  request.type === 'REQUEST_APPROVAL' && Object.hasOwn(actions, request.action)
    ? actions[request.action]
    : undefined

/** Where two pairs of eyes are needed, one of them is known: it must be somebody's key that asks. */
function ownerless(submission: Submission, admission: Admission): Refused | null {
  if (!actionOf(submission, admission)?.four_eyes || admission.asker.owner !== null) return null
  const accepted = 'a key made with lane keys add --owner USER'
  const detail = 'This action needs four eyes, and nobody knows whose this key is.'
  return refused('four_eyes', detail, [
    { field: '/request/action', read: 'a key without an owner', accepted },
  ])
}

function nobodyElse(named: readonly Recipient[]): Refused {
  const read = named.map(({ user_id }) => user_id).join(', ')
  const detail = 'This action needs four eyes: whoever asks by their key cannot be the one who approves.'
  const accepted = 'another approver beside the owner of the key'
  return refused('four_eyes', detail, [{ field: '/recipients', read, accepted }])
}

function unvotable(
  submission: Submission,
  quorum: Quorum | null,
  recipients: readonly ResolvedRecipient[],
): Refused | null {
  if (quorum === null) return null
  if (!canVote(submission)) {
    const detail = 'Votes are counted over an approval that is answered by YES or NO.'
    const accepted = 'REQUEST_APPROVAL with reply_schema { "kind": "yes_no" }'
    return refused('quorum_needs_yes_no', detail, [
      { field: '/quorum', read: `need ${quorum.need}`, accepted },
    ])
  }
  if (quorum.need <= recipients.length) return null
  const detail = `${quorum.need} people must say YES, and ${recipients.length} are asked.`
  const accepted = `at least ${quorum.need} recipients`
  return refused('quorum_unreachable', detail, [
    { field: '/recipients', read: `${recipients.length}`, accepted },
  ])
}

type Effective = {
  readonly action: Action | undefined
  readonly quorum: Quorum | null
  readonly recipients: readonly ResolvedRecipient[]
  readonly ladder: Ladder
}

function ladderFor(
  { ladder: own, request }: Submission,
  admission: Admission,
  recipients: readonly ResolvedRecipient[],
  isLeftOut: (userId: string) => boolean,
): Ladder {
  const given = own ?? admission.ladderFor(request)
  if (given === undefined) return NO_STEPS
  const { groups } = admission
  const resolver = (one: Recipient): ResolvedRecipient => resolve(one, admission)
  return ladderOf(given, recipients, request.deadline_seconds, { groups, resolve: resolver, isLeftOut })
}

const NO_STEPS: Ladder = []

/** Everybody who may vote: those asked at once, and those the ladder may add. */
const electorateOf = ({ recipients, ladder }: Effective): readonly string[] =>
  [...recipients, ...ladder.flatMap(step => (step.do === 'add' ? step.recipients : []))].map(
    ({ user_id }) => user_id,
  )

function termsOf(submission: Submission, admission: Admission, effective: Effective): Terms {
  const { quorum, ladder } = effective
  const { urgency: asked = 'normal' } = submission
  const isLowered = asked === 'high' && !admission.asker.urgent
  return {
    urgency: isLowered ? 'normal' : asked,
    ...(isLowered && { urgency_asked: asked }),
    ...(quorum !== null && { quorum, electorate: electorateOf(effective) }),
    ...(ladder.length > 0 && { ladder }),
    policy: policyOf(submission, admission, effective.action),
  }
}

function policyOf({ request }: Submission, admission: Admission, action: Action | undefined): Policy {
  const { owner } = admission.asker
  const content = ruleOf(request, admission.actions)
  return {
    proofs: admission.proofsFor(request),
    ...approversIn(request, admission, action),
    ...(request.reply_schema.kind === 'form' && admission.forms.take_defaults && { take_defaults: true }),
    ...(action?.four_eyes && { four_eyes: true }),
    ...(owner !== null && { owner }),
    ...(content !== undefined && { content }),
  }
}

function approversIn(
  request: RequestDraft,
  { forms }: Admission,
  action: Action | undefined,
): Pick<Policy, 'approvers'> {
  if (action !== undefined) return { approvers: action.approvers }
  return isApproval(request) ? { approvers: forms.approvers } : {}
}

/** How much of the contents must be shown. Where they alone tell what is decided, nobody decides without all of them. */
export function ruleOf(
  request: RequestDraft,
  actions: Readonly<Record<string, { readonly content?: ContentRule }>>,
): ContentRule | undefined {
  if (request.type !== 'REQUEST_APPROVAL') return undefined
  if (isToldByContent(request)) return 'whole'
  return Object.hasOwn(actions, request.action) ? actions[request.action]?.content : undefined
}

function wrongMood({ request, run }: Submission): Refused | null {
  const approval = request.type === 'REQUEST_APPROVAL'
  if (run.mood === 'DEFERENTIAL' || (approval && run.sub_mode === 'approval')) return null
  const accepted = approval ? 'mood DEFERENTIAL, or sub_mode approval' : 'mood DEFERENTIAL'
  const detail = `The run is in mood ${run.mood}. ${approval ? 'An approval is asked for' : 'A person is asked'} in ${accepted}.`
  return refused('not_admitted', detail, [{ field: '/run/mood', read: quote(run.mood), accepted }])
}

/** With one person configured there is nobody else to mean; with more, the caller must say. */
function onlyPerson({ recipients }: Admission): readonly Recipient[] {
  const ids = Object.keys(recipients)
  return ids.length === 1 ? ids.map(user_id => ({ user_id })) : []
}

const personOf = ({ recipients }: Admission, userId: string): Person | undefined =>
  Object.hasOwn(recipients, userId) ? recipients[userId] : undefined

function unknownPeople(named: readonly Named[], admission: Admission): Refused | null {
  if (named.length > 0 && named.every(({ recipient }) => personOf(admission, recipient.user_id))) return null
  const known = Object.keys(admission.recipients).join(', ')
  if (named.length === 0) {
    const error = { field: '/recipients', read: 'nothing', accepted: `one or more of ${known}` }
    return refused('invalid_request', 'Several people are configured, so the request must name some.', [
      error,
    ])
  }
  const errors = named.flatMap(({ field, recipient: { user_id } }) =>
    personOf(admission, user_id) ? [] : [{ field, read: quote(user_id), accepted: `one of ${known}` }],
  )
  return refused('invalid_request', 'A recipient is not configured.', errors)
}

function unentitled(named: readonly Named[], { request }: Submission, admission: Admission): Refused | null {
  if (!isApproval(request)) return null
  const approvers = approversIn(request, admission, actionOf({ request }, admission)).approvers ?? []
  const errors = named.flatMap(({ field, recipient: { user_id } }) =>
    approvers.includes(user_id)
      ? []
      : [{ field, read: quote(user_id), accepted: `one of ${approvers.join(', ')}` }],
  )
  if (errors.length === 0) return null
  return refused(
    'recipient_not_approver',
    request.type === 'REQUEST_APPROVAL'
      ? `Only its configured approvers may approve ${request.action}.`
      : 'A form that holds an approval is answered by those who may approve.',
    errors,
  )
}

function unreachable(named: readonly Named[], admission: Admission): Refused | null {
  if (named.every(({ recipient }) => recipient.channels === undefined)) return null
  const errors = named.flatMap(({ field, recipient: { user_id, channels } }) => {
    const open = openChannels(personOf(admission, user_id), admission.configured)
    const closed = (channels ?? []).map((channel, place) => ({ channel, place }))
    return closed
      .filter(({ channel }) => !open.includes(channel))
      .map(({ channel, place }) => ({
        field: `${field}/channels/${place}`,
        read: quote(channel),
        accepted: `one of ${open.join(', ')}`,
      }))
  })
  return errors.length === 0
    ? null
    : refused('invalid_request', 'A recipient cannot be reached on a named channel.', errors)
}

/** This list is also what the caller is taught. */
const openChannels = (person: Person | undefined, configured: readonly Channel[]): Channel[] =>
  (person?.channels ?? []).filter(channel => configured.includes(channel))

/** A request that none of the people asked could answer, on any channel of theirs, would only
 *  wait for its default. */
function unanswerable(
  submission: Submission,
  admission: Admission,
  recipients: readonly ResolvedRecipient[],
  terms: Terms,
): Refused | null {
  const channels = [...new Set(recipients.flatMap(one => one.channels))]
  const proofs = admission.proofsFor(submission.request)
  const isCarried = (channel: Channel): boolean => channel !== 'web' || admission.printsLinks
  const carried = channels.filter(isCarried)
  // One is enough, if anything tells them.
  const told = recipients.filter(one => one.channels.some(isCarried))
  const signsIn = told.some(one => admission.signsIn(one.user_id, submission.request))
  const confirms = told.flatMap(one => admission.confirms(one.user_id))
  const wayBy = (channel: Channel, shown: boolean): Way =>
    wayOf({ channel, shown, coded: true, signsIn, confirms, proofs })
  // If the page is enough there is no need to draw the copies.
  if (carried.some(channel => isOnPage(wayBy(channel, false)))) return unshown(submission, admission, terms)
  const ways = carried.map(channel => wayBy(channel, admission.shows(channel, submission, terms)))
  if (ways.includes('reply')) return null
  const read = `asked on ${channels.join(', ')}`
  const detail = ways.includes('too_long_here')
    ? 'No channel of anybody asked could show all of what is decided, and none leads to a page whose proof is enough.'
    : 'No channel of anybody asked gives a proof that is enough for this request.'
  const accepted = `somebody who can answer by ${proofs.join(', ')}${ways.includes('too_long_here') ? ', or a shorter request' : ''}`
  return refused('cannot_be_shown', detail, [{ field: '/recipients', read, accepted }])
}

/** Null where the page shows enough to decide on. */
function unshown(submission: Submission, admission: Admission, terms: Terms): Refused | null {
  if (terms.policy.content !== 'whole' || admission.shows('web', submission, terms)) return null
  const detail = 'What is decided must be shown whole, and not even the page can show all of its contents.'
  const accepted = 'contents that are text, and shorter ones'
  return refused('cannot_be_shown', detail, [{ field: '/request', read: 'longer contents', accepted }])
}

function resolve({ user_id, channels }: Recipient, admission: Admission): ResolvedRecipient {
  if (channels) return { user_id, channels, route: 'all' }
  return { user_id, channels: personOf(admission, user_id)?.channels ?? [], route: 'first' }
}
