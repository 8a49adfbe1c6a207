// The meaning of a reply. One of the two fields is null: a choice names one value of the schema, a payload carries
// the value itself.

export type Payload =
  | { readonly selected: string[] }
  | { readonly text: string }
  | { readonly number: number; readonly unit?: string }
  | { readonly date: string }

export type Answer = { readonly parsed_choice: string | null; readonly parsed_payload: Payload | null }

export type CompileReason = 'reply_too_long' | 'reply_bad_charset' | 'reply_not_in_schema'

/** A kind's reading of a reply: its answer, or the reason there is none. */
export type ReplyReading = Answer | CompileReason

export const chosen = (value: string): Answer => ({ parsed_choice: value, parsed_payload: null })
export const carried = (payload: Payload): Answer => ({ parsed_choice: null, parsed_payload: payload })
