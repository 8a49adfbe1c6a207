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
// A6  A first attempt or a reminder that would come in somebody's quiet hours owes to be held (hold.ts), once; the end as
//     recorded decides.
// A7  The ladder's steps are owed at their moments (ladder.ts). A request that was handed on goes back when nothing can
//     reach the one who has it.
import type { Channel } from '../request/channel.js'
import type { Asked } from './asked.js'
import { type Case, isOpen } from './case.js'
import { type Delivery, isWornOut, stands } from './delivery.js'
import { holdUntil } from './hold.js'
import { dueReminder, momentOf, nextMoment, nextReach } from './ladder.js'
import {
  type ChannelsOf,
  type IsResting,
  isServed,
  mayAnswer,
  type Planned,
  planFor,
  serves,
} from './plan.js'

export type Duty =
  | { readonly kind: 'time_out' }
  | ({ readonly kind: 'deliver'; readonly attempt: number } & Planned)
  | ({ readonly kind: 'hold'; readonly until: number } & Planned)
  | ({ readonly kind: 'remind'; readonly step: number } & Planned)
  | {
      readonly kind: 'escalate'
      readonly step: number
      /** Somebody asked can no longer be reached; absent at the step's own moment. */
      readonly early?: 'failed'
    }
  | { readonly kind: 'hand_back'; readonly from: string; readonly to: string }
  | { readonly kind: 'close'; readonly delivery_id: string; readonly channel: Channel }
  | { readonly kind: 'call_back'; readonly attempt: number }

export type Owed = { readonly duties: readonly Duty[]; readonly alarm: number | null }

export type AgendaPolicy = {
  /** Channels whose delivered copies can be edited to their outcome. */
  readonly closable: ReadonlySet<Channel>
  /** Whether a person's codes on a channel rest at that time. */
  readonly rests: (user_id: string, channel: Channel, now: number) => boolean
  /** The end of the quiet hours that a person has at that time; null where they have none. */
  readonly quietUntil: (user_id: string, now: number) => number | null
  readonly channelsOf: ChannelsOf
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
  const agenda = new Agenda(now, subject.deadline_ms)
  const lost: Asked[] = []
  for (const one of subject.asked) {
    if (!mayAnswer(subject, one)) continue
    const planned = planFor(subject, one, isResting, policy.channelsOf)
    const isReached = isServed(subject, one, isResting)
    for (const place of planned) {
      const next = isReached ? null : nextAttempt(known.get(place.delivery_id))
      if (next !== null) agenda.deliver(place, next, () => firstHold(subject, place, next, now, policy))
    }
    if (isLost(planned, known, isResting)) lost.push(one)
  }
  climb(agenda, subject, lost, policy, isResting)
  return { duties: agenda.duties, alarm: agenda.alarm }
}

type Next = { readonly due: number; readonly attempt: number; readonly isFirst: boolean }

/** When this delivery's next attempt is due; null when none is owed. */
function nextAttempt(delivery: Delivery | undefined): Next | null {
  if (delivery === undefined) return { due: 0, attempt: 1, isFirst: true }
  if (stands(delivery) || delivery.final || isWornOut(delivery)) return null
  const attempt = delivery.attempts + 1
  return { due: dueOf(delivery), attempt, isFirst: false }
}

function dueOf({ state, lease_until, held, retry_at }: Delivery): number {
  if (state === 'sending') return lease_until ?? 0
  return (state === 'held' ? held?.until : retry_at) ?? 0
}

const firstHold = (subject: Case, { user_id }: Planned, next: Next, now: number, policy: AgendaPolicy) =>
  next.isFirst ? holdUntil(subject, user_id, now, policy) : null

/** None of their deliveries stands, and none can still be made. */
const isLost = (
  planned: readonly Planned[],
  known: ReadonlyMap<string, Delivery>,
  isResting: IsResting,
): boolean =>
  planned.every(({ delivery_id }) => {
    const delivery = known.get(delivery_id)
    return delivery !== undefined && !serves(delivery, isResting) && nextAttempt(delivery) === null
  })

/** A7. */
function climb(
  agenda: Agenda,
  subject: Case,
  lost: readonly Asked[],
  policy: AgendaPolicy,
  isResting: IsResting,
): void {
  const back = lost.filter(one => one.from !== undefined)
  for (const { user_id, from } of back)
    if (from !== undefined) agenda.owe({ kind: 'hand_back', from: user_id, to: from })
  if (subject.terms?.ladder === undefined) return
  reach(agenda, subject, lost.length - back.length)
  remind(agenda, subject, policy, isResting)
  const next = nextMoment(subject, agenda.now)
  if (next !== null) agenda.ask(next)
}

function reach(agenda: Agenda, subject: Case, lost: number): void {
  const next = nextReach(subject)
  if (next === null) return
  const { step, what } = next
  const early = subject.steps.filter(done => done.early === 'failed').length
  if (momentOf(subject, what.after_seconds) <= agenda.now) agenda.owe({ kind: 'escalate', step })
  else if (lost > early) agenda.owe({ kind: 'escalate', step, early: 'failed' })
}

function remind(agenda: Agenda, subject: Case, policy: AgendaPolicy, isResting: IsResting): void {
  for (const delivery of subject.deliveries) {
    const step = dueReminder(subject, delivery, agenda.now)
    if (step === null || !serves(delivery, isResting)) continue
    const { delivery_id, user_id, channel, held } = delivery
    if (!subject.asked.some(one => one.user_id === user_id && mayAnswer(subject, one))) continue
    const place = { delivery_id, user_id, channel }
    if (held !== null && held.until > agenda.now) agenda.ask(held.until)
    else {
      const since = momentOf(subject, subject.terms?.ladder?.[step]?.after_seconds ?? 0)
      const until = held !== null && held.at >= since ? null : holdUntil(subject, user_id, agenda.now, policy)
      agenda.owe(until === null ? { kind: 'remind', step, ...place } : { kind: 'hold', until, ...place })
    }
  }
}

/** The duties and the alarm, as they come together. */
class Agenda {
  readonly duties: Duty[] = []
  readonly now: number
  alarm: number

  constructor(now: number, alarm: number) {
    this.now = now
    this.alarm = alarm
  }

  /** To be asked at this time. */
  ask(at: number): void {
    this.alarm = Math.min(this.alarm, at)
  }

  owe(duty: Duty): void {
    this.duties.push(duty)
    this.ask(this.now + ASK_AGAIN_MS)
  }

  deliver(place: Planned, { due, attempt }: Next, hold: () => number | null): void {
    if (due > this.now) {
      this.ask(due)
      return
    }
    const { delivery_id, user_id, channel } = place
    const until = hold()
    this.owe(
      until === null
        ? { kind: 'deliver', attempt, delivery_id, user_id, channel }
        : { kind: 'hold', until, delivery_id, user_id, channel },
    )
  }
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
