// What an artifact asks, and what one answers: the published shapes of the two bodies. A decision has no other members
// than the published ones: one that nobody is shown could change what is decided.
import { z } from 'zod'
import { shape } from '../../request/field.js'
import { instantText } from './envelope.js'
import { BODY_OF, REQUEST, RESPONSE } from './words.js'

const OBJECT_WORDS = 'an object'
const TEXT_WORDS = 'a text'
const DECISIONS_WORDS = 'at least one decision'
const REQUIRED_WORDS = 'true or false: whether it must be answered to proceed'
const TYPES = ['approval', 'choice', 'multi_choice', 'text', 'number', 'date'] as const
const TYPE_WORDS = `one of ${TYPES.join(', ')}`
const OPTIONS_WORDS = 'the options of a choice, each { value, label, description? }'
const STATUSES = ['all_approved', 'partial', 'all_rejected', 'pending'] as const
const STATUS_WORDS = `one of ${STATUSES.join(', ')}`

const text = z.string({ error: TEXT_WORDS })
const optionalText = text.exactOptional()
const number = z.number({ error: 'a number' })
const schemaOf = <const S extends string>(schema: S) => z.literal(schema, { error: `"${schema}"` })

const decision = shape('a decision', {
  id: text,
  type: z.enum(TYPES, { error: TYPE_WORDS }),
  prompt: text,
  description: optionalText,
  required: z.boolean({ error: REQUIRED_WORDS }),
  default: z.unknown().optional(),
  options: z
    .array(shape('an option', { value: text, label: text, description: optionalText }), {
      error: OPTIONS_WORDS,
    })
    .exactOptional(),
  constraints: shape('constraints', {
    min: number.exactOptional(),
    max: number.exactOptional(),
    pattern: optionalText,
  }).exactOptional(),
}).superRefine(({ type, options }, context) => {
  if ((type === 'choice' || type === 'multi_choice') && (options ?? []).length === 0)
    context.addIssue({ code: 'custom', path: ['options'], message: OPTIONS_WORDS })
})
export type AskedDecision = z.infer<typeof decision>

export const requestBody = shape('the body', {
  schema: schemaOf(BODY_OF[REQUEST].schema),
  data: shape('data', {
    context: optionalText,
    decisions: z.array(decision, { error: DECISIONS_WORDS }).min(1, { error: DECISIONS_WORDS }),
    blocking: z
      .array(
        shape('an item of blocking', { task_id: optionalText, artifact_id: optionalText, description: text }),
        { error: 'a list of { task_id?, artifact_id?, description }' },
      )
      .exactOptional(),
    deadline: instantText.exactOptional(),
    escalation: shape('escalation', { after: optionalText, to: optionalText }).exactOptional(),
  }),
})
export type Data = z.infer<typeof requestBody>['data']

/** The examples write `null` for a comment that was not made. */
const comment = text.nullable().exactOptional()
const answer = z.looseObject(
  {
    decision_id: text,
    approved: z.boolean({ error: 'true or false' }).exactOptional(),
    selected: z.union([text, z.array(text)], { error: 'a text or a list of texts' }).exactOptional(),
    value: z.union([text, number], { error: 'a text or a number' }).exactOptional(),
    comment,
    decided_at: instantText.exactOptional(),
  },
  { error: OBJECT_WORDS },
)

export const responseBody = z.looseObject(
  {
    schema: schemaOf(BODY_OF[RESPONSE].schema),
    data: z.looseObject(
      {
        request_id: text,
        responses: z.array(answer, { error: 'a list of answers' }),
        overall_status: z.enum(STATUSES, { error: STATUS_WORDS }),
        summary: comment,
      },
      { error: OBJECT_WORDS },
    ),
  },
  { error: OBJECT_WORDS },
)
