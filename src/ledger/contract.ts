// The ledger says what happened. It is the waist of the hourglass: nothing passes from in to out except through it.
//
// L1  An append is all or nothing, and durable when its promise fulfils. Nobody is told "recorded" before that.
// L2  Appends are serialised with each other: `decide` sees the clock and the place at which its events will stand,
//     and nothing can come between. A store may call it more than once; its last decision is committed.
// L3  Concurrent appends may share one commit; one that is refused leaves its neighbours standing.
// L4  `expected` is the version of the request's story (how many entries it has). If the story has moved on, the
//     append changes nothing and says `moved`: the caller reads the story again and decides again.
// L5  A guard looks across requests inside the same serialised section; if it does not hold, nothing is changed.
// L6  Everything an append shelves stands or falls with it: reply grants, raw replies, provider references, cursors,
//     callback addresses, links, invitations, API keys, keys of the ring.
// L7  REQUEST_RESOLVED stands at most once per request. The store itself refuses a second one.
// L8  `at` never goes back. While the clock is suspect, `moment.suspect` is true and nothing may time out.
// L9  A failure of the disk or the database rejects with LedgerUnavailable; nothing was acknowledged.
// L10 A request with an alarm is found by `due` from that moment on, whatever has crashed meanwhile.
// L11 The rules in force are those of the last LANE_STARTED. A program that does not know them appends nothing.
// L12 Every append is sealed with a key that only the lane has (seals.ts), and so is every row that gives a right. A
//     story whose seals do not hold is not told: SealBroken. Until the store is unlocked with that key nothing is
//     appended, and no right is read.
// L13 The tree over the entries (tree/) grows in the transaction that appends them.
// L14 An append that rides stands with the next commit, whoever asks for that one, and RIDE_MS later at most. A crash
//     before then loses it: it may only say what the agenda would otherwise owe again.
// L15 A passkey that PASSKEY_REVOKED names is nobody's from that append on, for guards and for readers, whatever row of it
//     stands beside the ledger.

import type { Hash } from '../canonical.js'
import { type Draft, type Entry, type EventType, OUTCOMES } from '../event.js'
import type { Channel } from '../request/channel.js'
import { areKnown, unknownRules } from '../rules.js'
import type { Head } from './entry.js'
import type { Shelf, Shelving } from './shelf.js'
import type { TreeHash } from './tree/hash.js'
import type { Frontier, Node } from './tree/nodes.js'

/** The place and time of an append: read once per append, inside the serialised section. */
export type Moment = {
  readonly at: string
  readonly ms: number
  /** The seq of the first event of this append. */
  readonly seq: number
  /** The hash of the entry before it. */
  readonly prev: Hash
  readonly suspect: boolean
}

/** The kinds of value that are claimed once: reply tokens, providers' messages (and that they came twice), policy
 *  tokens, invitations, each rest of a person's codes, and tickets of the console. */
export type Space =
  | 'jti'
  | 'message'
  | 'duplicate'
  | 'spend'
  | 'invitation'
  | 'rest'
  | 'ticket'
  | 'enrolment'
  | 'credential'

export type Guard =
  /** `value` was never claimed in `space` before; this append claims it for ever. */
  | { readonly kind: 'unclaimed'; readonly space: Space; readonly value: string }
  /** Open questions this key has asked in this run. Another key's questions in a run of the same
   *  name do not count. */
  | {
      readonly kind: 'open_questions'
      readonly opened_by: string
      readonly run_id: string
      readonly at_most: number
    }
  /** Requests this key has put to this person within the last hour, this one not counted. */
  | {
      readonly kind: 'recipient_budget'
      readonly opened_by: string
      readonly user_id: string
      readonly at_most: number
    }
  /** Failed attempts on one delivery, by the name they are counted under. This append counts as one more unless it is
   *  known not to fail. */
  | {
      readonly kind: 'attempts'
      readonly delivery_id: string
      readonly under: string
      readonly at_most: number
      readonly fails: boolean
    }
  /** Whether a code can be given out for this request: the person's codes on this channel do not rest, and fewer than
   *  this many are open, not counting those of the request itself. */
  | {
      readonly kind: 'open_codes'
      readonly channel: Channel
      readonly user_id: string
      readonly request_id: string
      readonly at_most: number
    }
  /** Wrong codes from this person's address within the last hour and since their codes last rested; it does not hold
   *  while they rest. If this append is a wrong code, it counts as one more. */
  | {
      readonly kind: 'misses'
      readonly channel: Channel
      readonly user_id: string
      readonly at_most: number
      readonly fails: boolean
    }
  /** The bytes this key has sent, together with those of these contents that are new, are no more than this. */
  | {
      readonly kind: 'content_quota'
      readonly key_id: string
      readonly contents: readonly { readonly handle: Hash; readonly size: number }[]
      readonly at_most: number
    }
  /** This key has opened no request at this place of the ledger or after it. */
  | { readonly kind: 'unopened'; readonly opened_by: string; readonly since: number }
  /** The address is linked on this channel to nobody, or to `theirs`. */
  | {
      readonly kind: 'address'
      readonly channel: Channel
      readonly address: string
      readonly theirs: readonly string[]
    }
  /** The passkey is somebody's: it was registered, and not taken back (L15). */
  | { readonly kind: 'passkey'; readonly credential_hash: Hash }

