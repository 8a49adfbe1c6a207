// What a channel and the lane say to each other. Adapters translate; they do not compile, time out or decide. Every channel
// folder holds index.ts, render.ts, send.ts and receive.ts.
import type { Answered } from '../event.js'
import type { Reason } from '../reason.js'
import type { Channel, Proof } from '../request/channel.js'
import type { Display } from '../request/display.js'
import type { DefaultAction } from '../request/request.js'
import type { Rested } from '../request/words.js'
import type { Say } from '../say.js'

/** What travels beside the display to one person: never hashed, never logged. */
export type Outbound = {
  readonly delivery_id: string
  readonly attempt: number
  /** There where the copies of earlier attempts, up to this one, can be answered no more: the key of their tokens was revoked.
   *  None of them stands for this one. */
  readonly voided?: number
  readonly recipient: { readonly user_id: string; readonly name: string }
  /** The recipient's address on this channel, as the configuration spells it. */
  readonly address: unknown
  /** How this copy can be answered where it stands: the reply handle, and the code an SMS answer carries (7 characters).
   *  Null for a copy that only announces: it leads to the page, and nothing said on its channel answers it. */
  readonly reply: { readonly handle: string; readonly code: string } | null
  /** The page behind the link, which has a handle of its own; its code only where the page is this person's one way to
   *  answer. */
  readonly page: { readonly link: string; readonly code: string | null }
  /** There while this person's codes on a channel they are asked on rest: every copy says so, because somebody may be guessing
   *  in their name. */
  readonly rested?: Rested
  readonly at: string
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
  /** The bytes left us and no verdict came back. It stands, and is not repeated. */
  | { readonly kind: 'uncertain'; readonly ref?: string }

/** What a closed copy is edited to: only `answered` names a person. */
export type Ending = {
  readonly outcome: 'answered' | 'defaulted' | 'undelivered' | 'withdrawn'
  readonly at: string
  readonly answered_by: string | null
  readonly answer: string | null
  readonly default_action: DefaultAction | null
}

/** What a reply or a report is about: the reply handle that travelled, the provider's reference of the copy, or the
 *  short code typed beside the answer, which counts only together with its sender. */
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
  /** The code typed beside the answer, where the channel asks for one. */
  readonly code?: string
  readonly automated: boolean
  /** True where it is bound only by what anybody who has the text of the copy could have put into another message: it
   *  gives no approval. */
  readonly loosely?: true
}

/** A request as far as whoever has answered it may see: not the run, and not the others who were asked. */
export type OwnView = {
  readonly request_id: string
  readonly state: string
  readonly deadline_at: string
  readonly resolved_at: string | null
  readonly answer: Pick<NonNullable<Answered>, 'parsed_choice' | 'parsed_payload'> | null
  readonly default_action: DefaultAction
  readonly default_applied: boolean
}

/** What became of an inbound reply, for the channel to tell its sender. Said only after the commit. */
export type Verdict =
  | {
      readonly kind: 'recorded'
      /** As one line. */
      readonly answer: string
      readonly at: string
      readonly answered_by: string
      readonly shown: OwnView
    }
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly request_id: string
      readonly delivery_id: string
      /** It came from whom it was for, and the channel vouches for that. */
      readonly theirs: boolean
      /** What was read and what would have been understood, where the words were the trouble. */
      readonly read: string | null
      readonly accepted: string | null
      /** What holds, where it is settled. */
      readonly ending: Ending | null
    }
  /** It names no delivery: nothing was recorded, and the sender is told nothing that depends on it. */
  | { readonly kind: 'unknown' }
export type RefusedReply = Extract<Verdict, { kind: 'refused' }>

/** What the provider says later about a copy it took: a bounce means that it no longer stands. */
export type Report = {
  readonly channel: Channel
  readonly about: Binding | { readonly kind: 'sender'; readonly sender: unknown }
  readonly status: string
  readonly stands: boolean
}

/** What was asked, and whether this sender could answer it now: for a form that is opened before it is filled in. */
export type Glance = {
  readonly delivery_id: string
  /** As the envelope of its last attempt says them. */
  readonly voided: number
  readonly announces: boolean
  readonly display: Display
  /** The first check that would fail whatever is said; null when only the words are missing. */
  readonly reason: Reason | null
  readonly ending: Ending | null
}

/** The lane as a channel sees it. Whatever it promises is durable when it fulfils; LedgerUnavailable rejects. */
export interface Desk {
  /** The reply, and with it the place up to which a pulled channel has been read. */
  take(inbound: Inbound, cursor?: string): Promise<Verdict>
  report(report: Report): Promise<void>
  look(inbound: Inbound): Promise<Glance | null>
  /** True for whoever may now say "your reply could not be read": once per request and person, claimed before it is said. */
  notice(refused: RefusedReply): Promise<boolean>
  /** An invitation to link this address was accepted; the person's id, or null for one that is not open. */
  link(code: string, address: unknown): Promise<string | null>
  keep(cursor: string): Promise<void>
  now(): number
}

/** A provider's webhook, as it came: nothing of it has been believed or parsed. */
export type Hook = {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it came, with its question mark; '' where there is none. */
  readonly query: string
  /** Of /hooks/email/:provider; null elsewhere. */
  readonly provider: string | null
}
export type HookAnswer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
/** What every unverified webhook is told: the same words whatever was wrong with it. */
export const UNVERIFIED: HookAnswer = { status: 401, body: 'unverified' }

/** What one look of `lane doctor` found: a line, and what to do about it. */
export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly remedy: string | null
}

/** A copy that was to be answered where it stands, and cannot show there all of what is decided. */
export const TOO_LONG_HERE: Sent = { kind: 'failed', code: 'too_long_here', retryable: false }

/** What an adapter is made of: its variables from the environment, and the lane around it. */
export type AdapterParts = {
  readonly variables: Readonly<Partial<Record<string, string>>>
  /** PUBLIC_URL, without a final slash. */
  readonly publicUrl: () => string
  readonly say: Say
  /** Lines that the operator's own mail gateways put into mails. */
  readonly banners?: readonly string[]
  /** What only this lane can write for a value: the same at every start and on every replica, and guessed by nobody who
   *  knows the value. Absent where nothing is sent or taken. */
  readonly stamp?: (value: string) => string
}

export interface Adapter {
  readonly channel: Channel
  /** How many sends it takes at once, where that is few: the rest wait before they are begun, not while. */
  readonly atOnce?: number
  /** Whether a copy on this channel can show all of what is decided, whole: pure. One that cannot only announces. */
  shows(display: Display): boolean
  send(display: Display, outbound: Outbound): Promise<Sent>
  /** Edits a delivered copy to its outcome. Absent where a channel has nothing to edit. */
  close?(ref: string, ending: Ending, display: Display): Promise<void>
  /** A webhook: verified on its raw bytes first, then translated, taken at the desk, and only then acknowledged. */
  receive?(hook: Hook, desk: Desk): Promise<HookAnswer>
  /** Pulled channels, from the cursor on, until the returned function was called. */
  listen?(cursor: string | null, desk: Desk): Promise<() => Promise<void>>
  /** Where a person opens their invitation to link an address of this channel. */
  invite?(code: string): Promise<string>
  /** For `lane doctor`: asks the provider, changes nothing. */
  check?(): Promise<readonly Finding[]>
}
