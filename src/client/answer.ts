// The answer in the caller's own types: the values of a reply schema are known when the program is compiled, and
// checked once more when the answer arrives, because it arrives from another program.
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { ShownAnswer } from './case.js'

/** One decision of a form: its value by the decision's type, who gave it, and their comment, which explains the answer
 *  and orders nothing. A decision taken by default has nobody. */
export type DecisionShown = {
  readonly decision_id: string
  readonly approved?: boolean
  readonly selected?: string | readonly string[]
  readonly value?: string | number
  readonly comment?: string | null
  readonly by?: 'default'
  readonly answered_by: string | null
  readonly channel?: string
  readonly proof: string | null
  readonly at?: string
}

type ValueOf<S> = S extends { readonly options: readonly { readonly value: infer V }[] } ? V : never

/** The values that answer a schema. */
export type AnswerOf<S extends ReplySchema> = S extends { readonly kind: 'yes_no' }
  ? 'YES' | 'NO'
  : S extends { readonly kind: 'choice' }
    ? ValueOf<S>
    : S extends { readonly kind: 'multi_choice' }
      ? readonly ValueOf<S>[]
      : S extends { readonly kind: 'number' }
        ? number
        : S extends { readonly kind: 'form' }
          ? readonly DecisionShown[]
          : string

/** Null if the answer is none of the schema's: then something other than a lane has spoken. */
export function readAnswer<S extends ReplySchema>(schema: S, answer: ShownAnswer): AnswerOf<S> | null {
  const value = meantBy(schema, answer)
  return value === undefined ? null : (value as AnswerOf<S>)
}

function meantBy(schema: ReplySchema, { parsed_choice, parsed_payload }: ShownAnswer): unknown {
  const payload = parsed_payload ?? {}
  switch (schema.kind) {
    case 'yes_no':
      return parsed_choice === 'YES' || parsed_choice === 'NO' ? parsed_choice : undefined
    case 'choice':
      return schema.options.find(({ value }) => value === parsed_choice)?.value
    case 'multi_choice':
      return selectedOf(
        schema.options.map(({ value }) => value),
        payload.selected,
      )
    case 'text':
      return typeof payload.text === 'string' ? payload.text : undefined
    case 'number':
      return typeof payload.number === 'number' ? payload.number : undefined
    case 'date':
      return typeof payload.date === 'string' ? payload.date : undefined
    case 'form':
      return decisionsOf(
        schema.decisions.map(({ id }) => id),
        payload.decisions,
      )
  }
}

function decisionsOf(ids: readonly string[], decisions: unknown): readonly DecisionShown[] | undefined {
  const all = Array.isArray(decisions) && decisions.length > 0
  return all && decisions.every(one => ids.includes(one?.decision_id)) ? decisions : undefined
}

function selectedOf(values: readonly string[], selected: unknown): readonly string[] | undefined {
  const all = Array.isArray(selected) && selected.length > 0 && selected.every(one => values.includes(one))
  return all ? selected : undefined
}
