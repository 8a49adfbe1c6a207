// The page of /r/:handle, as the door in http/ and the web adapter, which draws it, speak of it.
import type { Channel } from '../request/channel.js'
import type { Display } from '../request/display.js'
import type { Ending } from './contract.js'

export type PageState =
  | {
      readonly kind: 'open'
      /** The reply handle the page was opened with: links to stored content are relative to it. */
      readonly handle: string
      readonly display: Display
      /** The channel whose copy is answered where it stands: the page is there to be read and asks nothing. */
      readonly elsewhere: Channel | null
      /** Null if the page does not show all of the decision: then it has no form, and nothing can be posted. */
      readonly csrf: string | null
      /** The last reply and why it was not taken; null on first sight. */
      readonly refused: {
        readonly message: string
        readonly read: string
        readonly accepted: string
        /** The reply as it was typed, to be kept in the field. */
        readonly typed: string
      } | null
      /** Handles of this request whose content is in the lane's store and can be opened from the page. */
      readonly openable: readonly string[]
      /** The texts among them, by handle, without which nobody knows what is decided: the page shows them. */
      readonly contents: ReadonlyMap<string, Uint8Array>
      readonly now: string
    }
  | { readonly kind: 'recorded'; readonly answer: string; readonly at: string }
  /** Says only that it is closed and how; shows nothing of the request. */
  | { readonly kind: 'closed'; readonly ending: Ending }
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
