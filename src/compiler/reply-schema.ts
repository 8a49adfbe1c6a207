// The closed union of the schemas a person may be asked to answer by. Every member is bounded: there is no schema
// under which an arbitrary string is an answer.

export type Option = { readonly value: string; readonly label: string }

export type ReplySchema =
  | { readonly kind: 'yes_no' }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
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
