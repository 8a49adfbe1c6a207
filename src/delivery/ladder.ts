// The agenda's duties that are entries and nothing more: each is its own claim, so that two who learn of it cannot both
// do it, and none comes after the outcome.
import type { Case } from '../agenda/case.js'
import type { Duty } from '../agenda/owed.js'
import { instant } from '../clock.js'
import type { Deed } from '../event.js'
import type { Recorder } from '../record/record.js'

type Hold = Extract<Duty, { kind: 'hold' }>
type Climb = Extract<Duty, { kind: 'hold' | 'escalate' | 'hand_back' }>

export type Climber = Pick<Recorder, 'record'> & {
  /** The entries of a step, judged by the configuration of that time. */
  readonly stepUp: (subject: Case, duty: Extract<Duty, { kind: 'escalate' }>, ms: number) => readonly Deed[]
  /** Whether the agenda, asked about this newer case, still owes the duty. */
  readonly stillOwed: (subject: Case, duty: Duty) => boolean
}

export async function climb(climber: Climber, first: Case, duty: Climb): Promise<Case> {
  const { subject } = await climber.record<'overdue', 'not_owed'>(
    first.request_id,
    current =>
      climber.stillOwed(current, duty)
        ? {
            tell: ({ ms }) =>
              ms >= current.deadline_ms
                ? { refuse: 'overdue' }
                : { events: entriesOf(climber, current, duty, ms) },
          }
        : { leave: 'not_owed' },
    first,
  )
  return subject
}

function entriesOf(climber: Climber, subject: Case, duty: Climb, ms: number): readonly Deed[] {
  switch (duty.kind) {
    case 'hold':
      return [heldBy(duty)]
    case 'escalate':
      return climber.stepUp(subject, duty, ms)
    case 'hand_back':
      return [{ type: 'REQUEST_DELEGATED', body: { from: duty.from, to: duty.to, by: 'lane' } }]
  }
}

export const heldBy = ({ delivery_id, channel, user_id: recipient, until }: Hold): Deed => ({
  type: 'DELIVERY_HELD',
  body: { delivery_id, channel, recipient, until: instant(until) },
})
