// The value that a raw message is read into, and that receiving acts on.
import type { Binding } from '../../../src/adapter/index.js'
import type { LaneAddress } from '../address.js'
import type { AskingMail } from '../asked.js'
import type { Banners } from './literals.js'

/** As node:dns/promises answers: arrays of strings for TXT, strings for the rest; an error with a `code` otherwise. */
export type Resolver = (name: string, rrtype: string) => Promise<string[][] | string[]>

/** The facts that reading needs beside the bytes. */
export type MailFacts = {
  readonly resolver: Resolver
  /** The mail that asked under this handle or id; null where none of ours did. */
  readonly asked: (binding: Binding, author: string) => Promise<AskingMail | null>
  /** EMAIL_AUTHSERV_ID: the server whose Authentication-Results are believed; null for none. */
  readonly authservId: string | null
  /** The address replies come back to. */
  readonly replyTo: LaneAddress
  /** The sender people see: where clients that ignore Reply-To send their answer. */
  readonly from: string
  /** Lines the operator's own gateways put into mails. */
  readonly banners: Banners
  /** True at the last try: a name server that is silent then counts as a no. */
  readonly last: boolean
  readonly now: number
}

export type RefusedMail =
  | 'too_large'
  | 'too_many_headers'
  | 'header_too_long'
  | 'nesting'
  | 'too_many_parts'
  | 'doubled_header'
  | 'no_single_author'
  | 'malformed'

export type Ignored =
  /** Nothing in it names a request of ours. */
  | 'names_no_request'
  /** It names two. */
  | 'names_two_requests'
  /** Sent to somebody else; we got a copy, or it was passed on to us. */
  | 'not_addressed_to_us'
  | 'resent'
  | 'mailing_list'
  /** A delivery report that says nothing new: delivered, delayed, relayed. */
  | 'no_failure'

export type Mail =
  | {
      readonly kind: 'reply'
      /** By handle from the address it was written to, else by the Message-ID of ours that it answers. */
      readonly binding: Binding
      /** The one From address, in lower case. */
      readonly sender: string
      readonly authenticated: boolean
      readonly proof: 'dmarc'
      /** The text to compile. An ambiguous reply is given in a form that no schema accepts. */
      readonly text: string
      /** Without its angle brackets; null where there is none. */
      readonly message_id: string | null
      readonly automated: boolean
      /** The reply names no mail that it answers: anybody who has the text of ours could have had it written. */
      readonly loosely: boolean
      /** The id of a notice about it; null where no mail of ours asked. */
      readonly noticeId: string | null
      /** It says that its author is out of office. */
      readonly absent: boolean
    }
  /** A server has given the mail up. */
  | { readonly kind: 'bounce'; readonly about: Binding; readonly status: string }
  | { readonly kind: 'ignored'; readonly why: Ignored }
  | { readonly kind: 'refused'; readonly why: RefusedMail }
  /** A name server did not answer: the same message is read again later. Never given when `last`. */
  | { readonly kind: 'later' }
