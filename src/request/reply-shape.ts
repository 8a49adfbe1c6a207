// The rules of a reply schema as it is submitted (DESIGN §5). A schema that passes here is bounded, and its options
// cannot be confused: no string names two of them.
import { z } from 'zod'
import { isBefore, readMoment } from '../compiler/instant.js'
import type { Rules } from '../rules.js'
import { shape } from './field.js'
import { formShapeOf, keepApproving } from './form-shape.js'
import { fieldsOnly } from './refusal.js'
import {
  COUNT_WORDS,
  type Context,
  chars,
  count,
  date,
  decimal,
  NUMBER_WORDS,
  optionalReason,
  optionsOf,
  phraseOf,
  reasonOf,
  say,
  step,
} from './reply-field.js'

const FIRST_KINDS = ['yes_no', 'choice', 'multi_choice', 'text', 'number', 'date'] as const
export const REPLY_KINDS = [...FIRST_KINDS, 'form'] as const

const NOUN = 'this reply_schema'
const kindWords = (kinds: readonly string[]): string =>
  `a reply schema whose kind is one of ${kinds.join(', ')}`

function keepDatesOrdered(bounds: { min?: string; max?: string }, context: Context): void {
  const min = readMoment(bounds.min ?? '')
  const max = readMoment(bounds.max ?? '')
  if (min && max && isBefore(max, min)) say(context, ['max'], 'a date that is not before min')
}

/** The kinds that both sets of rules have alike, but for the word that is reserved. */
function plainKinds(rules: Rules) {
  const options = optionsOf(rules)
  const phrase = phraseOf(rules).exactOptional()
  const multiChoice = shape(NOUN, { kind: z.literal('multi_choice'), options, min: count, max: count })
  const number = shape(NOUN, {
    kind: z.literal('number'),
    min: decimal(NUMBER_WORDS),
    max: decimal(NUMBER_WORDS),
    step: step.exactOptional(),
    unit: phrase,
    lead: phrase,
  })
  return [
    multiChoice.superRefine(({ min, max, options }, context) => {
      if (min > max) say(context, ['min'], COUNT_WORDS)
      if (max > options.length) say(context, ['max'], COUNT_WORDS)
    }),
    shape(NOUN, { kind: z.literal('text'), max_chars: chars }),
    number.refine(({ min, max }) => min <= max, { path: ['max'], error: 'a number that is not below min' }),
    shape(NOUN, {
      kind: z.literal('date'),
      min: date.exactOptional(),
      max: date.exactOptional(),
    }).superRefine(keepDatesOrdered),
  ] as const
}

const first = () =>
  z.discriminatedUnion(
    'kind',
    [
      shape(NOUN, { kind: z.literal('yes_no') }),
      shape(NOUN, { kind: z.literal('choice'), options: optionsOf('1') }),
      ...plainKinds('1'),
    ],
    { error: kindWords(FIRST_KINDS) },
  )

const yesNo = shape(NOUN, { kind: z.literal('yes_no'), reason: reasonOf })
const form = formShapeOf('2')

const second = () =>
  z.discriminatedUnion(
    'kind',
    [
      yesNo,
      shape(NOUN, { kind: z.literal('choice'), options: optionsOf('2'), reason: optionalReason }),
      ...plainKinds('2'),
      form,
    ],
    { error: kindWords(REPLY_KINDS) },
  )

/** By the rules a request is let in under. */
export const REPLY_SHAPES = { '1': first(), '2': second() } as const satisfies Record<Rules, z.ZodType>

const YES_NO_WORDS = 'yes_no: an approval is answered YES or NO'
const APPROVAL_WORDS = 'yes_no, or a form that holds an approval: an approval is answered YES or NO'

export const APPROVAL_SHAPES = {
  '1': z.strictObject(
    { kind: z.literal('yes_no', { error: YES_NO_WORDS }) },
    { error: fieldsOnly("an approval's reply_schema", ['kind']) },
  ),
  '2': z
    .discriminatedUnion('kind', [yesNo, form], { error: APPROVAL_WORDS })
    .superRefine((schema, context) => {
      if (schema.kind === 'form') keepApproving(schema, context)
    }),
} as const satisfies Record<Rules, z.ZodType>
