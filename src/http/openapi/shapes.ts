// The bodies the door takes, described by the shapes that read them: a limit is written once, where it is kept. Only
// the refusal tells rules that JSON Schema cannot express (visible text, options that differ, a configured action).
import { z } from 'zod'
import { WHO } from '../../request/group.js'
import { SUBMISSION_SHAPES } from '../../request/request-shape.js'
import { NEWEST_RULES } from '../../rules.js'
import { MAX_URL_CHARS } from '../../waiter/address.js'
import { reference, type Schema } from './schema.js'

export const submissionShape = SUBMISSION_SHAPES[NEWEST_RULES]

const { request, run, recipients, callback_url: callbackUrl } = submissionShape.shape
const [question, review, approval] = request.options
const [yesNo, choice, multiChoice, plainText, range, dates, form] = question.shape.reply_schema.options

/** Parts of a submission that have a name of their own, so that a generated client has one type for each. */
const PARTS = {
  RequestDraft: request,
  QuestionDraft: question,
  ReviewDraft: review,
  ApprovalDraft: approval,
  ReplySchema: question.shape.reply_schema,
  YesNo: yesNo,
  Choice: choice,
  MultiChoice: multiChoice,
  PlainText: plainText,
  NumberRange: range,
  DateRange: dates,
  Form: form,
  AskingRun: run,
  Recipient: recipients.unwrap().element,
} as const

/** Judged by the configuration and not by the shape. */
const CALLBACK_URL: Schema = { type: 'string', format: 'uri', maxLength: MAX_URL_CHARS }

type Schemas = Readonly<Record<string, Schema>>

/** By name: the bodies that routes take, the parts of a submission, and the requests that become of its drafts. */
export function shapes(taken: Readonly<Record<string, z.ZodType>>): Schemas {
  const registry = z.registry<{ id: string }>()
  for (const [id, shape] of Object.entries({ ...taken, ...PARTS })) registry.add(shape, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: id => String(reference(id).$ref),
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === callbackUrl) Object.assign(jsonSchema, CALLBACK_URL)
    },
  })
  const read = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]))
  return { ...read, ...completed(read) }
}

/** The schema without members that its place in the document already implies. */
const bare = ({ $schema: _schema, $id: _id, ...schema }: Schema): Schema => schema

/** Adds the facts that the shapes leave out: a person may be named by an id alone, an opened request always has its
 *  id, and one field tells which member of a union a body is. */
function completed(read: Schemas): Schemas {
  const all: Schemas = {
    ...read,
    Question: withId(read.QuestionDraft, 'question_id'),
    Review: withId(read.ReviewDraft, 'review_id'),
    Approval: withId(read.ApprovalDraft, 'approval_id'),
  }
  return {
    ...all,
    Recipient: { anyOf: [{ type: 'string', pattern: WHO }, read.Recipient] },
    Request: either(all, 'type', ['Question', 'Review', 'Approval']),
    RequestDraft: either(all, 'type', ['QuestionDraft', 'ReviewDraft', 'ApprovalDraft']),
    ReplySchema: either(all, 'kind', [
      'YesNo',
      'Choice',
      'MultiChoice',
      'PlainText',
      'NumberRange',
      'DateRange',
      'Form',
    ]),
  }
}

const withId = (draft: Schema = {}, id: string): Schema => ({
  ...draft,
  required: [id, ...(draft.required as readonly string[])],
})

function either(all: Schemas, propertyName: string, names: readonly string[]): Schema {
  const tagOf = (name: string): string => {
    const { properties } = all[name] as { properties: Record<string, { const: string }> }
    return properties[propertyName]?.const ?? ''
  }
  const mapping = Object.fromEntries(names.map(name => [tagOf(name), reference(name).$ref]))
  return { oneOf: names.map(reference), discriminator: { propertyName, mapping } }
}
