// The one way a room adds to a request's story. `record` reads the case, lets the room prepare its events, and
// appends them on top of the version it has read. The events are folded, and the time of the next question to the
// agenda is written in the same transaction, so that a crash at any point leaves the alarm standing.
//
// RC1  When the story has moved on, the case is read and prepared anew: nothing computed from
//      an older case is appended.
// RC2  Every event of an append carries the ids of its request and run.
// RC3  A resolution never stands without the director's word on it: both are one append.
import { apply, type Case, isOpen } from '../agenda/case.js'
import { type AgendaPolicy, owed } from '../agenda/owed.js'
import type { Deed, Draft, Entry } from '../event.js'
import type { AppendDecision, Guard, Ledger, Moment } from '../ledger/contract.js'
import type { Shelving } from '../ledger/shelf.js'
import type { Cases } from './cases.js'

export type Told<R> =
  | { readonly refuse: R }
  | {
      readonly events: readonly Deed[]
      readonly shelve?: readonly Shelving[]
      /** The case that the events lead to, if the teller had to know it already. */
      readonly after?: Case
    }
/** Called inside the serialised section, with the time and the place at which the events will stand. */
type Tell<R> = (moment: Moment) => Told<R>

/** A room's answer to the case it was given: nothing is to be added, or these events. */
type Attempt<R, L> =
  | { readonly leave: L }
  | {
      readonly tell: Tell<R>
      readonly guards?: readonly Guard[]
      /** Whether it may resolve the request: the director is then asked beforehand. */
      readonly resolves?: boolean
      /** Whether it can wait for a commit that others ask for: nobody is told by it, and it decides nothing. */
      readonly rides?: true
    }
/** Outside the lock: judging, compiling, minting. Called again for each case that is read. */
type Prepare<R, L> = (subject: Case) => Attempt<R, L>

type Recorded<R, L> =
  | { readonly kind: 'recorded'; readonly subject: Case; readonly entries: readonly Entry[] }
  | { readonly kind: 'left'; readonly subject: Case; readonly why: L }
  | { readonly kind: 'refused'; readonly subject: Case; readonly why: R }
  | { readonly kind: 'guarded'; readonly subject: Case; readonly guard: Guard }

export type Begun =
  | { readonly kind: 'begun'; readonly subject: Case }
  /** A request of that id exists already. */
  | { readonly kind: 'known' }
  | { readonly kind: 'guarded'; readonly guard: Guard }

export type Recorder = {
  /** `known` is the case as the caller has just read it: it is prepared first, and saves a reading. */
  record<R = never, L = never>(
    requestId: string,
    prepare: Prepare<R, L>,
    known?: Case,
  ): Promise<Recorded<R, L>>
  /** The first append of a story. */
  begin(ids: Ids, tell: Tell<never>, guards: readonly Guard[]): Promise<Begun>
}

type Ids = { readonly request_id: string; readonly run_id: string }

/** The consequences of a resolution, for the same append: pure, from the resolved case and the
 *  seq of its resolution. */
export type Sequel = (subject: Case, resolved: number, moment: Moment) => readonly Deed[]

type RecorderParts = {
  readonly ledger: Ledger
  readonly cases: Cases
  readonly policy: AgendaPolicy
  /** The case as it stands now; null where there is none. */
  readonly current: (requestId: string) => Promise<Case | null>
  /** Asked before an append that may resolve its request; it takes all it needs of the store and of chance here. */
  readonly direct: (subject: Case) => Promise<Sequel>
  /** Called after each commit with the time at which the agenda must next be asked about the
   *  request; null for never. */
  readonly onAlarm?: (subject: Case, at: number | null) => void
}
export type OnAlarm = NonNullable<RecorderParts['onAlarm']>

