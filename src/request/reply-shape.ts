// The rules of a reply schema as it is submitted (DESIGN §5). A schema that passes here is bounded, and its options
// cannot be confused: no string names two of them.
import { z } from 'zod'
import { decimalOf } from '../compiler/decimal.js'
import { isBefore, readMoment } from '../compiler/instant.js'
import { letterOf } from '../compiler/option.js'
import type { Option } from '../compiler/reply-schema.js'
import type { Rules } from '../rules.js'
import { shownText } from './field.js'
import { fieldsOnly } from './refusal.js'

/** As many as there are letters to answer with. */
const MAX_OPTIONS = 26
/** The longest button Slack shows whole. */
const MAX_LABEL_CHARS = 75
/** One SMS or chat line; longer answers belong into a document that is pointed at. */
const MAX_TEXT_CHARS = 500
/** A lead and a unit stand in one short line with the number. */
const MAX_WORDS_CHARS = 32
/** The first number with more digits before the point than the compiler reads. */
const TOO_LARGE = 1e15
/** The spelling of a day or an instant; the compiler says whether the calendar has it. */
const MOMENT =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2}))?$'

export const REPLY_KINDS = ['yes_no', 'choice', 'multi_choice', 'text', 'number', 'date'] as const

const OPTION_VALUE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/
const WORDS = /^[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z][A-Za-z0-9-]*)*$/

const VALUE_WORDS = '1 to 32 of A-Z a-z 0-9 _ -, beginning with a letter or digit'
const LABEL_WORDS = `what the person sees: 1 to ${MAX_LABEL_CHARS} visible characters on one line`
const OPTIONS_WORDS = `2 to ${MAX_OPTIONS} options, each { value, label }`
const NUMBER_WORDS = 'a number of at most 15 digits before the point and 6 after it'
const STEP_WORDS = `${NUMBER_WORDS}, above 0`
const SPOKEN_WORDS = `ASCII words, at most ${MAX_WORDS_CHARS} characters: letters, digits and hyphens after a letter`
const DATE_WORDS = 'a day such as 2026-02-17, or an RFC 3339 instant with its offset'
const CHARS_WORDS = `an integer from 1 to ${MAX_TEXT_CHARS}: the most characters the answer may have`

type Context = { addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void }
const say = (context: Context, path: PropertyKey[], message: string): void =>
  context.addIssue({ code: 'custom', path, message })

const optionOf = (rules: Rules) =>
  z.strictObject(
    {
      value: z.string({ error: VALUE_WORDS }).regex(OPTION_VALUE, { error: VALUE_WORDS }),
      label: shownText(MAX_LABEL_CHARS, LABEL_WORDS, rules),
    },
    { error: fieldsOnly('an option', ['value', 'label']) },
  )

/** Values are ASCII by their pattern, so this folds A to Z and nothing else. */
const folded = (value: string): string => value.toLowerCase()

function keepApart(all: readonly Option[], context: Context): void {
  // Too many options are refused by their number; comparing them all would be work for nothing.
  if (all.length > MAX_OPTIONS) return
  const seen = new Set<string>()
  for (const [index, { value }] of all.entries()) {
    const path = [index, 'value']
    if (seen.has(folded(value))) say(context, path, 'a value no other option has, upper and lower case alike')
    seen.add(folded(value))
    const named = all.findIndex((_, other) => folded(letterOf(other)) === folded(value))
    if (named !== -1 && named !== index)
      say(context, path, `a value that is not the letter of option ${named + 1}`)
  }
}

const optionsOf = (rules: Rules) =>
  z
    .array(optionOf(rules), { error: OPTIONS_WORDS })
    .min(2, { error: OPTIONS_WORDS })
    .max(MAX_OPTIONS, { error: OPTIONS_WORDS })
    .superRefine(keepApart)

/** An empty selection has no spelling (an empty reply is no answer), so `min` begins at 1. */
const COUNT_WORDS = 'an integer, 1 ≤ min ≤ max ≤ the number of options'
const count = z.int({ error: COUNT_WORDS }).min(1, { error: COUNT_WORDS }).meta({ maximum: MAX_OPTIONS })

// Bounds are read by the compiler's own rules: a bound it could not read would be none.
const decimal = (words: string) =>
  z
    .number({ error: words })
    .refine(value => decimalOf(value) !== null, { error: words })
    .meta({ exclusiveMinimum: -TOO_LARGE, exclusiveMaximum: TOO_LARGE })
const words = z
  .string({ error: SPOKEN_WORDS })
  .max(MAX_WORDS_CHARS, { error: SPOKEN_WORDS })
  .regex(WORDS, { error: SPOKEN_WORDS })
const date = z
  .string({ error: DATE_WORDS })
  .refine(text => readMoment(text) !== null, { error: DATE_WORDS })
  .meta({ pattern: MOMENT })

const yesNo = { kind: z.literal('yes_no') }
const text = {
  kind: z.literal('text'),
  max_chars: z
    .int({ error: CHARS_WORDS })
    .min(1, { error: CHARS_WORDS })
    .max(MAX_TEXT_CHARS, { error: CHARS_WORDS }),
}
const number = {
  kind: z.literal('number'),
  min: decimal(NUMBER_WORDS),
  max: decimal(NUMBER_WORDS),
  step: decimal(STEP_WORDS)
    .refine(step => step > 0, { error: STEP_WORDS })
    .meta({ exclusiveMinimum: 0 })
    .exactOptional(),
  unit: words.exactOptional(),
  lead: words.exactOptional(),
}
const between = { kind: z.literal('date'), min: date.exactOptional(), max: date.exactOptional() }

const shape = <S extends z.core.$ZodLooseShape>(fields: S) =>
  z.strictObject(fields, { error: fieldsOnly('this reply_schema', Object.keys(fields)) })

function keepDatesOrdered(bounds: { min?: string; max?: string }, context: Context): void {
  const min = readMoment(bounds.min ?? '')
  const max = readMoment(bounds.max ?? '')
  if (min && max && isBefore(max, min)) say(context, ['max'], 'a date that is not before min')
}

const KIND_WORDS = `a reply schema whose kind is one of ${REPLY_KINDS.join(', ')}`

/** By the rules a request is let in under. */
export const replySchemaShapeOf = (rules: Rules) => {
  const options = optionsOf(rules)
  return z.discriminatedUnion(
    'kind',
    [
      shape(yesNo),
      shape({ kind: z.literal('choice'), options }),
      shape({ kind: z.literal('multi_choice'), options, min: count, max: count }).superRefine(
        ({ min, max, options }, context) => {
          if (min > max) say(context, ['min'], COUNT_WORDS)
          if (max > options.length) say(context, ['max'], COUNT_WORDS)
        },
      ),
      shape(text),
      shape(number).refine(({ min, max }) => min <= max, {
        path: ['max'],
        error: 'a number that is not below min',
      }),
      shape(between).superRefine(keepDatesOrdered),
    ],
    { error: KIND_WORDS },
  )
}

const YES_NO_WORDS = 'yes_no: an approval is answered YES or NO'
export const approvalReplyShape = z.strictObject(
  { kind: z.literal('yes_no', { error: YES_NO_WORDS }) },
  { error: fieldsOnly("an approval's reply_schema", ['kind']) },
)
