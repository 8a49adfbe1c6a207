// Whether this run may ask just now, and whom. Pure: the configuration comes in as the few facts that are needed. A
// caller names people; it never chooses who is entitled to approve.

import { type Hash, hashOf } from '../canonical.js'
import type { Channel, Proof } from './channel.js'
import type { FieldError, Submission } from './parse.js'
import type { Recipient, RequestDraft } from './request.js'
import { quote } from './text.js'
import { type Way, wayOf } from './way.js'

/** The facts of the configuration that admission needs. */
export type Admission = {
  readonly recipients: Readonly<Record<string, Person>>
  readonly actions: Readonly<Record<string, { readonly approvers: readonly string[] }>>
  /** The channels that are running. */
  readonly configured: readonly Channel[]
  /** The proofs that policy accepts for this request. */
  readonly proofsFor: (request: RequestDraft) => readonly Proof[]
  /** Whether a copy on this channel could show everything that is decided. */
  readonly shows: (channel: Channel, submission: Submission) => boolean
  /** Whether links are printed on the console: otherwise nothing carries those of the web. */
  readonly printsLinks: boolean
}
/** A person's channels are those the operator lists for them, the preferred ones first. */
type Person = { readonly channels: readonly Channel[] }

export type ResolvedRecipient = {
  readonly user_id: string
  readonly channels: readonly Channel[]
  /** `first`: in order of preference, the next when one fails. `all`: the request named them, and all are used. */
  readonly route: 'first' | 'all'
}

type Refused = {
  readonly ok: false
  readonly code: 'not_admitted' | 'invalid_request' | 'recipient_not_approver' | 'cannot_be_shown'
  readonly detail: string
  readonly errors: readonly FieldError[]
}
type Admitted = { readonly ok: true; readonly recipients: readonly ResolvedRecipient[] } | Refused

const refused = (code: Refused['code'], detail: string, errors: readonly FieldError[]): Refused => ({
  ok: false,
  code,
  detail,
  errors,
})

export function admit(submission: Submission, admission: Admission): Admitted {
  const named = submission.recipients ?? onlyPerson(admission)
  return (
    wrongMood(submission) ??
    unknownPeople(named, admission) ??
    unentitled(named, submission, admission) ??
    unreachable(named, admission) ??
    admitted(submission, admission, named)
  )
}

function admitted(submission: Submission, admission: Admission, named: readonly Recipient[]): Admitted {
  const recipients = named.map(one => resolve(one, admission))
  return unanswerable(submission, admission, recipients) ?? { ok: true, recipients }
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

function unknownPeople(named: readonly Recipient[], admission: Admission): Refused | null {
  if (named.length > 0 && named.every(({ user_id }) => personOf(admission, user_id))) return null
  const known = Object.keys(admission.recipients).join(', ')
  if (named.length === 0) {
    const error = { field: '/recipients', read: 'nothing', accepted: `one or more of ${known}` }
    return refused('invalid_request', 'Several people are configured, so the request must name some.', [
      error,
    ])
  }
  const errors = named.flatMap(({ user_id }, index) =>
    personOf(admission, user_id)
      ? []
      : [{ field: `/recipients/${index}`, read: quote(user_id), accepted: `one of ${known}` }],
  )
  return refused('invalid_request', 'A recipient is not configured.', errors)
}

function unentitled(
  named: readonly Recipient[],
  { request }: Submission,
  { actions }: Admission,
): Refused | null {
  if (request.type !== 'REQUEST_APPROVAL') return null
  const approvers = Object.hasOwn(actions, request.action) ? (actions[request.action]?.approvers ?? []) : []
  const errors = named.flatMap(({ user_id }, index) =>
    approvers.includes(user_id)
      ? []
      : [{ field: `/recipients/${index}`, read: quote(user_id), accepted: `one of ${approvers.join(', ')}` }],
  )
  if (errors.length === 0) return null
  return refused(
    'recipient_not_approver',
    `Only its configured approvers may approve ${request.action}.`,
    errors,
  )
}

function unreachable(named: readonly Recipient[], admission: Admission): Refused | null {
  if (named.every(({ channels }) => channels === undefined)) return null
  const errors = named.flatMap(({ user_id, channels }, index) => {
    const open = openChannels(personOf(admission, user_id), admission.configured)
    const closed = (channels ?? []).map((channel, place) => ({ channel, place }))
    return closed
      .filter(({ channel }) => !open.includes(channel))
      .map(({ channel, place }) => ({
        field: `/recipients/${index}/channels/${place}`,
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
): Refused | null {
  const channels = [...new Set(recipients.flatMap(one => one.channels))]
  const proofs = admission.proofsFor(submission.request)
  const carried = channels.filter(channel => channel !== 'web' || admission.printsLinks)
  const wayBy = (channel: Channel, shown: boolean): Way => wayOf({ channel, shown, coded: true, proofs })
  // If the page is enough there is no need to draw the copies.
  if (carried.some(channel => wayBy(channel, false) === 'page')) return null
  const ways = carried.map(channel => wayBy(channel, admission.shows(channel, submission)))
  if (ways.includes('reply')) return null
  const read = `asked on ${channels.join(', ')}`
  const detail = ways.includes('too_long_here')
    ? 'No channel of anybody asked could show all of what is decided, and none leads to a page whose proof is enough.'
    : 'No channel of anybody asked gives a proof that is enough for this request.'
  const accepted = `somebody who can answer by ${proofs.join(', ')}${ways.includes('too_long_here') ? ', or a shorter request' : ''}`
  return refused('cannot_be_shown', detail, [{ field: '/recipients', read, accepted }])
}

function resolve({ user_id, channels }: Recipient, admission: Admission): ResolvedRecipient {
  if (channels) return { user_id, channels, route: 'all' }
  return { user_id, channels: personOf(admission, user_id)?.channels ?? [], route: 'first' }
}

/**
 * The hash of what travels beside the request, as the caller gave it: the same id with another envelope is another
 * request. A callback joins under its own name only if there is one, so that hashes made without one keep standing.
 */
export const envelopeHash = ({
  run,
  recipients,
  callback_url,
}: Pick<Submission, 'run' | 'recipients' | 'callback_url'>): Hash =>
  hashOf('lane/envelope/v1', { run, recipients, ...(callback_url !== undefined && { callback_url }) })
