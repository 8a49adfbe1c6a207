// The memory of a reader of the ledger: everything about an open request, little about a resolved one, and the tokens
// and messages that were accepted. Owned by one reading; the checks beside this file write into it.
import type { Asked } from '../../agenda/asked.js'
import type { Hash } from '../../canonical.js'
import type { Entry, OutcomeKind } from '../../event.js'
import type { DisplayFacts } from '../../request/display.js'
import type { Request } from '../../request/request.js'
import type { Terms } from '../../request/terms.js'
import { NEWEST_RULES, type Rules } from '../../rules.js'
import type { Counted } from '../../tally/tally.js'
import { Leaves } from '../tree/leaves.js'
import { type Frontier, NOTHING } from '../tree/nodes.js'

/** One delivery, as far as its later entries must fit it. */
export type Placing = {
  readonly recipient: string
  readonly channel: string
  stands: boolean
  /** The provider has reported that it did not arrive. */
  bounced: boolean
  /** The first attempt first. Emptied once the request is resolved and all of them are concluded. */
  attempts: Attempt[]
  /** Each with the token that came with it. */
  readonly reminders: { readonly step: number; readonly token_hash: Hash | null }[]
}
/** The progress of a callback: the last attempt, and when the next may be made; null for no more. */
type Calling = { attempts: number; next_at: string | null }
/** `voided`: the key of its token was revoked, so that its copy does not stand, whenever it was sent. */
type Attempt = { readonly token_hash: Hash; concluded: boolean; voided: boolean }

/** The director's words about a request so far, and the facts that bound them. Kept
 *  after the resolution, hence small. */
export type Direction = {
  readonly opened_by: string
  /** The entry a decision is about: the seq of the opening, then of the resolution. */
  because: number
  /** The subject of an approval; null for a question or a review. */
  readonly approval: { readonly action: string; readonly parameters_hash: Hash | null } | null
  /** Whether a question was answered, so that a preference was stated. */
  readonly isQuestion: boolean
  outcome: OutcomeKind | null
  resolved_at: string | null
  /** A person answered YES. */
  yes: boolean
  reply_event_hash: Hash | null
  /** The decision about the outcome, once made. */
  decided: string | null
  token: { readonly jti: string; readonly expires_at: string; gone: 'spent' | 'revoked' | null } | null
}

export type Story = {
  readonly request_hash: Hash
  readonly run_id: string | undefined
  readonly deliveries: Map<string, Placing>
  /** The contents recorded with it, and their code points. */
  readonly contents: ReadonlyMap<string, number | null>
  /** Null where no callback was registered. */
  callback: Calling | null
  readonly direction: Direction
  /** Null once resolved: no later entry needs it. */
  open: OpenStory | null
}

export type OpenStory = {
  readonly request: Request
  readonly deadline_at: string
  readonly opened_at: string
  /** Everybody it is put to by now. */
  asked: readonly Asked[]
  /** The steps of the ladder that have added people or opened channels. */
  readonly steps: Set<number>
  /** Null under rules 1, which recorded none. */
  readonly terms: Terms | null
  /** The facts of its display; null under rules 1, which did not record them all. */
  readonly shown: DisplayFacts | null
  readonly contents: Story['contents']
  /** Every reply that was accepted, in the order of the ledger. */
  readonly replies: Counted[]
}

/** 32 bytes for each entry since a checkpoint, that its root can be made whichever size it names. */
type Growth = { base: Frontier; readonly leaves: Leaves }

export type Book = {
  readonly stories: Map<string, Story>
  readonly acceptedTokens: Set<string>
  readonly acceptedMessages: Set<string>
  readonly policyTokens: Set<string>
  /** Runs that a director outside the lane has decided for. */
  readonly directedRuns: Set<string>
  /** The rules of the last LANE_STARTED; null before the first. */
  rules: Rules | null
  /** The tree at the last checkpoint, and the leaves since; null once a line was missing. */
  tree: Growth | null
  /** The keys of checkpoints that were announced. */
  readonly logKeys: Set<string>
  /** By whose word, and whose: their passkeys that were not taken back. */
  readonly passkeys: Map<string, Set<Hash>>
  /** Every passkey that was ever registered. */
  readonly credentials: Set<Hash>
  /** Evidence stands directly before the reply that was announced last. */
  isConfirmed: boolean
  /** LEDGER_SEALED stands in it. */
  isSealed: boolean
  /** The entry before this one, if it could be read. */
  previous: Entry | null
  suspect: boolean
  lastAt: string
}

/** The rules the next entry is judged by. A ledger begins with a LANE_STARTED; entries before one
 *  are taken for this program's. */
export const rulesOf = ({ rules }: Book): Rules => rules ?? NEWEST_RULES

export const openBook = (): Book => ({
  stories: new Map(),
  acceptedTokens: new Set(),
  acceptedMessages: new Set(),
  policyTokens: new Set(),
  directedRuns: new Set(),
  rules: null,
  tree: { base: NOTHING, leaves: new Leaves() },
  logKeys: new Set(),
  passkeys: new Map(),
  credentials: new Set(),
  isConfirmed: false,
  isSealed: false,
  previous: null,
  suspect: false,
  lastAt: '',
})
