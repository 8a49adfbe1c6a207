// The three typed requests, each with a bounded reply schema, a deadline and a conservative default.

import { type Hash, hashOf } from '../canonical.js'
import type { ReplySchema } from '../compiler/reply-schema.js'

export const LENSES = ['security', 'product', 'correctness', 'clarity'] as const
export type Lens = (typeof LENSES)[number]

/** Everything silence may lead to. None of these publishes, approves or exports anything. */
export const DEFAULT_ACTIONS = [
  'HALT',
  'SPLIT',
  'DOWNGRADE_TO_HYPOTHESIS',
  'QUARANTINE_OUTPUTS',
  'DENY',
  'DO_NOT_PUBLISH',
  'DO_NOT_EXPORT',
] as const
export type DefaultAction = (typeof DEFAULT_ACTIONS)[number]

type Common = {
  readonly deadline_seconds: number
  readonly default_action: DefaultAction
  readonly reply_schema: ReplySchema
}

type Question = Common & {
  readonly type: 'REQUEST_QUESTION'
  readonly question_id: string
  readonly question_text: string
  readonly impact: string
  readonly context_handles: readonly string[]
}
type Review = Common & {
  readonly type: 'REQUEST_REVIEW'
  readonly review_id: string
  readonly target_handles: readonly string[]
  readonly lens: Lens
  /** What it is asked for. */
  readonly why?: string
}
type Approval = Common & {
  readonly type: 'REQUEST_APPROVAL'
  readonly approval_id: string
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
  readonly why?: string
}
export type Request = Question | Review | Approval
export type RequestType = Request['type']

type IdOptional<R, K extends keyof R> = Omit<R, K> & { readonly [key in K]?: string }
/** A request as submitted: the caller may leave the id to the lane. */
export type RequestDraft =
  | IdOptional<Question, 'question_id'>
  | IdOptional<Review, 'review_id'>
  | IdOptional<Approval, 'approval_id'>

export const MOODS = [
  'CALM',
  'CURIOUS',
  'SKEPTICAL',
  'PARANOID',
  'BOLD',
  'CONTRITE',
  'PETTY',
  'DEFERENTIAL',
] as const
export type Mood = (typeof MOODS)[number]

/** The routing envelope's account of the run that asks. Logged, never hashed into the request. */
export type Run = {
  readonly run_id: string
  readonly mood: Mood
  readonly sub_mode?: 'approval'
  readonly work_item_id?: string
}

/** The request with its id: the caller's own, else the one the lane has made. Done before anything is hashed. */
export function completeRequest(draft: RequestDraft, makeId: () => string): Request {
  switch (draft.type) {
    case 'REQUEST_QUESTION':
      return { ...draft, question_id: draft.question_id ?? makeId() }
    case 'REQUEST_REVIEW':
      return { ...draft, review_id: draft.review_id ?? makeId() }
    case 'REQUEST_APPROVAL':
      return { ...draft, approval_id: draft.approval_id ?? makeId() }
  }
}

/** `request_id` is the type-specific id: one namespace for all types. */
export function idOf(request: Request): string {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return request.question_id
    case 'REQUEST_REVIEW':
      return request.review_id
    case 'REQUEST_APPROVAL':
      return request.approval_id
  }
}

export const hashRequest = (request: Request): Hash => hashOf('lane/request/v1', request)
