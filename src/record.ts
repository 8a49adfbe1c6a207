// The one way a room adds to a request's story: append on top of the version it has read, fold what was added, and
// write in the same transaction when the agenda must be asked again. A crash at any point leaves the alarm standing.
import { apply, type Case } from './agenda/case.js'
import { type AgendaPolicy, owed } from './agenda/owed.js'
import type { Draft, Entry } from './event.js'
import type { Decision, Guard, Ledger, Moment, Shelving } from './ledger/contract.js'

export type Told<R> =
  | { readonly refuse: R }
  | { readonly events: readonly Draft[]; readonly shelve?: readonly Shelving[] }

export type Recorded<R> =
  | { readonly kind: 'recorded'; readonly subject: Case; readonly entries: readonly Entry[] }
  | { readonly kind: 'moved' }
  | { readonly kind: 'guarded'; readonly guard: Guard }
  | { readonly kind: 'refused'; readonly why: R }

export type Story = { readonly request_id: string; readonly subject: Case | null }

export type Recorder = <R = never>(
  story: Story,
  tell: (moment: Moment) => Told<R>,
  guards?: readonly Guard[],
) => Promise<Recorded<R>>

export function recorder(ledger: Ledger, policy: AgendaPolicy): Recorder {
  return async <R>(
    { request_id, subject }: Story,
    tell: (moment: Moment) => Told<R>,
    guards: readonly Guard[] = [],
  ) => {
    let after = subject
    const decide = (moment: Moment): Decision<R> => {
      const told = tell(moment)
      if ('refuse' in told) return { kind: 'refuse', why: told.refuse }
      after = subject
      for (const [index, draft] of told.events.entries()) {
        after = apply(after, { ...draft, at: moment.at, seq: moment.seq + index })
      }
      const alarm = after === null ? null : owed(after, moment.ms, policy).alarm
      return { kind: 'append', events: told.events, alarm, ...(told.shelve && { shelve: told.shelve }) }
    }
    const result = await ledger.append({
      story: { request_id, expected: subject?.version ?? 0 },
      guards,
      decide,
    })
    if (result.kind !== 'appended') return result
    return { kind: 'recorded', subject: settled(after, result.entries), entries: result.entries }
  }
}

/** The fold made before the commit did not know the first entry's hash. */
function settled(after: Case | null, entries: readonly Entry[]): Case {
  if (after === null) throw new Error('an append to a story must leave a case')
  const first = entries[0]
  if (first?.type !== 'REQUEST_OPENED') return after
  return { ...after, receipt: { seq: first.seq, hash: first.hash } }
}
