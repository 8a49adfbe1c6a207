// Why somebody answered as they did. On a channel of words the reason stands behind NO alone; with any other answer it
// comes from a field of its own, beside the string and never inside it.
//
// GW1  Words that were given are recorded or the reply is refused: none is dropped in silence.
// GW2  A reason has the alphabet of `text`, so that it opens nothing where it is shown.

import type { CompileReason } from './answer.js'
import type { AskedReason } from './reply-schema.js'
import { read } from './stages.js'
import { trimmed } from './trim.js'

/** The fields beside a reply, as they were typed: `reason`, or `c.<id>` for a decision of a form. */
export type Fields = Readonly<Record<string, string>>

/** A field that was left empty says nothing. */
export const isGiven = (field: string | undefined): field is string =>
  field !== undefined && trimmed(field) !== ''

type Given = {
  readonly asked: AskedReason | undefined
  /** The words behind a NO; null where there are none. */
  readonly why: string | null
  readonly field: string | undefined
  readonly isNo: boolean
}

/** The words, null where none were given and none were needed, or the reason the reply is refused. */
export function reasonOf({
  asked,
  why,
  field,
  isNo,
}: Given): { readonly words: string | null } | CompileReason {
  if (isGiven(field) && (asked === undefined || why !== null)) return 'reply_not_in_schema'
  const given = why ?? (isGiven(field) ? field : null)
  if (given === null) return isNo && asked?.when === 'on_no' ? 'reason_missing' : { words: null }
  const reading = read({ kind: 'text', max_chars: asked?.max_chars ?? 0 }, given)
  if (typeof reading === 'string') return reading
  const { parsed_payload: payload } = reading
  return payload !== null && 'text' in payload ? { words: payload.text } : 'reply_not_in_schema'
}
