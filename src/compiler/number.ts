// A plain decimal, alone or in the schema's own phrase: `50`, `50 chips`, `max spend 50 chips`. A reply with the lead
// must be the whole phrase, so that a half-remembered one is asked again instead of guessed.

import { carried, type ReplyReading } from './answer.js'
import { isSame } from './ascii.js'
import { type Decimal, decimalOf, numberOf, readDecimal } from './decimal.js'
import type { ReplySchema } from './reply-schema.js'

export type NumberSchema = Extract<ReplySchema, { kind: 'number' }>

export function readNumber(schema: NumberSchema, said: string): ReplyReading {
  const decimal = readDecimal(figureIn(schema, said))
  if (decimal === null || !isWithin(schema, decimal)) return 'reply_not_in_schema'
  const number = numberOf(decimal)
  if (number === null) return 'reply_not_in_schema'
  return carried(schema.unit === undefined ? { number } : { number, unit: schema.unit })
}

/** The words of a string: the text between runs of spaces. */
const wordsOf = (said: string): string[] => said.split(' ').filter(word => word !== '')

/** The one word of the phrase that must be the number; '' if the phrase is not the schema's. */
function figureIn(schema: NumberSchema, said: string): string {
  const words = wordsOf(said)
  if (words.length === 1) return said
  const unit = wordsOf(schema.unit ?? '')
  const lead = words.length === 1 + unit.length ? [] : wordsOf(schema.lead ?? '')
  const figure = words[lead.length] ?? ''
  return areSame(words, [...lead, figure, ...unit]) ? figure : ''
}

const areSame = (said: readonly string[], words: readonly string[]): boolean =>
  said.length === words.length && words.every((word, index) => isSame(said[index] ?? '', word))

/** Within the bounds and on a step, in decimal arithmetic. */
export function isWithin(schema: NumberSchema, decimal: Decimal): boolean {
  const min = decimalOf(schema.min)
  const max = decimalOf(schema.max)
  if (min === null || max === null || decimal < min || decimal > max) return false
  if (schema.step === undefined) return true
  const step = decimalOf(schema.step)
  return step !== null && step > 0n && (decimal - min) % step === 0n
}
