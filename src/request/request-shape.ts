// The three typed requests and the envelope around them, as they are submitted (DESIGN §5). Rules that need the
// configuration are not here: parse.ts knows which actions exist, admit.ts whom they may be put to.
import { z } from 'zod'
import type { Rules } from '../rules.js'
import { CHANNELS } from './channel.js'
import { ID_WORDS, id, RESERVED_NAMES, shownText } from './field.js'
import { FIXED_HANDLE, FIXED_HANDLE_WORDS, HANDLE, HANDLE_WORDS } from './handle.js'
import { fieldsOnly } from './refusal.js'
import { approvalReplyShape, replySchemaShapeOf } from './reply-shape.js'
import { DEFAULT_ACTIONS, type DefaultAction, LENSES, MOODS } from './request.js'
import { questionsIn } from './text.js'

/** One screen on a phone; more belongs into a document that is pointed at. */
const MAX_SHOWN_CHARS = 500
/** As many documents as a person can look through before a deadline. */
export const MAX_HANDLES = 20
/** Thirty days: a request not answered by then is a new question. */
export const MAX_DEADLINE_SECONDS = 2_592_000
/** More people than this are a mailing list, and nobody's decision. */
const MAX_RECIPIENTS = 10

const QUESTION_WORDS = `one question: 1 to ${MAX_SHOWN_CHARS} visible characters on one line, at most one question mark`
const IMPACT_WORDS = `what the answer changes: 1 to ${MAX_SHOWN_CHARS} visible characters on one line`
const LENS_WORDS = `one of ${LENSES.join(', ')}`
const DEADLINE_WORDS = `an integer from 1 to ${MAX_DEADLINE_SECONDS}`
const DEFAULT_WORDS = `what holds if nobody answers, one of ${DEFAULT_ACTIONS.join(', ')}`
const ACTION_WORDS = 'the name of a configured action'
const NAME_WORDS = 'a name of 1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter'
const PARAMETERS_WORDS = `1 to ${MAX_HANDLES} named handles, each ${FIXED_HANDLE_WORDS}`
const MOOD_WORDS = `one of ${MOODS.join(', ')}`
const RECIPIENTS_WORDS = `1 to ${MAX_RECIPIENTS} recipients, each a user id or { user_id, channels }`
const CHANNELS_WORDS = `1 to ${CHANNELS.length} different channels of ${CHANNELS.join(', ')}`

const allDiffer = (values: readonly string[]): boolean => new Set(values).size === values.length

const handle = z.string({ error: HANDLE_WORDS }).regex(HANDLE, { error: HANDLE_WORDS })
function handles(atLeast: number) {
  const error = `a list of ${atLeast} to ${MAX_HANDLES} handles`
  return z.array(handle, { error }).min(atLeast, { error }).max(MAX_HANDLES, { error })
}

const common = {
  deadline_seconds: z
    .int({ error: DEADLINE_WORDS })
    .min(1, { error: DEADLINE_WORDS })
    .max(MAX_DEADLINE_SECONDS, { error: DEADLINE_WORDS }),
  default_action: z.enum(DEFAULT_ACTIONS, { error: DEFAULT_WORDS }),
}

const shape = <S extends z.core.$ZodLooseShape>(noun: string, fields: S) =>
  z.strictObject(fields, { error: fieldsOnly(noun, Object.keys(fields)) })

type ReplyShape = ReturnType<typeof replySchemaShapeOf>

const questionOf = (rules: Rules, reply_schema: ReplyShape) =>
  shape('a question', {
    type: z.literal('REQUEST_QUESTION'),
    question_id: id.exactOptional(),
    question_text: shownText(MAX_SHOWN_CHARS, QUESTION_WORDS, rules).refine(text => questionsIn(text) <= 1, {
      error: QUESTION_WORDS,
    }),
    impact: shownText(MAX_SHOWN_CHARS, IMPACT_WORDS, rules),
    context_handles: handles(0),
    ...common,
    reply_schema,
  })

const reviewOf = (reply_schema: ReplyShape) =>
  shape('a review', {
    type: z.literal('REQUEST_REVIEW'),
    review_id: id.exactOptional(),
    target_handles: handles(1),
    lens: z.enum(LENSES, { error: LENS_WORDS }),
    ...common,
    reply_schema,
  })

