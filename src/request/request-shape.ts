// The three typed requests, as they are submitted (DESIGN §5); the envelope around them is in envelope-shape.ts. Rules that need the
// configuration are not here: parse.ts knows which actions exist, admit.ts whom they may be put to.
import { z } from 'zod'
import type { Rules } from '../rules.js'
import { contents } from './content/given.js'
import { ladder, origin, quorum, recipients, run, urgency } from './envelope-shape.js'
import { id, RESERVED_NAMES, shape, shownText } from './field.js'
import { FIXED_HANDLE, FIXED_HANDLE_WORDS, HANDLE, HANDLE_WORDS } from './handle.js'
import { APPROVAL_SHAPES, REPLY_SHAPES } from './reply-shape.js'
import { DEFAULT_ACTIONS, type DefaultAction, LENSES } from './request.js'
import { questionsIn } from './text.js'

/** One screen on a phone; more belongs into a document that is pointed at. */
export const MAX_SHOWN_CHARS = 500
/** As many documents as a person can look through before a deadline. */
export const MAX_HANDLES = 20
/** Thirty days: a request not answered by then is a new question. */
export const MAX_DEADLINE_SECONDS = 2_592_000

const QUESTION_WORDS = `one question: 1 to ${MAX_SHOWN_CHARS} visible characters on one line, at most one question mark`
const IMPACT_WORDS = `what the answer changes: 1 to ${MAX_SHOWN_CHARS} visible characters on one line`
const WHY_WORDS = `what it is asked for: 1 to ${MAX_SHOWN_CHARS} visible characters on one line`
const LENS_WORDS = `one of ${LENSES.join(', ')}`
const DEADLINE_WORDS = `an integer from 1 to ${MAX_DEADLINE_SECONDS}`
const DEFAULT_WORDS = `what holds if nobody answers, one of ${DEFAULT_ACTIONS.join(', ')}`
const ACTION_WORDS = 'the name of a configured action'
const NAME_WORDS = 'a name of 1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter'
const PARAMETERS_WORDS = `1 to ${MAX_HANDLES} named handles, each ${FIXED_HANDLE_WORDS}`

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

const questionOf = <R extends Rules>(rules: R) =>
  shape('a question', {
    type: z.literal('REQUEST_QUESTION'),
    question_id: id.exactOptional(),
    question_text: shownText(MAX_SHOWN_CHARS, QUESTION_WORDS, rules).refine(text => questionsIn(text) <= 1, {
      error: QUESTION_WORDS,
    }),
    impact: shownText(MAX_SHOWN_CHARS, IMPACT_WORDS, rules),
    context_handles: handles(0),
    ...common,
    reply_schema: REPLY_SHAPES[rules],
  })

/** Rules 1 knew no reason of a caller's. */
const WHY = { why: shownText(MAX_SHOWN_CHARS, WHY_WORDS, '2').exactOptional() }
const whyOf = (rules: Rules) => (rules === '1' ? ({} as typeof WHY) : WHY)

const reviewOf = <R extends Rules>(rules: R) =>
  shape('a review', {
    type: z.literal('REQUEST_REVIEW'),
    review_id: id.exactOptional(),
    target_handles: handles(1),
    lens: z.enum(LENSES, { error: LENS_WORDS }),
    ...whyOf(rules),
    ...common,
    reply_schema: REPLY_SHAPES[rules],
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

export const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
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

const approvalOf = <R extends Rules>(rules: R) =>
  shape('an approval', {
    type: z.literal('REQUEST_APPROVAL'),
    approval_id: id.exactOptional(),
    action: z.string({ error: ACTION_WORDS }),
    parameters,
    ...whyOf(rules),
    ...common,
    default_action: z.enum(approvalDefaults, { error: APPROVAL_DEFAULT_WORDS }),
    reply_schema: APPROVAL_SHAPES[rules],
  }).refine(
    ({ action, default_action }) => {
      const fits = APPROVAL_DEFAULTS[default_action]
      return fits === 'any' || fits === action
    },
    { path: ['default_action'], error: APPROVAL_DEFAULT_WORDS },
  )

const TYPE_WORDS = 'a request whose type is REQUEST_QUESTION, REQUEST_REVIEW or REQUEST_APPROVAL'
const requestOf = <R extends Rules>(rules: R) =>
  z.discriminatedUnion('type', [questionOf(rules), reviewOf(rules), approvalOf(rules)], { error: TYPE_WORDS })

const submissionOf = <R extends Rules>(rules: R) =>
  shape('a submission', {
    request: requestOf(rules),
    run,
    recipients: recipients.exactOptional(),
    quorum: quorum.exactOptional(),
    urgency: urgency.exactOptional(),
    ladder: ladder.exactOptional(),
    origin: origin.exactOptional(),
    contents: contents.exactOptional(),
    // parse.ts judges it by the configuration; here it only has its place.
    callback_url: z.custom<string>(() => true).exactOptional(),
  })

/** By the rules a request is let in under: an old ledger's requests are read again by theirs. */
export const SUBMISSION_SHAPES = { '1': submissionOf('1'), '2': submissionOf('2') } as const
