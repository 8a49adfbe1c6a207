// The one file of ours an adapter may import: the words a channel and the lane share. Adapters translate; they do
// not compile, time out or decide. Every channel folder holds index.ts, render.ts, send.ts and receive.ts.
import type { Display } from './request/display.js'

export { describeAnswer } from './compiler/describe.js'
export type { Display, ShownHandle } from './request/display.js'
export { letterOf, type Option, type ReplySchema } from './request/reply-schema.js'
export type { DefaultAction, RequestType } from './request/request.js'

export const CHANNELS = ['slack', 'email', 'telegram', 'sms', 'web'] as const
export type Channel = (typeof CHANNELS)[number]

/** How a channel vouches for who is speaking, strongest facts first. No API caller can set one. */
export const PROOFS = [
  'slack_signed',
  'telegram_id',
  'dmarc',
  'web_session',
  'console',
  'link_code',
  'sms_from',
] as const
export type Proof = (typeof PROOFS)[number]

/** What travels beside the display to one person: never hashed, never logged. */
export type Envelope = {
  readonly delivery_id: string
  readonly attempt: number
  readonly recipient: { readonly user_id: string; readonly name: string }
  /** The recipient's address on this channel, as the configuration spells it. */
  readonly address: unknown
  readonly handle: string
  readonly code: string
  /** PUBLIC_URL + /r/ + handle. */
  readonly link: string
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
export type Outcome = {
  readonly outcome: 'answered' | 'defaulted' | 'undelivered' | 'withdrawn'
  readonly at: string
  readonly answered_by: string | null
  readonly answer: string | null
  readonly default_action: string | null
}

/** One reply as a channel vouches for it, before any check of ours has run. */
export type Inbound = {
  readonly channel: Channel
  /** The provider's id of this message; a second message with the same id is `duplicate_message`. */
  readonly provider_message_id?: string
  /** The address the channel vouches for; absent where the channel proves possession only. */
  readonly sender?: unknown
  readonly proof: Proof
  readonly authenticated: boolean
  readonly binding:
    | { readonly kind: 'handle'; readonly handle: string }
    | { readonly kind: 'ref'; readonly ref: string }
  readonly text: string
  /** The code typed beside the answer, where the channel asks for one. */
  readonly code?: string
  readonly automated: boolean
}

export interface Adapter {
  readonly channel: Channel
  send(display: Display, envelope: Envelope): Promise<Sent>
  /** Edits a delivered copy to its outcome. Absent where a channel has nothing to edit. */
  close?(ref: string | null, outcome: Outcome): Promise<void>
  /** Translates a provider's verified bytes into replies. */
  receive?(bytes: Uint8Array, headers: Readonly<Record<string, string | undefined>>): Promise<Inbound[]>
  /** Pulled channels: `emit` returns once the inbound *and the cursor* are durable. */
  listen?(
    cursor: string | null,
    emit: (inbound: Inbound, cursor: string) => Promise<void>,
  ): Promise<() => Promise<void>>
}

/** The page of /r/:handle. The web adapter draws it; the door in http/ serves it. */
export type PageState =
  | {
      readonly kind: 'open'
      /** The reply handle the page was opened with: links to stored content are relative to it. */
      readonly handle: string
      readonly display: Display
      readonly csrf: string
      /** What was typed last and why it was not taken; null on first sight. */
      readonly refused: {
        readonly message: string
        readonly read: string
        readonly accepted: string
        /** The reply as it was typed, to be kept in the field; '' where the csrf did not hold: a foreign page typed it. */
        readonly typed: string
      } | null
      /** Handles of this request whose content is in the lane's store and can be opened from the page. */
      readonly openable: readonly string[]
      readonly now: string
    }
  | { readonly kind: 'recorded'; readonly answer: string; readonly at: string }
  /** Says only that it is closed and how; shows nothing of the request. */
  | { readonly kind: 'closed'; readonly outcome: Outcome }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'stopped'; readonly title: string; readonly message: string }

export type Page = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The posted form as the page sends it: strings only, meaning decided elsewhere. */
export type Form =
  | { readonly kind: 'form'; readonly reply: string; readonly code: string; readonly csrf: string }
  | { readonly kind: 'malformed'; readonly code: string }

export interface ReplyPage {
  readForm(bytes: Uint8Array, contentType: string | undefined): Form
  page(state: PageState, status: number): Page
  /** A handle's stored content, escaped, framed as sent by the caller. */
  blobPage(handle: string, content: Uint8Array, askedBy: string): Page
}
