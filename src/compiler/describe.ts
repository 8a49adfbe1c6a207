// One sentence that tells a person what would be understood. It stands in messages and in every refusal, and each
// example it quotes is itself an answer.
//
// GD1  An option is named with its value, whole: the value is what is recorded, and a label could say something else. A
//      label is shown whole or not at all.

import { exampleDate, exampleInstant, exampleNumber } from './example.js'
import { letterOf } from './option.js'
import type { Option, ReplySchema } from './reply-schema.js'

type Of<Kind extends ReplySchema['kind']> = Extract<ReplySchema, { kind: Kind }>

/** With its options, for a reader who does not see them. */
export const describeAnswer = (schema: ReplySchema): string =>
  'options' in schema
    ? `${describeReply(schema).slice(0, -1)}: ${listed(schema.options)}.`
    : describeReply(schema)

/** Below a list of the options, which it does not repeat. */
export function describeReply(schema: ReplySchema): string {
  switch (schema.kind) {
    case 'yes_no':
      return 'Reply YES or NO.'
    case 'choice':
      return 'Reply with one letter.'
    case 'multi_choice':
      return `Reply with ${lettersOf(schema)}.`
    case 'text':
      return `Reply with one line of plain text, at most ${counted(schema.max_chars, 'character')}, without links.`
    case 'number':
      return describeNumber(schema)
    case 'date':
      return describeDate(schema)
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `A = ship (Ship the release)`: its letter, the recorded value, and the caller's label. */
export const describeOption = (option: Option, index: number): string =>
  option.label === option.value ? valued(option, index) : `${valued(option, index)} (${option.label})`
const valued = ({ value }: Option, index: number): string => `${letterOf(index)} = ${value}`

/** UTF-16 units: 26 options are still one sentence that a channel can carry, and as many of the longest values fit. */
const MAX_LIST_UNITS = 1000

function listed(options: readonly Option[]): string {
  const whole = options.map(describeOption).join(', ')
  return whole.length <= MAX_LIST_UNITS ? whole : options.map(valued).join(', ')
}

function lettersOf(schema: Of<'multi_choice'>): string {
  // The empty reply is no answer, so the shortest answer is one letter.
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
