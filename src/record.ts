// The one way a room adds to a request's story: append on top of the version it has read, fold what was added, and
// write in the same transaction when the agenda must be asked again. A crash at any point leaves the alarm standing.
// Where it resolves the request, what the director has to say about that is part of the same append.
import { apply, type Case, isOpen } from './agenda/case.js'
import { type AgendaPolicy, owed } from './agenda/owed.js'
import type { Draft, Entry } from './event.js'
import type { Decision, Guard, Ledger, Moment, Shelving } from './ledger/contract.js'

export type Told<R> =
  | { readonly refuse: R }
  | {
      readonly events: readonly Draft[]
      readonly shelve?: readonly Shelving[]
      /** The case they make of the story, where the teller had to know it already. */
      readonly after?: Case
    }

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

/** What follows on a resolution, for the same append: pure, from the resolved case and the seq of its resolution. */
export type Sequel = (subject: Case, resolved: number, moment: Moment) => readonly Draft[]

/** Asked before an append that may resolve its request; what it needs of the store and of chance it takes here. */
export type Direct = (subject: Case) => Promise<Sequel>

const nothingFollows: Direct = async () => () => []

/** Told after each commit when the agenda must next be asked about the request; null for never. */
export type OnAlarm = (subject: Case, at: number | null) => void

export function recorder(
  ledger: Ledger,
  policy: AgendaPolicy,
  direct: Direct = nothingFollows,
  onAlarm: OnAlarm = () => undefined,
): Recorder {
  return async <R>(
    { request_id, subject }: Story,
    tell: (moment: Moment) => Told<R>,
    guards: readonly Guard[] = [],
  ) => {
    const sequel = subject !== null && isOpen(subject) ? await direct(subject) : null
    let after = subject
    let alarm: number | null = null
    const decide = (moment: Moment): Decision<R> => {
      const told = tell(moment)
      if ('refuse' in told) return { kind: 'refuse', why: told.refuse }
      after = told.after ?? applyAll(subject, told.events, moment, moment.seq)
      const resolved = told.events.findIndex(draft => draft.type === 'REQUEST_RESOLVED')
      const next = moment.seq + told.events.length
      const follows =
        resolved < 0 || after === null ? [] : (sequel?.(after, moment.seq + resolved, moment) ?? [])
      after = applyAll(after, follows, moment, next)
      alarm = after === null ? null : owed(after, moment.ms, policy).alarm
      const events = [...told.events, ...follows]
      return { kind: 'append', events, alarm, ...(told.shelve && { shelve: told.shelve }) }
    }
    const result = await ledger.append({
      story: { request_id, expected: subject?.version ?? 0 },
      guards,
      decide,
    })
    if (result.kind !== 'appended') return result
    const recorded = settled(after, result.entries)
    onAlarm(recorded, alarm)
    return { kind: 'recorded', subject: recorded, entries: result.entries }
  }
}

/** What belongs to no request's story is appended by itself. */
export async function note(ledger: Ledger, draft: Draft): Promise<void> {
  await ledger.append({ decide: () => ({ kind: 'append', events: [draft] }) })
}

/** The case that events will make of a story, standing at the moment's place and after. */
export function grown(subject: Case | null, events: readonly Draft[], moment: Moment): Case {
  const after = applyAll(subject, events, moment, moment.seq)
  if (after === null) throw new Error('a story begins with an event')
  return after
}

function applyAll(
  subject: Case | null,
  events: readonly Draft[],
  { at }: Moment,
  first: number,
): Case | null {
  let after = subject
  let seq = first
  for (const draft of events) after = apply(after, { at, seq: seq++, ...draft })
  return after
}

/** The fold made before the commit did not know the first entry's hash. */
function settled(after: Case | null, entries: readonly Entry[]): Case {
  if (after === null) throw new Error('an append to a story must leave a case')
  const first = entries[0]
  if (first?.type !== 'REQUEST_OPENED') return after
  return { ...after, receipt: { seq: first.seq, hash: first.hash } }
}
