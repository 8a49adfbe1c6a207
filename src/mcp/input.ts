// The arguments of each tool. The shapes teach a model the meaning and refuse the impossible; the lane judges whether
// a request is admitted, and its refusal comes back in the same words.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ladder, urgency } from '../request/envelope-shape.js'
import { id } from '../request/field.js'
import { fieldsOnly, placesOf } from '../request/refusal.js'
import { APPROVAL_SHAPES, REPLY_SHAPES } from '../request/reply-shape.js'
import { DEFAULT_ACTIONS, LENSES } from '../request/request.js'
import { MAX_DEADLINE_SECONDS, MAX_HANDLES } from '../request/request-shape.js'
import { inert } from '../request/text.js'
import { NEWEST_RULES } from '../rules.js'
import { listed } from './schema.js'

/** Clients commonly give up after a minute: every call answers before that, with the outcome or with an id. */
export const LONGEST_WAIT_SECONDS = 45

const WAIT_WORDS = `an integer from 1 to ${LONGEST_WAIT_SECONDS}`
const DEADLINE_WORDS = `an integer from 1 to ${MAX_DEADLINE_SECONDS}`
const TEXTS_WORDS = `at most ${MAX_HANDLES} texts`
const HANDLES_WORDS = `at most ${MAX_HANDLES} handles: sha256:<64 hex>, doc:…, diff:…, receipt:…, run:…, artifact:…`

/** A call of ten thousand wrong fields is answered by its first ones. */
const MAX_NAMED = 25

function takes<S extends z.core.$ZodLooseShape>(tool: string, fields: S) {
  const shape = z.strictObject(fields, { error: fieldsOnly(tool, Object.keys(fields)) })
  return naming(shape)
}

/** The same schema, but a field that is not known is a place of its own: zod tells only of the object around it. */
function naming<I, O>(schema: z.ZodType<O, I>): StandardSchemaWithJSON<I, O> {
  const validate = (value: unknown) => {
    const read = schema.safeParse(value)
    if (read.success) return { value: read.data }
    const places = read.error.issues.slice(0, MAX_NAMED).flatMap(placesOf).slice(0, MAX_NAMED)
    return { issues: places.map(({ path, message }) => ({ path: path.map(written), message })) }
  }
  return listed({ '~standard': { ...schema['~standard'], validate } })
}

const written = (key: PropertyKey): string => inert(String(key))

const waiting = {
  wait_seconds: z
    .int({ error: WAIT_WORDS })
    .min(1, { error: WAIT_WORDS })
    .max(LONGEST_WAIT_SECONDS, { error: WAIT_WORDS })
    .default(LONGEST_WAIT_SECONDS)
    .describe('How long this call waits for the answer. The request itself stands until its deadline.'),
}
const common = {
  deadline_seconds: z
    .int({ error: DEADLINE_WORDS })
    .min(1, { error: DEADLINE_WORDS })
    .max(MAX_DEADLINE_SECONDS, { error: DEADLINE_WORDS })
    .describe('How long the person has. People need minutes to hours: 1800 is a sensible half hour.'),
  default_action: z
    .enum(DEFAULT_ACTIONS, { error: `what holds if nobody answers, one of ${DEFAULT_ACTIONS.join(', ')}` })
    .describe('What holds if nobody answers. Silence is never consent.'),
  recipients: z
    .array(z.string({ error: 'a user id' }), { error: 'a list of user ids' })
    .min(1, { error: 'at least one user id' })
    .optional()
    .describe('User ids of whom to ask. Leave it out where the lane knows one person only.'),
  key: id
    .optional()
    .describe(
      'Your own name for this request. The same key with the same arguments is the same request, also after a ' +
        'timeout or a restart. Without it the arguments are the name, within this run.',
    ),
  run_id: id.optional().describe('The run that asks, if it is not the one this server was started for.'),
  work_item_id: id.optional().describe('What the run is working on.'),
  urgency: urgency
    .optional()
    .describe('Shown to the person. high, which quiet hours do not hold, only where this key may say so.'),
  ladder: ladder
    .optional()
    .describe(
      'What follows if nobody answers: steps that remind, add people or use the next channel, by after_seconds.',
    ),
  ...waiting,
}
const reply_schema = REPLY_SHAPES[NEWEST_RULES]
  .default({ kind: 'yes_no' })
  .describe('Which answers are possible. Offer the real alternatives: choice is usually better than yes_no.')
