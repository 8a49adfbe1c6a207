// The closed union of the schemas a person may be asked to answer by. Every member is bounded: there is no schema
// under which an arbitrary string is an answer.

export type Option = { readonly value: string; readonly label: string }

/** Whether an answer says why: a NO that must, or whoever wants to. */
export type AskedReason = { readonly when: 'on_no' | 'optional'; readonly max_chars: number }
/** Only a NO can be asked for its reason. */
type OptionalReason = AskedReason & { readonly when: 'optional' }

export type ReplySchema =
  | { readonly kind: 'yes_no'; readonly reason?: AskedReason }
  | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly reason?: OptionalReason }
  | {
      readonly kind: 'multi_choice'
      readonly options: readonly Option[]
      readonly min: number
      readonly max: number
    }
  | { readonly kind: 'text'; readonly max_chars: number }
  | {
      readonly kind: 'number'
      readonly min: number
      readonly max: number
      readonly step?: number
      readonly unit?: string
      readonly lead?: string
    }
  | { readonly kind: 'date'; readonly min?: string; readonly max?: string }
  | FormSchema

/** Several decisions, each answered once, by whoever answers it first. */
export type FormSchema = {
  readonly kind: 'form'
  readonly decisions: readonly Decision[]
  /** May hold line feeds, as every description in a form may. */
  readonly context?: string
  readonly blocking?: readonly Blocked[]
}

/** Work that waits for the form. */
type Blocked = {
  readonly task_id?: string
  readonly artifact_id?: string
  readonly description: string
}

type DescribedOption = Option & { readonly description?: string }

type Asked<Type extends string, Default> = {
  readonly id: string
  readonly type: Type
  readonly prompt: string
  readonly description?: string
  readonly required: boolean
  /** Named beside the control, never preselected. */
  readonly default?: Default
}

export type Decision =
  | (Asked<'approval', boolean> & { readonly reason?: AskedReason })
  | (Asked<'choice', string> & {
      readonly options: readonly DescribedOption[]
      readonly reason?: OptionalReason
    })
  | (Asked<'multi_choice', readonly string[]> & {
      readonly options: readonly DescribedOption[]
      /** How many are chosen. */
      readonly constraints?: { readonly min?: number; readonly max?: number }
      readonly reason?: OptionalReason
    })
  | (Asked<'text', string> & {
      /** Code points, and RE2 syntax found anywhere in the text. */
      readonly constraints?: { readonly min?: number; readonly max?: number; readonly pattern?: string }
      readonly reason?: OptionalReason
    })
  | (Asked<'number', number> & {
      readonly constraints?: { readonly min?: number; readonly max?: number }
      readonly reason?: OptionalReason
    })
  | (Asked<'date', string> & { readonly reason?: OptionalReason })