export type AppendDecision<R> =
  | {
      readonly kind: 'append'
      readonly events: readonly Draft[]
      readonly shelve?: readonly Shelving[]
      /** When the agenda must next be asked about this request (ms); null for never; absent to leave it. */
      readonly alarm?: number | null
    }
  | { readonly kind: 'refuse'; readonly why: R }

export type Append<R> = {
  readonly story?: {
    readonly request_id: string
    readonly expected: number
    /** The hash of the story's last entry as the caller read it, null for a story without entries. The append is
     *  sealed as the one that follows that entry. */
    readonly last: Hash | null
  }
  readonly guards?: readonly Guard[]
  /** Nobody waits for it: it asks for no commit of its own (L14). */
  readonly rides?: true
  decide(moment: Moment): AppendDecision<R>
}

/** An append that rides waits no longer than this for a commit to go with. */
export const RIDE_MS = 5

export type Appended<R> =
  | { readonly kind: 'appended'; readonly entries: readonly Entry[] }
  | { readonly kind: 'moved' }
  | { readonly kind: 'guarded'; readonly guard: Guard }
  | { readonly kind: 'refused'; readonly why: R }

/** For callers that pass the outcome on and do not look at the reason. */
export type AppendOutcome = Appended<unknown>

export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/** The rules in force, read under the head's lock: a program that does not know them appends nothing. */
export function assertKnownRules(rules: string): void {
  if (!areKnown(rules)) throw new LedgerUnavailable(unknownRules(rules))
}

/** An append was sent and its fate could not be learnt: it may stand. */
export class OutcomeUnknown extends LedgerUnavailable {}

/** A key that makes seals: HMAC-SHA-256, 64 hex digits. */
export type SealKey = { readonly kid: string; readonly mac: (words: string) => string }

/** The bytes read are not those this lane has written: they give no right (L12). */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
  constructor(what: string) {
    super(`the seal of ${what} is broken: somebody else has written to the database`)
  }
}

/** For callers that go on without a story whose seals are broken: Seals has reported it already. */
export function unlessBroken(error: unknown): void {
  if (!(error instanceof SealBroken)) throw error
}

/** What was read; null where its seals are broken: to whoever asked it does not exist, and holds up nothing else. */
export const ifSound = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch(error => {
    unlessBroken(error)
    return null
  })

/** The seals of a store, for the code that starts the lane and watches it. */
export interface Sealing {
  unlock(key: SealKey): void
  /** The names of stories and rows that were found without a sound seal and have not been found sound since. */
  broken(): readonly string[]
  /** Calls `tell` once for each name, when it is found. */
  onBroken(tell: (name: string) => void): void
}

export type Filter = {
  readonly state?: string
  /** Only requests that can still be answered, time out or be withdrawn. */
  readonly open?: true
  readonly run_id?: string
  readonly opened_by?: string
  /** Only requests opened before this seq: the cursor of the list. */
  readonly before?: number
  readonly limit: number
}

/** Whether the filter can match open requests only: a state that is no outcome is a state of open requests. */
export const isOfOpen = ({ state, open }: Filter): boolean =>
  open === true || (state !== undefined && !OUTCOMES.some(outcome => outcome === state))

/** When the agenda must next be asked about a request. */
export type Alarm = { readonly request_id: string; readonly at: number }

export type Listed = { readonly request_id: string; readonly opened_seq: number }

/** A request that waits for a person, or was put to them before, as the inbox lists it. It is a place to look and gives no
 *  right: whether it is theirs, the story says. */
export type Waiting = {
  readonly request_id: string
  readonly opened_seq: number
  readonly deadline_ms: number
}
export type Past = { readonly request_id: string; readonly over_seq: number }

