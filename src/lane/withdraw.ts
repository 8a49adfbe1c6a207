// Takes a request back: an open one is resolved as withdrawn; an answered one loses only the right it gave.
import { type Case, isOpen } from '../agenda/case.js'
import { LedgerUnavailable, type Moment } from '../ledger/contract.js'
import type { Recorder, Told } from '../record/record.js'

/** From the deadline on only the default can win, and while the clock is suspect it may not be applied yet. */
const UNSETTLED = 'the deadline has come by a clock that is not trusted yet; the outcome is known once it is'

export type Withdrawn =
  | { readonly kind: 'withdrawn'; readonly subject: Case }
  | { readonly kind: 'already_resolved'; readonly subject: Case }
  | { readonly kind: 'unknown' }

type Withdrawal = { readonly reason: string; readonly by: string }

type Withdrawer = Pick<Recorder, 'record'> & {
  readonly current: (requestId: string) => Promise<Case | null>
  /** Takes back the right that an answer gave; null if there was none. */
  readonly takeBack: (subject: Case, reason: string, by: string) => Promise<Case | null>
  readonly suspect: () => boolean
}

export async function withdraw(parts: Withdrawer, requestId: string, why: Withdrawal): Promise<Withdrawn> {
  const known = await parts.current(requestId)
  if (known === null) return { kind: 'unknown' }
  for (let first: Case | undefined = known; ; first = undefined) {
    const result = await parts.record<'overdue', 'resolved'>(
      requestId,
      subject =>
        isOpen(subject)
          ? { resolves: true, tell: moment => told(subject, why, moment) }
          : { leave: 'resolved' },
      first,
    )
    if (result.kind === 'recorded') return { kind: 'withdrawn', subject: result.subject }
    if (result.kind === 'left') return afterwards(parts, result.subject, why)
    if (parts.suspect()) throw new LedgerUnavailable(UNSETTLED)
  }
}

function told({ deadline_ms }: Case, body: Withdrawal, { ms, seq }: Moment): Told<'overdue'> {
  if (ms >= deadline_ms) return { refuse: 'overdue' }
  return {
    events: [
      { type: 'REQUEST_WITHDRAWN', body },
      { type: 'REQUEST_RESOLVED', body: { outcome: 'withdrawn', causes: [seq] } },
    ],
  }
}

async function afterwards(parts: Withdrawer, subject: Case, { reason, by }: Withdrawal): Promise<Withdrawn> {
  if (subject.state === 'withdrawn') return { kind: 'withdrawn', subject }
  const without = await parts.takeBack(subject, reason, by)
  return without === null ? { kind: 'already_resolved', subject } : { kind: 'withdrawn', subject: without }
}