const handles = z.array(z.string({ error: HANDLES_WORDS }), { error: HANDLES_WORDS }).max(MAX_HANDLES, {
  error: HANDLES_WORDS,
})
const texts = z
  .array(z.string({ error: TEXTS_WORDS }).min(1, { error: 'a text that is not empty' }), {
    error: TEXTS_WORDS,
  })
  .max(MAX_HANDLES, { error: TEXTS_WORDS })

export const questionInput = takes('ask_question', {
  question_text: z
    .string({ error: 'the question' })
    .describe('One question, one line, at most 500 characters and one question mark.'),
  impact: z.string({ error: 'what the answer changes' }).describe('What the answer changes, in one line.'),
  context_handles: handles.default([]).describe('Pointers to what the person may want to look at.'),
  context_texts: texts
    .default([])
    .describe('Texts to lay beside the question (a diff, a log, a plan), each at most 256 KiB.'),
  reply_schema,
  ...common,
})

const why = z.string({ error: 'one line' }).optional().describe('Why you ask, in one line: it is shown.')

export const reviewInput = takes('request_review', {
  target_handles: handles.default([]).describe('Handles of what is to be reviewed.'),
  target_texts: texts
    .default([])
    .describe('What is to be reviewed, as text (a diff, a page), each at most 256 KiB.'),
  lens: z
    .enum(LENSES, { error: `one of ${LENSES.join(', ')}` })
    .describe('What to look for, and nothing else.'),
  why,
  reply_schema,
  ...common,
})

const QUORUM_WORDS = 'an integer from 2 to 10: how many must say YES'
const named = (words: string) =>
  z.record(z.string(), z.string({ error: words }), { error: `names, each with ${words}` })

export const approvalInput = takes('request_approval', {
  action: z
    .string({ error: 'the name of an action' })
    .describe('An action the lane is configured for, such as PUBLISH.'),
  parameters: named('sha256:<64 hex>')
    .default({})
    .describe('Exactly what the action is performed on: names, each with the sha256: handle of its content.'),
  parameter_texts: named('a text')
    .default({})
    .describe(
      'The same for content you have as text: the person is shown it, and its hash is what is approved.',
    ),
  why,
  reply_schema: APPROVAL_SHAPES[NEWEST_RULES]
    .default({ kind: 'yes_no' })
    .describe('YES or NO; or a form: the approval is given only if every approval in it is.'),
  quorum: z
    .int({ error: QUORUM_WORDS })
    .min(2, { error: QUORUM_WORDS })
    .max(10, { error: QUORUM_WORDS })
    .optional()
    .describe('How many people must say YES; the first NO decides. The operator may demand more.'),
  ...common,
})

export const awaitInput = takes('await_outcome', {
  request_id: id.describe('The request_id of an earlier call.'),
  ...waiting,
})

export const withdrawInput = takes('withdraw', {
  request_id: id.describe('The request_id of an earlier call.'),
  reason: z
    .string({ error: 'one line of at most 500 characters' })
    .min(1, { error: 'one line of at most 500 characters' })
    .describe('Why, in one line: the ledger keeps it.'),
})

export const pendingInput = takes('list_pending', {
  run_id: id.optional().describe('Only of this run.'),
  cursor: z.string({ error: 'next_cursor of the page before' }).optional(),
})

/** Sent by a program and not by a model; a fault in it is answered in the tool's own form, as a denial. */
export const permissionInput = listed(
  z.looseObject({
    tool_name: z.unknown().optional().describe('The tool that wants to run.'),
    input: z.unknown().optional().describe('Its input, an object.'),
    tool_use_id: z.unknown().optional().describe('Which use of it; the same use is asked once.'),
  }),
)