export type InboxFilter = {
  readonly user_id: string
  readonly type?: string
  readonly urgency?: string
  /** Only what comes behind this one: the cursor of the list. */
  readonly after?: Pick<Waiting, 'deadline_ms' | 'opened_seq'>
  readonly limit: number
}

export type OnCommit = (entries: readonly Entry[]) => void

export interface Ledger {
  append<R = never>(append: Append<R>): Promise<Appended<R>>

  /** The ledger's own clock, as an append would read it now. */
  now(): number
  /** Whether the clock was found to have jumped and nothing has confirmed it yet. */
  suspect(): boolean
  head(): Promise<Head>
  /** The tree over what is committed, as it was sealed; else SealBroken. */
  tree(): Promise<Frontier>
  /** The stored hashes of these complete nodes, null where there is none. They are a cache and vouch for nothing. */
  nodes(wanted: readonly Node[]): Promise<readonly (TreeHash | null)[]>
  /** The whole story, as it was sealed; else SealBroken. */
  story(requestId: string): Promise<readonly Entry[]>
  /** How many entries its story has; 0 where there is none. */
  version(requestId: string): Promise<number>
  /** The next `limit` entries from `from` on, without those of stories whose seals do not hold. */
  entries(from: number, limit?: number): AsyncIterable<Entry>
  /** LEDGER_SEALED, if its own seal holds; else SealBroken. Null before it was written. */
  sealed(): Promise<Entry | null>
  /** Exactly the hashed bytes, one entry a line, from `from` on, without any check. */
  lines(from: number, limit?: number): AsyncIterable<string>
  list(filter: Filter): Promise<readonly Listed[]>
  /** How many requests of this key are open, counted no further than `atMost`. */
  countOpen(openedBy: string, atMost: number): Promise<number>
  /** What waits for a person, the soonest deadline first. */
  inbox(filter: InboxFilter): Promise<readonly Waiting[]>
  /** How much waits for a person, counted no further than `atMost`. */
  countWaiting(userId: string, atMost: number): Promise<number>
  /** What waits for a person no more: settled, or handed on; the latest first, before this seq. */
  past(userId: string, before: number, limit: number): Promise<readonly Past[]>
  /** Whether a run has a director outside the lane: one that has decided something for it. */
  hasDirector(runId: string): Promise<boolean>
  /** The request whose approval gave this policy token. */
  requestOfToken(jti: string): Promise<string | null>
  /** The seq of the entry that registered this passkey. */
  registrationOf(credentialHash: Hash): Promise<number | null>

  /** Requests whose alarm has come, the longest overdue first. */
  due(ms: number, limit: number): Promise<readonly string[]>
  /** The earliest alarm of all, or the earliest later than `after`. */
  nextAlarm(after?: number): Promise<number | null>
  /** Alarms that come after `after` in order of time, then of id, and not later than `until`. */
  alarms(after: Alarm, until: number, limit: number): Promise<readonly Alarm[]>

  /** Called after each commit with its entries, in order. Other replicas' entries must be read for it: of those only
   *  the types in `heeded` are sure to be shown (all where it is absent), and a call may come
   *  with none. Returns the unsubscriber. */
  onCommit(listener: OnCommit, heeded?: readonly EventType[]): () => void
  /** The same for this process's own commits, and no others: the counts of all replicas then add up. */
  onOwnCommit(listener: OnCommit): () => void
  /** Fails when the ledger cannot take an append just now. */
  probe(): Promise<void>
  close(): Promise<void>
}

export type Hold = { release(): Promise<void> }

/** Told now and then by work that takes long: how many of how many entries are done. */
export type Progress = (done: number, of: number) => void

/** The embedded or the cluster's database, opened: the ledger and what stands beside it. */
export type Store = {
  readonly ledger: Ledger
  readonly shelf: Shelf
  readonly seals: Sealing
  /** Seals every entry and every row that gives a right, as they stand: for a ledger of before there were seals. */
  sealAll(): Promise<void>
  /** Makes the nodes and the head's frontier from the entries, unless the head has a sound seal: for a ledger of before
   *  there was a tree, and for one that somebody else has written to, which is reported. */
  growTree(progress?: Progress): Promise<void>
  /** A consistent copy of everything, as bytes, while the lane goes on working. */
  backup(): AsyncIterable<Uint8Array>
  /** Holds a name for this process alone until released; null while another has it. `lost` is called if it is lost. */
  hold(name: string, lost: () => void): Promise<Hold | null>
}
