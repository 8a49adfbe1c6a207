// The contract between a channel and the lane. Adapters translate; they do not compile, time out or decide. Every
// channel folder holds index.ts, render.ts, send.ts and receive.ts.
import type { Hash } from '../canonical.js'
import type { Fault, Fields } from '../compiler/compile.js'
import type { Answered } from '../event.js'
import type { Evidence } from '../passkey/evidence.js'
import type { Reason } from '../reason.js'
import type { Channel, Proof } from '../request/channel.js'
import type { Display } from '../request/display.js'
import type { DefaultAction } from '../request/request.js'
import type { Rested } from '../request/words.js'
import type { Say } from '../say.js'

/** The facts that travel beside the display to one person: never hashed, never logged. */
export type Outbound = {
  readonly delivery_id: string
  readonly attempt: number
  /** Set if the copies up to this attempt can no longer be answered, because the key of their tokens was revoked:
   *  none of them stands for a later one. */
  readonly voided?: number
  readonly recipient: { readonly user_id: string; readonly name: string }
  /** The recipient's address on this channel, as the configuration spells it. */
  readonly address: unknown
  /** The means to answer this copy where it stands: the reply handle, and the code an SMS answer carries (7
   *  characters). Null for a copy that only announces: it leads to the page, and nothing said on its channel answers
   *  it. */
  readonly reply: { readonly handle: string; readonly code: string } | null
  /** The page behind the link, which has a handle of its own; its code only where the page is this person's one way to
   *  answer. */
  readonly page: { readonly link: string; readonly code: string | null }
  /** Set while this person's codes rest on a channel they are asked on: every copy says so, because somebody may be
   *  guessing in their name. */
  readonly rested?: Rested
  readonly at: string
  /** The provider's reference of the copy that this one reminds of, null where it has none; absent for a first copy. */
  readonly reminds?: { readonly ref: string | null; readonly step: number }
  /** Absent where there is nothing to tell beside the display. */
  readonly beside?: Beside
}

export type Sent =
  /** `ref` is the provider's own reference, by which the copy is edited later. */
  | { readonly kind: 'sent'; readonly ref?: string }
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly retryable: boolean
      readonly retry_after_ms?: number
    }
  /** The bytes left us and no verdict came back. The copy stands, and is not repeated. */
  | { readonly kind: 'uncertain'; readonly ref?: string }

/** The outcome that a closed copy shows: only `answered` names anybody, and all whose answers decided it. */
export type Ending = {
  readonly outcome: 'answered' | 'defaulted' | 'undelivered' | 'withdrawn'
  readonly at: string
  readonly answered_by: string | null
  readonly answer: string | null
  readonly default_action: DefaultAction | null
  /** Some of it was answered, and too little to decide anything. */
  readonly partly?: true
}

/** What a person is told beside the display of a request: it may change while the request is open. */
export type Beside = {
  /** The deadline where they live; null where no zone of theirs is known. */
  readonly local_deadline: string | null
  /** How many must agree, and how many have; null where nobody votes. */
  readonly votes: string | null
  /** The names of the others who are asked, with the name of the person in whose place somebody is. */
  readonly others: readonly string[]
  /** The name of the person in whose place they are asked; null where they are asked themselves. */
  readonly handed_by: string | null
  /** Those to whom they may hand it on. */
  readonly delegates: readonly { readonly user_id: string; readonly name: string }[]
}

/** The copy that a reply or a report is about: by the reply handle that travelled, by the provider's reference, or by
 *  the short code typed beside the answer, which counts only together with its sender. */
export type Binding =
  | { readonly kind: 'handle'; readonly handle: string }
  | { readonly kind: 'ref'; readonly ref: string }
  | { readonly kind: 'code'; readonly code: string }

/** One reply as a channel vouches for it, before any check of ours has run. */
export type Inbound = {
  readonly channel: Channel
  /** The provider's id of this message; a second message with the same id is `duplicate_message`. */
  readonly provider_message_id?: string
  /** The address the channel vouches for; absent where the channel proves possession only. */
  readonly sender?: unknown
  readonly proof: Proof
  readonly authenticated: boolean
  readonly binding: Binding
  readonly text: string
  /** The fields beside the answer, as typed: `reason`, or `c.<id>` for a decision of a form. */
  readonly fields?: Fields
  /** The code typed beside the answer, where the channel asks for one. */
  readonly code?: string
  /** Set for a reply in a session of the console: whose it is, and whether the copy's code must stand beside it. */
  readonly session?: { readonly user_id: string; readonly needs_code: boolean }
  /** Set for a reply that a passkey has confirmed, and for no other: the assertion, which was checked, and the right of
   *  one use that it spends. */
  readonly confirmed?: { readonly evidence: Evidence; readonly spends: Hash }
  /** The passkeys by which its sender is known: one that was taken back when the reply is recorded vouches for nobody. */
  readonly passkeys?: readonly Hash[]
  readonly automated: boolean
  /** True if an automated message says that its sender is out of office. */
  readonly absent?: true
  /** True if the words come from a control for handing the request on, and are no answer. */
  readonly hands?: true
  /** True if the reply is bound only by words that anybody who has the text of the copy could have put into another
   *  message: it gives no approval. */
  readonly loosely?: true
}

