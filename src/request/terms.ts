// The terms a request is opened under: what the caller's envelope and the operator's policy came to at that moment. They
// are recorded with the opening. Later both hold, the terms and the configuration of the day: the operator
// can narrow an open request, and nobody can widen it.
import type { Hash } from '../canonical.js'
import type { Proof } from './channel.js'
import type { ResolvedRecipient } from './recipient.js'

export const URGENCIES = ['low', 'normal', 'high'] as const
export type Urgency = (typeof URGENCIES)[number]

/** How many people must say YES. With a veto the first NO decides. */
export type Quorum = { readonly need: number; readonly veto: boolean }

/** How much of the stored contents a copy must show before it can be answered. */
export const CONTENT_RULES = ['any', 'required', 'whole'] as const
export type ContentRule = (typeof CONTENT_RULES)[number]

/** One step of the ladder, `after_seconds` from the opening. */
type Step<R> =
  | { readonly after_seconds: number; readonly do: 'remind' | 'next_channel' }
  | { readonly after_seconds: number; readonly do: 'add'; readonly recipients: readonly R[] }
/** The ladder as the caller or the operator gave it, or as it holds: everybody by name. */
export type Ladder<R = ResolvedRecipient> = readonly Step<R>[]

export type Policy = {
  /** Who may approve the action; absent for a question or a review. */
  readonly approvers?: readonly string[]
  readonly proofs: readonly Proof[]
  readonly four_eyes?: true
  /** The person the asking key belongs to. */
  readonly owner?: string
  readonly content?: ContentRule
  /** An optional decision of this form that nobody answers takes its default when the form is answered. */
  readonly take_defaults?: true
}

export type Terms = {
  readonly urgency: Urgency
  /** The urgency the caller named, where it was lowered. */
  readonly urgency_asked?: Urgency
  readonly quorum?: Quorum
  /** Everybody who may vote, where there is a quorum. */
  readonly electorate?: readonly string[]
  readonly ladder?: Ladder
  readonly policy: Policy
}

/** The artifact of another system that a request was made from: the caller's word, which gives nothing. */
export const ORIGIN_SYSTEMS = ['ahil', 'ail', 'aahp'] as const
export type Origin = {
  readonly system: (typeof ORIGIN_SYSTEMS)[number] | 'aah'
  readonly ref: string
  readonly hash: Hash
}
