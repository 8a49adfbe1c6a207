// The meaning of a reply. A choice names one value of the schema, a payload carries the value itself; a choice has a
// payload only for the hash of its reason, which the reply room adds.

export type Payload =
  | { readonly selected: string[] }
  | { readonly text: string }
  | { readonly number: number; readonly unit?: string }
  | { readonly date: string }
  | { readonly decisions: readonly DecisionAnswer[] }

/** The answer to one decision of a form, by the decision's type. */
export type DecisionAnswer = { readonly decision_id: string } & Decided
export type Decided =
  | { readonly approved: boolean }
  | { readonly selected: string | string[] }
  | { readonly value: string | number }

export type Answer = { readonly parsed_choice: string | null; readonly parsed_payload: Payload | null }

/** The words that explain an answer. They are no part of it and order nothing: an entry holds their hash alone. */
export type Remark = {
  /** The decision they explain; null where the request is one decision. */
  readonly about: string | null
  readonly words: string
}

/** In the order in which they are judged. */
export const COMPILE_REASONS = [
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
  'reason_missing',
] as const
export type CompileReason = (typeof COMPILE_REASONS)[number]

/** A kind's reading of a reply: its answer, or the reason there is none. */
export type ReplyReading = Answer | CompileReason

/** The decisions of an answer to a form; none of any other. */
export const decisionsOf = ({ parsed_payload: payload }: Answer): readonly DecisionAnswer[] =>
  payload !== null && 'decisions' in payload ? payload.decisions : []

export const chosen = (value: string): Answer => ({ parsed_choice: value, parsed_payload: null })
export const carried = (payload: Payload): Answer => ({ parsed_choice: null, parsed_payload: payload })