/** A request as the person who answered it may see it: without the run, and without the others who were asked. */
export type OwnView = {
  readonly request_id: string
  readonly state: string
  readonly deadline_at: string
  readonly resolved_at: string | null
  readonly answer: Pick<NonNullable<Answered>, 'parsed_choice' | 'parsed_payload'> | null
  readonly default_action: DefaultAction
  readonly default_applied: boolean
}

/** The fate of an inbound reply, for the channel to tell its sender. Given only after the commit. */
export type Verdict =
  | {
      readonly kind: 'recorded'
      /** As one line. */
      readonly answer: string
      readonly at: string
      readonly answered_by: string
      /** What else must be said by others before anything is decided; null where this reply has decided. */
      readonly missing: string | null
      readonly shown: OwnView
    }
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly request_id: string
      readonly delivery_id: string
      /** The reply came from the person asked, and the channel vouches for that. */
      readonly theirs: boolean
      /** Only a passkey is enough for this request. */
      readonly passkey?: true
      /** The words as read and the words that would be understood, if the words were the trouble. */
      readonly read: string | null
      readonly accepted: string | null
      /** Of a form: every line that was not understood, the one above first. */
      readonly lines?: readonly Fault[]
      /** The ending, if the request is settled. */
      readonly ending: Ending | null
    }
  /** The reply names no delivery: nothing was recorded, and the sender is told nothing that depends on it. */
  | { readonly kind: 'unknown' }
export type RefusedReply = Extract<Verdict, { kind: 'refused' }>

/** A provider's later word about a copy it took: a bounce means that the copy no longer stands. */
export type Report = {
  readonly channel: Channel
  readonly about: Binding | { readonly kind: 'sender'; readonly sender: unknown }
  readonly status: string
  readonly stands: boolean
}

/** The request, and whether this sender could answer it now: for a form that is opened before it is filled in. */
export type Glance = {
  readonly delivery_id: string
  /** As in the outbound of its last attempt. */
  readonly voided: number
  readonly announces: boolean
  readonly display: Display
  /** The decisions of a form that were answered already. */
  readonly settled: readonly string[]
  /** Those to whom the person asked may hand it on now. */
  readonly delegates: Beside['delegates']
  /** The first check that would fail for any words; null when only the words are missing. */
  readonly reason: Reason | null
  readonly ending: Ending | null
}

/** The lane as a channel sees it. A deed is durable when its promise fulfils; LedgerUnavailable rejects. */
export interface Desk {
  /** Takes the reply, and with it the place up to which a pulled channel has been read. */
  take(inbound: Inbound, cursor?: string): Promise<Verdict>
  report(report: Report): Promise<void>
  look(inbound: Inbound): Promise<Glance | null>
  /** True if the channel may now say "your reply could not be read": once per request and person, claimed first. */
  notice(refused: RefusedReply): Promise<boolean>
  /** Accepts an invitation to link this address; gives the person's id, or null if the invitation is not open. */
  link(code: string, address: unknown): Promise<string | null>
  keep(cursor: string): Promise<void>
  now(): number
}

/** A provider's webhook, as it came: nothing of it is believed or parsed yet. */
export type Hook = {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it came, with its question mark; '' where there is none. */
  readonly query: string
  /** The provider in /hooks/email/:provider; null elsewhere. */
  readonly provider: string | null
}
export type HookAnswer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
/** The answer to every unverified webhook: the same words for every fault. */
export const UNVERIFIED: HookAnswer = { status: 401, body: 'unverified' }

/** A finding of `lane doctor`: a line, and its remedy. */
export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly remedy: string | null
}

/** For a copy that was to be answered where it stands, and cannot show all of the decision there. */
export const TOO_LONG_HERE: Sent = { kind: 'failed', code: 'too_long_here', retryable: false }

/** The parts an adapter is made of: its variables from the environment, and the lane around it. */
export type AdapterParts = {
  readonly variables: Readonly<Partial<Record<string, string>>>
  /** PUBLIC_URL, without a final slash. */
  readonly publicUrl: () => string
  readonly say: Say
  /** Lines that the operator's own mail gateways put into mails. */
  readonly banners?: readonly string[]
  /** Makes a stamp of a value that only this lane can write: the same at every start and on every replica, and not to
   *  be guessed from the value. Absent where nothing is sent or taken. */
  readonly stamp?: (value: string) => string
}

export interface Adapter {
  readonly channel: Channel
  /** The concurrency limit, if it is low. Further sends wait before they are claimed, so no lease runs meanwhile. */
  readonly atOnce?: number
  /** Whether a copy on this channel can show all of the decision, uncut: pure. A copy that cannot only announces. */
  shows(display: Display): boolean
  send(display: Display, outbound: Outbound): Promise<Sent>
  /** Edits a delivered copy to its outcome. Absent where a channel has nothing to edit. */
  close?(ref: string, ending: Ending, display: Display): Promise<void>
  /** A webhook: verified on its raw bytes first, then translated, taken at the desk, and only then acknowledged. */
  receive?(hook: Hook, desk: Desk): Promise<HookAnswer>
  /** For pulled channels: listens from the cursor on, until the returned function is called. */
  listen?(cursor: string | null, desk: Desk): Promise<() => Promise<void>>
  /** The address at which a person opens their invitation to link an address of this channel. */
  invite?(code: string): Promise<string>
  /** For `lane doctor`: asks the provider, changes nothing. */
  check?(): Promise<readonly Finding[]>
}
