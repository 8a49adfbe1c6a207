// The steps of a request's ladder: when each is due, and which have been done. A step is owed at its moment, done once,
// and never after the outcome.
//
// LD1  A step that adds people or opens channels is owed at its moment, or as soon as somebody asked can no longer be
//      reached; then one step for each such person.
// LD2  A reminder is owed for a copy that stood before its moment and can still be answered. Of several that have become
//      due for one copy, after a night or a standstill, only the last is sent.
import type { Ladder } from '../request/terms.js'
import type { Case } from './case.js'
import type { Delivery } from './delivery.js'

/** A step that puts the request before more eyes. */
type Reach = Exclude<Ladder[number], { readonly do: 'remind' }>

const stepsOf = ({ terms }: Case): Ladder => terms?.ladder ?? NO_STEPS
const NO_STEPS: Ladder = []

export const momentOf = ({ opened_at }: Case, after_seconds: number): number =>
  Date.parse(opened_at) + after_seconds * 1000

/** The next step that adds people or opens channels; null where none is left. */
export function nextReach(subject: Case): { readonly step: number; readonly what: Reach } | null {
  for (const [step, what] of stepsOf(subject).entries())
    if (what.do !== 'remind' && !subject.steps.some(done => done.step === step)) return { step, what }
  return null
}

/** When the agenda must be asked because a step comes; null where none is left. */
export function nextMoment(subject: Case, now: number): number | null {
  for (const { after_seconds } of stepsOf(subject)) {
    const moment = momentOf(subject, after_seconds)
    if (moment > now) return moment
  }
  return null
}

/** The last reminder of this copy that has become due and was not given; null where there is none (LD2). */
export function dueReminder(subject: Case, delivery: Delivery, now: number): number | null {
  const { stood_at, reminders } = delivery
  if (stood_at === null) return null
  const last = reminders.at(-1)?.step ?? -1
  const due = stepsOf(subject).findLastIndex(
    ({ do: what, after_seconds }, step) =>
      what === 'remind' && step > last && isBetween(stood_at, momentOf(subject, after_seconds), now),
  )
  return due < 0 ? null : due
}

const isBetween = (from: number, moment: number, to: number): boolean => from < moment && moment <= to
