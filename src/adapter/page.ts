// The page of /r/:handle, as the door in http/ and the web adapter, which draws it, speak of it.
import type { Hash } from '../canonical.js'
import type { Fault } from '../compiler/compile.js'
import type { Channel } from '../request/channel.js'
import type { Content } from '../request/content/exhibit.js'
import type { Display } from '../request/display.js'
import type { Beside, Ending } from './contract.js'
import type { Markup } from './markup.js'

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
        /** Of a form: every line that was not understood, by its decision. */
        readonly lines?: readonly Fault[]
      } | null
      /** The reply as it was typed before, to be kept in its fields; null on first sight. */
      readonly typed: Typed | null
      /** The decisions of a form that were answered already: they are asked of nobody any more. */
      readonly settled: readonly string[]
      /** Handles of this request whose content is in the lane's store and can be opened from the page. */
      readonly openable: readonly string[]
      /** How the votes stand, where several must agree: it changes while the request is open, so no display holds it. */
      readonly standing: string | null
      /** What else the person is told, and to whom they may hand it on; null where there is nothing. */
      readonly beside: Beside | null
      readonly now: string
      /** Set where the reader has signed in: then their session is the proof, and the form says what it was drawn from. */
      readonly session?: {
        readonly display_hash: Hash
        /** Where the form is sent to. */
        readonly action: string
        /** Whether the session alone is not enough here, and the code of a link is asked for too. */
        readonly asksCode: boolean
        /** Set where a passkey confirms the answer: whether nothing less is enough, where its challenge is named, and null
         *  with where passkeys are made, for somebody who has none. */
        readonly confirming: {
          readonly isNeeded: boolean
          readonly challenge: string | null
          readonly passkeys: string
        } | null
      }
    }
  | {
      readonly kind: 'recorded'
      readonly answer: string
      readonly at: string
      /** What else must be said by others before anything is decided. */
      readonly missing: string | null
    }
  /** Says only that it is closed and how; shows nothing of the request. */
  | { readonly kind: 'closed'; readonly ending: Ending }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'stopped'; readonly title: string; readonly message: string }
  /** A page of the console for somebody who has not signed in. */
  | { readonly kind: 'outside'; readonly title: string; readonly main: Markup; readonly passkey?: PasskeyUse }

export type Typed = {
  readonly reply: string
  /** The fields beside it: `reason`, or `c.<id>` for a decision of a form. */
  readonly fields: Readonly<Record<string, string>>
  /** Every approval of a form is to be chosen alike, at the person's own wish. */
  readonly all: 'yes' | 'no' | null
  /** It hands the request on, and is no answer. */
  readonly hands?: true
}

export type Page = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The posted form as the page sends it: strings only, meaning decided elsewhere. */
export type Form =
  | ({
      readonly kind: 'form'
      readonly code: string
      readonly csrf: string
      /** The hash of the display that the form was drawn from; absent behind a link, whose handle says it. */
      readonly display?: string
      /** The assertion of a passkey, and the ticket it was asked for with. */
      readonly passkey?: Readonly<Record<(typeof ASSERTED)[number], string>>
    } & Typed)
  | { readonly kind: 'malformed'; readonly code: string }

/** The fields of a form that a passkey fills in. */
export const ASSERTED = ['ticket', 'credential_id', 'client_data', 'authenticator_data', 'signature'] as const

/** A page on which a browser makes a passkey, or asks for one. */
export type PasskeyUse = { readonly use: 'create' | 'get'; readonly script: Markup }

/** What a page of ours is drawn with. */
export type Dress = {
  readonly style: Markup
  readonly scripts: readonly Markup[]
  /** It hears of changes, and has icons of ours. */
  readonly isLive?: boolean
  /** What it does with passkeys: to every other page they are closed. */
  readonly passkeys?: PasskeyUse['use']
}

export interface ReplyPage {
  readForm(bytes: Uint8Array, contentType: string | undefined): Form
  page(state: PageState, status: number): Page
  /** A content on a page of its own, framed as sent by the caller. */
  contentPage(content: Content, askedBy: string): Page
  /** What an open page shows, without the sheet of paper round it: for the console, which has a sheet of its own. */
  drawOpen(state: Extract<PageState, { kind: 'open' }>): Markup
  /** How all of this looks, and the script that counts down. */
  readonly style: Markup
  readonly script: Markup
  headersOf(dress: Dress): Readonly<Record<string, string>>
}
