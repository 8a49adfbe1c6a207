// One sentence a person can follow: what would be understood. It stands in messages and in every refusal, and each
// example it quotes is itself an answer.
import type { Option, ReplySchema } from '../request/reply-schema.js'
import { exampleDate, exampleInstant, exampleNumber } from './example.js'
import { letterOf } from './option.js'

type Of<Kind extends ReplySchema['kind']> = Extract<ReplySchema, { kind: Kind }>

export function describeAnswer(schema: ReplySchema): string {
  switch (schema.kind) {
    case 'yes_no':
      return 'Reply YES or NO.'
    case 'choice':
      return `Reply with one letter: ${listed(schema.options)}.`
    case 'multi_choice':
      return `Reply with ${lettersOf(schema)}: ${listed(schema.options)}.`
    case 'text':
      return `Reply with one line of plain text, at most ${counted(schema.max_chars, 'character')}, without links.`
    case 'number':
      return describeNumber(schema)
    case 'date':
      return describeDate(schema)
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** UTF-16 units: 26 options are still one sentence that a channel can carry. */
const MAX_LIST_UNITS = 1000
const AROUND_LABEL_UNITS = 'A (…), '.length

function listed(options: readonly Option[]): string {
  const whole = named(options, MAX_LIST_UNITS)
  return whole.length <= MAX_LIST_UNITS
    ? whole
    : named(options, Math.floor(MAX_LIST_UNITS / options.length) - AROUND_LABEL_UNITS)
}

const named = (options: readonly Option[], labelUnits: number): string =>
  options.map((option, index) => `${letterOf(index)} (${shortened(option.label, labelUnits)})`).join(', ')

function shortened(label: string, units: number): string {
  if (label.length <= units) return label
  const isSplitPair = (label.codePointAt(units - 1) ?? 0) > 0xffff
  return `${label.slice(0, isSplitPair ? units - 1 : units)}…`
}

function lettersOf(schema: Of<'multi_choice'>): string {
  // The empty reply is no answer, so the least that can be said is one letter.
  const least = Math.max(schema.min, 1)
  if (schema.max === 1) return 'one letter'
  const many =
    least === schema.max ? counted(least, 'letter') : `${least} to ${counted(schema.max, 'letter')}`
  const example = Array.from({ length: Math.max(least, 2) }, (_, index) => letterOf(index)).join(', ')
  return `${many} separated by commas, for example "${example}"`
}

function describeNumber(schema: Of<'number'>): string {
  const figure = exampleNumber(schema)
  const phrase = [schema.lead, figure, schema.unit].filter(part => part !== undefined).join(' ')
  const examples = phrase === figure ? `"${figure}"` : `"${figure}" or "${phrase}"`
  const steps = schema.step === undefined ? '' : ` in steps of ${schema.step}`
  return `Reply with a number from ${schema.min} to ${schema.max}${steps}, for example ${examples}.`
}

function describeDate(schema: Of<'date'>): string {
  const examples = `"${exampleDate(schema)}" or "${exampleInstant(schema)}"`
  return `Reply with a date${between(schema)}, for example ${examples}.`
}

function between({ min, max }: Of<'date'>): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` not before ${min}`
  return max === undefined ? '' : ` not after ${max}`
}
