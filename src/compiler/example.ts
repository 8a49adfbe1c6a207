// Examples that are answers: a person who copies one from the message is understood.
import type { DateSchema } from './date.js'
import { type Decimal, decimalOf, floor, numberOf, spell } from './decimal.js'
import { isWithin, type NumberSchema } from './number.js'

/** A number near the middle of the range, a whole one if there is one. */
export function exampleNumber(schema: NumberSchema): string {
  const min = decimalOf(schema.min)
  const max = decimalOf(schema.max)
  if (min === null || max === null) return String(schema.min)
  const example = middles(schema, min, max).find(it => isWithin(schema, it) && numberOf(it) !== null)
  return spell(example ?? min)
}

function middles(schema: NumberSchema, min: Decimal, max: Decimal): Decimal[] {
  const half = (max - min) / 2n
  const step = schema.step === undefined ? null : decimalOf(schema.step)
  if (step !== null && step > 0n) return [min + (half / step) * step]
  return [floor(min + half), min + half]
}

/** Any day will do if no bound is given. */
const SOME_DAY = '2026-02-17'
const DAY_LENGTH = SOME_DAY.length

/** The day of a bound: bounds are included, and a plain day is compared by the day as written. */
export const exampleDate = ({ min, max }: DateSchema): string => (min ?? max ?? SOME_DAY).slice(0, DAY_LENGTH)

/** A bound that is an instant, or noon of the day. */
export const exampleInstant = (schema: DateSchema): string =>
  [schema.min, schema.max].find(bound => bound !== undefined && bound.length > DAY_LENGTH) ??
  `${exampleDate(schema)}T12:00:00Z`
