// One sentence that tells a person what would be understood. It stands in messages and in every refusal, and each
// example it quotes is itself an answer.
//
// GD1  An option is named with its value, whole: the value is what is recorded, and a label could say something else. A
//      label is shown whole or not at all.

import { schemaOf } from './decision.js'
import { exampleDate, exampleInstant, exampleNumber } from './example.js'
import { letterOf } from './option.js'
import type { AskedReason, Decision, FormSchema, Option, ReplySchema } from './reply-schema.js'

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
      return `Reply ${yesOrNo(schema.reason, '')}.`
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
    case 'form':
      return describeForm(schema)
  }
}

/** `before` stands before each example: the id of a decision and a space. */
function yesOrNo(reason: AskedReason | undefined, before: string): string {
  if (reason === undefined) return 'YES or NO'
  const example = `"${before}NO: ${EXAMPLE_REASON.slice(0, reason.max_chars)}"`
  return reason.when === 'on_no'
    ? `YES, or NO with its reason, for example ${example}`
    : `YES or NO; a NO may give its reason, for example ${example}`
}
const EXAMPLE_REASON = 'too early'

function describeForm({ decisions }: FormSchema): string {
  const example = decisions.map(exampleLine).find(line => line !== null)
  const shown = example === undefined ? '' : `, for example "${example}"`
  return `Reply with a line for each decision, its id and the answer${shown}. The ids are ${decisions.map(({ id }) => id).join(', ')}.`
}

/** Null for a text: no word is sure to fit its pattern. */
function exampleLine(decision: Decision): string | null {
  const { id } = decision
  const schema = schemaOf(decision)
  switch (schema.kind) {
    case 'yes_no':
      return `${id} YES`
    case 'choice':
      return `${id} A`
    case 'multi_choice':
      return `${id} ${Array.from({ length: schema.min }, (_, index) => letterOf(index)).join(', ')}`
    case 'number':
      return `${id} ${exampleNumber(schema)}`
    case 'date':
      return `${id} ${exampleDate(schema)}`
    case 'text':
      return null
  }
}

/** One decision of a form, with its options, for a reader who does not see them. */
export function describeDecision(decision: Decision): string {
  return 'options' in decision
    ? `${describeLine(decision).slice(0, -1)}: ${listed(decision.options)}.`
    : describeLine(decision)
}

/** Below a list of its options, which it does not repeat. */
export function describeLine(decision: Decision): string {
  const { id } = decision
  const schema = schemaOf(decision)
  const example = `, for example "${exampleLine(decision)}"`
  switch (schema.kind) {
    case 'yes_no':
      return `For ${id}: ${yesOrNo(schema.reason, `${id} `)}.`
    case 'choice':
      return `For ${id}: one letter${example}.`
    case 'multi_choice': {
      const { min, max } = schema
      const many = min === max ? counted(min, 'letter') : `${min} to ${counted(max, 'letter')}`
      return `For ${id}: ${many} separated by commas${example}.`
    }
    case 'text':
      return `For ${id}: one line of plain text, ${lengthOf(decision, schema)}, without links${patternOf(decision)}.`
    case 'number':
      return `For ${id}: a number from ${schema.min} to ${schema.max}${example}.`
    case 'date':
      return `For ${id}: a date${example}.`
  }
}

const lengthOf = (decision: Decision, { max_chars }: Of<'text'>): string => {
  const min = decision.type === 'text' ? (decision.constraints?.min ?? 1) : 1
  return min === 1
    ? `at most ${counted(max_chars, 'character')}`
    : `${min} to ${counted(max_chars, 'character')}`
}

const patternOf = (decision: Decision): string => {
  const pattern = decision.type === 'text' ? decision.constraints?.pattern : undefined
  return pattern === undefined ? '' : `, fitting the pattern ${pattern}`
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
