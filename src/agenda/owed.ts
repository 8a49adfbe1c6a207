// The agenda: given everything so far, what is owed now? Level-triggered and pure: a restart, a doubled alarm and a
// lost one are the same harmless act, asking again.
//
// A1  An open request past its deadline owes exactly one thing: its default.
// A2  Before the deadline every planned delivery owes an attempt until it stands, has finally failed, or its attempts
//     have run out. A delivery that failed because no address was linked owes the next as soon as one is, and so does
//     one whose token's key was revoked.
// A3  A recipient reached by preference owes nothing more once one of their deliveries stands and can be answered.
// A4  A resolved request owes the closing of each copy that can be edited, and its callback until that was taken,
//     refused for good or given up; and nothing else.
// A5  `alarm` is when the agenda must next be asked; it is null only when nothing will ever be owed again.
import type { Channel } from '../request/channel.js'
import { type Case, isOpen } from './case.js'
import { type Delivery, isWornOut, stands } from './delivery.js'
import { type IsResting, type Planned, plan, serves } from './plan.js'

export type Duty =
  | { readonly kind: 'time_out' }
  | ({ readonly kind: 'deliver'; readonly attempt: number } & Planned)
  | { readonly kind: 'close'; readonly delivery_id: string; readonly channel: Channel }
  | { readonly kind: 'call_back'; readonly attempt: number }

export type Owed = { readonly duties: readonly Duty[]; readonly alarm: number | null }

export type AgendaPolicy = {
  /** Channels whose delivered copies can be edited to their outcome. */
  readonly closable: ReadonlySet<Channel>
  /** Whether a person's codes on a channel rest at that time. */
  readonly rests: (user_id: string, channel: Channel, now: number) => boolean
}

/** A process that learns of a duty does it at once; if it dies, the alarm repeats the question after this long. */
const ASK_AGAIN_MS = 5_000
/** A call takes up to fifteen seconds and is not claimed: asked sooner, another replica would call meanwhile. */
const CALL_AGAIN_MS = 20_000

/** A1: only its default can win any more. */
export const isOverdue = (subject: Case, now: number): boolean =>
  isOpen(subject) && now >= subject.deadline_ms

export function owed(subject: Case, now: number, policy: AgendaPolicy): Owed {
  if (!isOpen(subject)) return closing(subject, now, policy)
  if (isOverdue(subject, now)) return { duties: [{ kind: 'time_out' }], alarm: subject.deadline_ms }
  const isResting: IsResting = (user_id, channel) => policy.rests(user_id, channel, now)
  const known = new Map(subject.deliveries.map(delivery => [delivery.delivery_id, delivery]))
  const duties: Duty[] = []
  let alarm = subject.deadline_ms
  for (const planned of plan(subject, isResting)) {
    const next = nextAttempt(subject, planned, known.get(planned.delivery_id), isResting)
    if (next === null) continue
    const due = next.due <= now
    const { delivery_id, user_id, channel } = planned
    if (due) duties.push({ kind: 'deliver', attempt: next.attempt, delivery_id, user_id, channel })
    alarm = Math.min(alarm, due ? now + ASK_AGAIN_MS : next.due)
  }
  return { duties, alarm }
}

/** When this delivery's next attempt is due; null when none is owed. */
function nextAttempt(
  subject: Case,
  planned: Planned,
  delivery: Delivery | undefined,
  isResting: IsResting,
): { readonly due: number; readonly attempt: number } | null {
  if (servedByPreference(subject, planned, isResting)) return null
  if (delivery === undefined) return { due: 0, attempt: 1 }
  if (stands(delivery) || delivery.final || isWornOut(delivery)) return null
  const attempt = delivery.attempts + 1
  if (delivery.state === 'sending') return { due: delivery.lease_until ?? 0, attempt }
  return { due: delivery.retry_at ?? 0, attempt }
}

function servedByPreference(subject: Case, { user_id }: Planned, isResting: IsResting): boolean {
  const recipient = subject.recipients.find(one => one.user_id === user_id)
  if (recipient?.route !== 'first') return false
  return subject.deliveries.some(one => one.user_id === user_id && serves(one, isResting))
}

function closing(subject: Case, now: number, policy: AgendaPolicy): Owed {
  const duties = subject.deliveries
    .filter(
      ({ channel, state }) => policy.closable.has(channel) && (state === 'sent' || state === 'uncertain'),
    )
    .map(({ delivery_id, channel }): Duty => ({ kind: 'close', delivery_id, channel }))
  const closed = { duties, alarm: duties.length === 0 ? null : now + ASK_AGAIN_MS }
  return together(closed, calling(subject, now))
}

function calling({ callback }: Case, now: number): Owed {
  if (callback === null || callback.over) return { duties: [], alarm: null }
  if (callback.due > now) return { duties: [], alarm: callback.due }
  return { duties: [{ kind: 'call_back', attempt: callback.attempts + 1 }], alarm: now + CALL_AGAIN_MS }
}

const together = (one: Owed, other: Owed): Owed => ({
  duties: [...one.duties, ...other.duties],
  alarm:
    one.alarm === null || other.alarm === null
      ? (one.alarm ?? other.alarm)
      : Math.min(one.alarm, other.alarm),
})