/** A refusal to publish is no answer to an export: the result of silence must fit the request. */
const APPROVAL_DEFAULTS = {
  DENY: 'any',
  HALT: 'any',
  QUARANTINE_OUTPUTS: 'any',
  DO_NOT_PUBLISH: 'PUBLISH',
  DO_NOT_EXPORT: 'EXPORT',
} as const satisfies Partial<Record<DefaultAction, string>>
const approvalDefaults = Object.keys(APPROVAL_DEFAULTS) as (keyof typeof APPROVAL_DEFAULTS)[]
const APPROVAL_DEFAULT_WORDS =
  'what holds if nobody answers, for an approval DENY, HALT or QUARANTINE_OUTPUTS; ' +
  'DO_NOT_PUBLISH for PUBLISH only, DO_NOT_EXPORT for EXPORT only'

const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const parameterName = z
  .string()
  .regex(PARAMETER_NAME, { error: NAME_WORDS })
  .refine(name => !RESERVED_NAMES.includes(name), {
    error: `${NAME_WORDS}, not ${RESERVED_NAMES.join(', ')}`,
  })
  .meta({ not: { enum: RESERVED_NAMES } })
const parameters = z
  .record(
    parameterName,
    z.string({ error: FIXED_HANDLE_WORDS }).regex(FIXED_HANDLE, { error: FIXED_HANDLE_WORDS }),
    {
      error: PARAMETERS_WORDS,
    },
  )
  .refine(named => Object.keys(named).length >= 1 && Object.keys(named).length <= MAX_HANDLES, {
    error: PARAMETERS_WORDS,
  })
  .meta({ minProperties: 1, maxProperties: MAX_HANDLES })

const approval = shape('an approval', {
  type: z.literal('REQUEST_APPROVAL'),
  approval_id: id.exactOptional(),
  action: z.string({ error: ACTION_WORDS }),
  parameters,
  ...common,
  default_action: z.enum(approvalDefaults, { error: APPROVAL_DEFAULT_WORDS }),
  reply_schema: approvalReplyShape,
}).refine(
  ({ action, default_action }) => {
    const fits = APPROVAL_DEFAULTS[default_action]
    return fits === 'any' || fits === action
  },
  { path: ['default_action'], error: APPROVAL_DEFAULT_WORDS },
)

const TYPE_WORDS = 'a request whose type is REQUEST_QUESTION, REQUEST_REVIEW or REQUEST_APPROVAL'
const requestOf = (rules: Rules) => {
  const reply = replySchemaShapeOf(rules)
  return z.discriminatedUnion('type', [questionOf(rules, reply), reviewOf(reply), approval], {
    error: TYPE_WORDS,
  })
}

const run = shape('run', {
  run_id: id,
  mood: z.enum(MOODS, { error: MOOD_WORDS }),
  sub_mode: z.literal('approval', { error: 'approval, or leave it out' }).exactOptional(),
  work_item_id: id.exactOptional(),
})

const recipient = z.preprocess(
  given => (typeof given === 'string' ? { user_id: given } : given),
  z.strictObject(
    {
      user_id: id,
      channels: z
        .array(z.enum(CHANNELS, { error: CHANNELS_WORDS }), { error: CHANNELS_WORDS })
        .min(1, { error: CHANNELS_WORDS })
        .refine(allDiffer, { error: CHANNELS_WORDS })
        .meta({ uniqueItems: true })
        .exactOptional(),
    },
    {
      error: issue =>
        issue.code === 'unrecognized_keys'
          ? fieldsOnly('a recipient', ['user_id', 'channels'])(issue)
          : `a user id (${ID_WORDS}) or { user_id, channels }`,
    },
  ),
)

const submissionOf = (rules: Rules) =>
  shape('a submission', {
    request: requestOf(rules),
    run,
    recipients: z
      .array(recipient, { error: RECIPIENTS_WORDS })
      .min(1, { error: RECIPIENTS_WORDS })
      .max(MAX_RECIPIENTS, { error: RECIPIENTS_WORDS })
      .refine(all => allDiffer(all.map(one => one.user_id)), { error: `${RECIPIENTS_WORDS}, nobody twice` })
      .exactOptional(),
    // parse.ts judges it by the configuration; here it only has its place.
    callback_url: z.custom<string>(() => true).exactOptional(),
  })

/** By the rules a request is let in under: an old ledger's requests are read again by theirs. */
export const SUBMISSION_SHAPES = { '1': submissionOf('1'), '2': submissionOf('2') } as const
