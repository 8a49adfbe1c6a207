// A form as it is submitted (DESIGN §14): decisions that cannot be confused, each with a default that is itself an
// answer, and patterns that are matched in linear time.
import { z } from 'zod'
import { isAnswerTo } from '../compiler/decision.js'
import { MAX_PATTERN_CHARS, MAX_PATTERN_INSTRUCTIONS, readPattern } from '../compiler/pattern.js'
import type { Decision, FormSchema } from '../compiler/reply-schema.js'
import type { Rules } from '../rules.js'
import { id, shape, shownLines, shownText } from './field.js'
import {
  COUNT_WORDS,
  type Context,
  chars,
  count,
  decimal,
  describedOptionsOf,
  folded,
  NUMBER_WORDS,
  optionalReason,
  reasonOf,
  say,
  spoken,
} from './reply-field.js'

/** More is a questionnaire, and nobody decides fifty things well. */
const MAX_DECISIONS = 50
const MAX_BLOCKED = 50
/** One screen on a phone. */
const MAX_PROMPT_CHARS = 500
/** A page of explanation; more belongs into a document that is pointed at. */
const MAX_DESCRIPTION_CHARS = 2000
const MAX_BLOCKED_CHARS = 200

const DECISION_ID = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/
const DECISION_ID_WORDS = '1 to 32 of A-Z a-z 0-9 _ -, beginning with a letter'
const PROMPT_WORDS = `what is decided: 1 to ${MAX_PROMPT_CHARS} visible characters on one line`
const DESCRIPTION_WORDS = `1 to ${MAX_DESCRIPTION_CHARS} visible characters, lines ended by LF`
const BLOCKED_WORDS = `what waits: 1 to ${MAX_BLOCKED_CHARS} visible characters on one line`
const REQUIRED_WORDS = 'true or false: whether the form is answered without it'
const DECISIONS_WORDS = `1 to ${MAX_DECISIONS} decisions`
const BLOCKING_WORDS = `at most ${MAX_BLOCKED} of { task_id?, artifact_id?, description }`
const TYPES = ['approval', 'choice', 'multi_choice', 'text', 'number', 'date'] as const
const TYPE_WORDS = `a decision whose type is one of ${TYPES.join(', ')}`
const PATTERN_WORDS = `a regular expression in RE2 syntax, at most ${MAX_PATTERN_CHARS} characters and ${MAX_PATTERN_INSTRUCTIONS} instructions`
const DEFAULT_WORDS = 'a value that would itself be an answer to this decision'
const FLAG_WORDS = 'true or false'

/** People see it beside the field, so it is shown text as well. */
const patternOf = (rules: Rules) =>
  shownText(MAX_PATTERN_CHARS, PATTERN_WORDS, rules).refine(source => readPattern(source) !== null, {
    error: PATTERN_WORDS,
  })
const bound = decimal(NUMBER_WORDS).exactOptional()
const least = chars.exactOptional()
const many = count.exactOptional()

function decisionsOf(rules: Rules) {
  const asked = {
    id: spoken(DECISION_ID, DECISION_ID_WORDS, rules),
    prompt: shownText(MAX_PROMPT_CHARS, PROMPT_WORDS, rules),
    description: shownLines(MAX_DESCRIPTION_CHARS, DESCRIPTION_WORDS, rules).exactOptional(),
    required: z.boolean({ error: REQUIRED_WORDS }),
  }
  const options = describedOptionsOf(rules)
  const text = z.string({ error: DEFAULT_WORDS }).exactOptional()
  const of = <T extends string, S extends z.core.$ZodLooseShape>(type: T, fields: S) =>
    shape(`a decision of type ${type}`, {
      ...asked,
      type: z.literal(type),
      reason: optionalReason,
      ...fields,
    })
  return z.discriminatedUnion(
    'type',
    [
      of('approval', { default: z.boolean({ error: FLAG_WORDS }).exactOptional(), reason: reasonOf }),
      of('choice', { options, default: text }),
      of('multi_choice', {
        options,
        default: z.array(z.string({ error: DEFAULT_WORDS }), { error: DEFAULT_WORDS }).exactOptional(),
        constraints: shape('constraints', { min: many, max: many }).exactOptional(),
      }),
      of('text', {
        default: text,
        constraints: shape('constraints', {
          min: least,
          max: least,
          pattern: patternOf(rules).exactOptional(),
        }).exactOptional(),
      }),
      of('number', {
        default: z.number({ error: DEFAULT_WORDS }).exactOptional(),
        constraints: shape('constraints', { min: bound, max: bound }).exactOptional(),
      }),
      of('date', { default: text }),
    ],
    { error: TYPE_WORDS },
  )
}

/** What the fields of one decision must be to each other. */
function fit(decision: Decision, context: Context): void {
  if ('constraints' in decision && decision.constraints !== undefined) {
    const { min, max } = decision.constraints
    if (min !== undefined && max !== undefined && min > max)
      say(context, ['constraints', 'max'], 'a bound that is not below min')
    const most = 'options' in decision ? decision.options.length : Number.POSITIVE_INFINITY
    if ('options' in decision && Math.max(min ?? 1, max ?? 1) > most)
      say(context, ['constraints', max === undefined ? 'min' : 'max'], COUNT_WORDS)
  }
  if (decision.default !== undefined && !isAnswerTo(decision, decision.default))
    say(context, ['default'], DEFAULT_WORDS)
}

function keepApart(all: readonly Decision[], context: Context): void {
  if (all.length > MAX_DECISIONS) return
  const seen = new Set<string>()
  for (const [index, { id }] of all.entries()) {
    if (seen.has(folded(id)))
      say(context, [index, 'id'], 'an id no other decision has, upper and lower case alike')
    seen.add(folded(id))
  }
}

const blocked = (rules: Rules) =>
  shape('an item of blocking', {
    task_id: id.exactOptional(),
    artifact_id: id.exactOptional(),
    description: shownText(MAX_BLOCKED_CHARS, BLOCKED_WORDS, rules),
  })

export const formShapeOf = (rules: Rules) =>
  shape('a form', {
    kind: z.literal('form'),
    decisions: z
      .array(decisionsOf(rules).superRefine(fit), { error: DECISIONS_WORDS })
      .min(1, { error: DECISIONS_WORDS })
      .max(MAX_DECISIONS, { error: DECISIONS_WORDS })
      .superRefine(keepApart),
    context: shownLines(MAX_DESCRIPTION_CHARS, DESCRIPTION_WORDS, rules).exactOptional(),
    blocking: z
      .array(blocked(rules), { error: BLOCKING_WORDS })
      .max(MAX_BLOCKED, { error: BLOCKING_WORDS })
      .exactOptional(),
  })

/** The form of an approval: without a decision that is approved there would be nothing to give. */
export function keepApproving({ decisions }: Pick<FormSchema, 'decisions'>, context: Context): void {
  if (decisions.every(({ type }) => type !== 'approval'))
    say(context, ['decisions'], 'at least one decision of type approval: the request is an approval')
  for (const [index, { type, required }] of decisions.entries())
    if (type === 'approval' && !required)
      say(context, ['decisions', index, 'required'], 'true: every approval in an approval is required')
}
