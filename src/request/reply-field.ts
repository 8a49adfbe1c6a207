// The fields that reply schemas are made of: options that no string can confuse, bounds that the compiler can read.
import { z } from 'zod'
import { decimalOf } from '../compiler/decimal.js'
import { readMoment } from '../compiler/instant.js'
import { letterOf } from '../compiler/option.js'
import type { Option } from '../compiler/reply-schema.js'
import type { Rules } from '../rules.js'
import { shape, shownText } from './field.js'

/** As many as there are letters to answer with. */
export const MAX_OPTIONS = 26
/** The longest button Slack shows whole. */
export const MAX_LABEL_CHARS = 75
/** An option is explained in a line or two; more belongs into a document that is pointed at. */
const MAX_OPTION_DESCRIPTION_CHARS = 200
/** One SMS or chat line; longer answers belong into a document that is pointed at. */
const MAX_TEXT_CHARS = 500
/** A lead and a unit stand in one short line with the number. */
const MAX_WORDS_CHARS = 32
/** The first number with more digits before the point than the compiler reads. */
const TOO_LARGE = 1e15
/** The spelling of a day or an instant; the compiler says whether the calendar has it. */
const MOMENT =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2}))?$'

export const OPTION_VALUE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/
const WORDS = /^[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z][A-Za-z0-9-]*)*$/
/** The word by which a person hands a request on begins nothing else that can be an answer. */
export const DELEGATE = /^delegate/i

const VALUE_WORDS = '1 to 32 of A-Z a-z 0-9 _ -, beginning with a letter or digit'
const LABEL_WORDS = `what the person sees: 1 to ${MAX_LABEL_CHARS} visible characters on one line`
const OPTION_DESCRIPTION_WORDS = `what the option means: 1 to ${MAX_OPTION_DESCRIPTION_CHARS} visible characters on one line`
export const NUMBER_WORDS = 'a number of at most 15 digits before the point and 6 after it'
const STEP_WORDS = `${NUMBER_WORDS}, above 0`
const SPOKEN_WORDS = `ASCII words, at most ${MAX_WORDS_CHARS} characters: letters, digits and hyphens after a letter`
const DATE_WORDS = 'a day such as 2026-02-17, or an RFC 3339 instant with its offset'
const CHARS_WORDS = `an integer from 1 to ${MAX_TEXT_CHARS}: the most characters the answer may have`
const DELEGATE_WORDS = 'not beginning with "delegate", which hands a request on'

export type Context = { addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void }
export const say = (context: Context, path: PropertyKey[], message: string): void =>
  context.addIssue({ code: 'custom', path, message })

/** A string that may be typed as an answer, or a part of one. */
export const spoken = (pattern: RegExp, words: string, rules: Rules) => {
  const string = z.string({ error: words }).regex(pattern, { error: words })
  return rules === '1'
    ? string
    : string.refine(value => !DELEGATE.test(value), { error: `${words}, ${DELEGATE_WORDS}` })
}

/** Values are ASCII by their pattern, so this folds A to Z and nothing else. */
export const folded = (value: string): string => value.toLowerCase()

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

const optionOf = (rules: Rules) => ({
  value: spoken(OPTION_VALUE, VALUE_WORDS, rules),
  label: shownText(MAX_LABEL_CHARS, LABEL_WORDS, rules),
})

function optionList<T extends z.ZodType<Option>>(option: T, fields: string) {
  const error = `2 to ${MAX_OPTIONS} options, each { ${fields} }`
  return z.array(option, { error }).min(2, { error }).max(MAX_OPTIONS, { error }).superRefine(keepApart)
}

export const optionsOf = (rules: Rules) => optionList(shape('an option', optionOf(rules)), 'value, label')

/** In a form an option may say more than its label. */
export const describedOptionsOf = (rules: Rules) => {
  const description = shownText(MAX_OPTION_DESCRIPTION_CHARS, OPTION_DESCRIPTION_WORDS, rules).exactOptional()
  return optionList(shape('an option', { ...optionOf(rules), description }), 'value, label, description?')
}

/** An empty selection has no spelling (an empty reply is no answer), so `min` begins at 1. */
export const COUNT_WORDS = 'an integer, 1 ≤ min ≤ max ≤ the number of options'
export const count = z
  .int({ error: COUNT_WORDS })
  .min(1, { error: COUNT_WORDS })
  .meta({ maximum: MAX_OPTIONS })

// Bounds are read by the compiler's own rules: a bound it could not read would be none.
export const decimal = (words: string) =>
  z
    .number({ error: words })
    .refine(value => decimalOf(value) !== null, { error: words })
    .meta({ exclusiveMinimum: -TOO_LARGE, exclusiveMaximum: TOO_LARGE })
export const step = decimal(STEP_WORDS)
  .refine(value => value > 0, { error: STEP_WORDS })
  .meta({ exclusiveMinimum: 0 })
export const phraseOf = (rules: Rules) =>
  spoken(WORDS, SPOKEN_WORDS, rules).max(MAX_WORDS_CHARS, { error: SPOKEN_WORDS })
export const date = z
  .string({ error: DATE_WORDS })
  .refine(text => readMoment(text) !== null, { error: DATE_WORDS })
  .meta({ pattern: MOMENT })
export const chars = z
  .int({ error: CHARS_WORDS })
  .min(1, { error: CHARS_WORDS })
  .max(MAX_TEXT_CHARS, { error: CHARS_WORDS })

const ON_NO_WORDS = 'on_no (a NO must say why) or optional'
const OPTIONAL_WORDS = 'optional: only a NO can be asked for its reason'

/** Of an answer that may be NO. */
export const reasonOf = shape('reason', {
  when: z.enum(['on_no', 'optional'], { error: ON_NO_WORDS }),
  max_chars: chars,
}).exactOptional()
/** Of every other answer. */
export const optionalReason = shape('reason', {
  when: z.literal('optional', { error: OPTIONAL_WORDS }),
  max_chars: chars,
}).exactOptional()