export function recorder(parts: RecorderParts): Recorder {
  return {
    async record(requestId, prepare, known) {
      for (let subject = known ?? (await read(parts, requestId)); ; subject = await read(parts, requestId)) {
        const attempt = prepare(subject)
        if ('leave' in attempt) return { kind: 'left', subject, why: attempt.leave }
        const sequel = attempt.resolves === true && isOpen(subject) ? await parts.direct(subject) : null
        const ids = { request_id: subject.request_id, run_id: subject.run.run_id }
        const result = await append(parts, { ids, subject, sequel }, attempt)
        if (result.kind === 'moved') continue
        return result.kind === 'recorded' ? result : { subject, ...result }
      }
    },

    async begin(ids, tell, guards) {
      const result = await append(parts, { ids, subject: null, sequel: null }, { tell, guards })
      switch (result.kind) {
        case 'recorded':
          return { kind: 'begun', subject: result.subject }
        case 'moved':
          return { kind: 'known' }
        case 'guarded':
          return result
        case 'refused':
          throw new Error('an opening refuses nothing')
      }
    },
  }
}

async function read({ current }: RecorderParts, requestId: string): Promise<Case> {
  const subject = await current(requestId)
  if (subject === null) throw new Error(`the ledger has no request ${requestId}`)
  return subject
}

/** The ids and the case an append builds on. */
type Base = { readonly ids: Ids; readonly subject: Case | null; readonly sequel: Sequel | null }

async function append<R>(
  { ledger, cases, policy, onAlarm }: RecorderParts,
  base: Base,
  { tell, guards = [], rides }: Exclude<Attempt<R, never>, { readonly leave: never }>,
) {
  const { ids, subject } = base
  let after = subject
  let alarm: number | null = null
  const decide = (moment: Moment): AppendDecision<R> => {
    const told = tell(moment)
    if ('refuse' in told) return { kind: 'refuse', why: told.refuse }
    const grown = directed(base, told, moment)
    after = grown.after
    alarm = owed(grown.after, moment.ms, policy).alarm
    return { kind: 'append', events: grown.events, alarm, ...(told.shelve && { shelve: told.shelve }) }
  }
  const { version: expected = 0, last = null } = subject ?? {}
  const story = { request_id: ids.request_id, expected, last }
  const result = await ledger.append({ story, guards, decide, ...(rides && { rides }) })
  if (result.kind !== 'appended') return result
  const recorded = settled(after, result.entries)
  cases.renew(recorded)
  onAlarm?.(recorded, alarm)
  return { kind: 'recorded' as const, subject: recorded, entries: result.entries }
}

/** All events of the append, the director's included (RC2, RC3), and the case they make. */
function directed(
  { ids, subject, sequel }: Base,
  told: Exclude<Told<never>, { readonly refuse: unknown }>,
  moment: Moment,
): { readonly events: readonly Draft[]; readonly after: Case } {
  const events = stamp(ids, told.events)
  const after = told.after ?? grown(subject, events, moment)
  const resolved = events.findIndex(draft => draft.type === 'REQUEST_RESOLVED')
  if (resolved < 0) return { events, after }
  if (sequel === null) throw new Error('an append that resolves a request must say so beforehand')
  const follows = stamp(ids, sequel(after, moment.seq + resolved, moment))
  const place = { ...moment, seq: moment.seq + events.length }
  return {
    events: [...events, ...follows],
    after: follows.length === 0 ? after : grown(after, follows, place),
  }
}

/** An entry that belongs to no request's story is appended by itself. */
export async function note(ledger: Ledger, draft: Draft): Promise<void> {
  await ledger.append({ decide: () => ({ kind: 'append', events: [draft] }) })
}

export const stamp = ({ request_id, run_id }: Ids, deeds: readonly Deed[]): readonly Draft[] =>
  deeds.map(({ type, body }) => ({ type, request_id, run_id, body }) as Draft)

/** The case that these events lead to, standing from the moment's place on. */
export function grown(subject: Case | null, events: readonly Draft[], { at, seq }: Moment): Case {
  let after = subject
  let place = seq
  for (const draft of events) after = apply(after, { at, seq: place++, ...draft })
  if (after === null) throw new Error('a story begins with an event')
  return after
}

/** The fold made before the commit did not know the entries' hashes. The case is nobody else's yet. */
function settled(after: Case | null, entries: readonly Entry[]): Case {
  if (after === null) throw new Error('an append to a story must leave a case')
  const first = entries[0]
  const last = entries.at(-1)?.hash ?? after.last
  if (first?.type !== 'REQUEST_OPENED') return Object.assign(after, { last })
  return Object.assign(after, { last, receipt: { seq: first.seq, hash: first.hash } })
}
