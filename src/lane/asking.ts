// Who may be asked about an open request just now, and who stands in for whom. Both hold: the terms it was opened under,
// and the configuration of the day.
import { type Asked, handsOf, has, holds, MOST_HANDS } from '../agenda/asked.js'
import type { Case } from '../agenda/case.js'
import { whoIsMeant } from '../compiler/delegate.js'
import { type Config, policyFor } from '../config/config.js'
import type { Deed } from '../event.js'
import type { Absences } from '../people/absences.js'
import type { Channel } from '../request/channel.js'

export type AskingParts = {
  readonly config: Config
  readonly absences: Absences
  readonly adapters: { has(channel: Channel): boolean }
}

type Subject = Pick<Case, 'request' | 'terms'>

/** Somebody of the configuration who can be reached, may approve where it is an approval, and is not the one whose key
 *  asks where four eyes are needed. */
function mayBeAsked({ config, adapters }: AskingParts, subject: Subject, userId: string): boolean {
  const person = config.recipients[userId]
  if (person === undefined || !person.channels.some(channel => adapters.has(channel))) return false
  const frozen = subject.terms?.policy
  const today = policyFor(config, subject.request)
  const isAmong = (approvers: readonly string[] | null | undefined): boolean =>
    approvers == null || approvers.includes(userId)
  const isOwner = frozen?.owner === userId && (today.fourEyes || frozen.four_eyes === true)
  return isAmong(today.approvers) && isAmong(frozen?.approvers) && !isOwner
}

/** Whoever votes anyway, though perhaps not asked yet, takes nobody's place: two places would have one voice. */
const isElector = ({ terms }: Subject, userId: string): boolean =>
  terms?.electorate?.includes(userId) ?? false

const NOBODY: readonly Deed[] = []

/** The hands through which it goes because people are away who would be asked now; whoever is asked already is asked in
 *  nobody's place. */
export function handsAway(
  parts: AskingParts,
  subject: Subject,
  asked: readonly Asked[],
  asking: readonly string[],
  ms: number,
): readonly Deed[] {
  if (parts.absences.none) return NOBODY
  const taken = new Set([...asked.map(one => one.user_id), ...asking])
  return asking.flatMap(userId => {
    const hands = parts.absences.handsFrom(
      userId,
      ms,
      ({ from, to }) =>
        !taken.has(to) &&
        !isElector(subject, to) &&
        (parts.config.recipients[from]?.delegates?.includes(to) ?? false) &&
        mayBeAsked(parts, subject, to),
    )
    for (const { to } of hands) taken.add(to)
    return hands.map(({ from, to }): Deed => ({ type: 'REQUEST_DELEGATED', body: { from, to, by: 'away' } }))
  })
}

/** The entries of a step that puts the request before more eyes: whom it reaches, and who stands in for them. */
export function stepUp(
  parts: AskingParts,
  subject: Case,
  { step, early }: { readonly step: number; readonly early?: 'failed' | 'out_of_office' },
  ms: number,
): readonly Deed[] {
  const what = subject.terms?.ladder?.[step]
  if (what === undefined || what.do === 'remind') return []
  const to =
    what.do === 'add'
      ? what.recipients
          .map(one => one.user_id)
          .filter(userId => !has(subject.asked, userId) && mayBeAsked(parts, subject, userId))
      : subject.asked.filter(one => canWiden(parts, one)).map(one => one.user_id)
  const body = { step, do: what.do, to, ...(early !== undefined && { early }) }
  const hands = what.do === 'add' ? handsAway(parts, subject, subject.asked, to, ms) : []
  return [{ type: 'REQUEST_ESCALATED', body }, ...hands]
}

/** Reached by preference, with a channel left. */
function canWiden({ config }: AskingParts, one: Asked): boolean {
  const { user_id, channels, route, widened = 0, handed_to } = one
  const known = channels ?? config.recipients[user_id]?.channels ?? []
  return route === 'first' && handed_to === undefined && known.length > 1 + widened
}

/** Whether this person can hand the request to the one they name, or what stands against it. */
export function handTo(
  parts: AskingParts,
  subject: Case,
  from: string,
  name: string,
  ms: number,
): { readonly to: string } | { readonly accepted: string } {
  const delegates = parts.config.recipients[from]?.delegates ?? []
  const fit = delegatesOf(parts, subject, from, ms)
  const offered =
    fit.length === 0
      ? 'There is nobody you could hand this to now.'
      : `You could say DELEGATE ${fit.join(' or ')}.`
  const to = whoIsMeant(name, delegates)
  const against =
    againstGiving(subject, from) ??
    (to === null ? 'That is none of your delegates.' : againstHanding(parts, subject, to, ms))
  return against === null && to !== null ? { to } : { accepted: `${against} ${offered}` }
}

/** Those to whom this person could hand it now. */
export function delegatesOf(parts: AskingParts, subject: Case, from: string, ms: number): readonly string[] {
  const { delegates } = parts.config.recipients[from] ?? {}
  if (delegates === undefined || againstGiving(subject, from) !== null) return []
  return delegates.filter(userId => againstHanding(parts, subject, userId, ms) === null)
}

function againstGiving({ replies, asked }: Case, from: string): string | null {
  if (!holds(asked, from)) return 'It is not yours any more.'
  if (replies.some(({ reply }) => reply.sender_identity.user_id === from))
    return 'You have answered, and it stands.'
  return handsOf(asked, from) >= MOST_HANDS ? `It has gone through ${MOST_HANDS} hands.` : null
}

function againstHanding(parts: AskingParts, subject: Case, to: string, ms: number): string | null {
  if (has(subject.asked, to)) return `${to} is asked already, or had it before.`
  if (isElector(subject, to)) return `${to} votes in their own right.`
  if (parts.absences.at(to, ms) !== null) return `${to} is away.`
  return mayBeAsked(parts, subject, to) ? null : `${to} could not be asked now.`
}
