// The short cut past the schema of a submission (../shortcut.ts). Nearly every one is put to people by their ids, in plain
// words, and answered by yes or no or by one of a few options; the others go to the schema.
import { fits, type Is, isHash, oneOf, plain } from '../shortcut.js'
import { areContents } from './content/given.js'
import { ID, RESERVED_NAMES } from './field.js'
import { HANDLE } from './handle.js'
import type { Submission } from './parse.js'
import type { Recipient } from './recipient.js'
import { DELEGATE, MAX_LABEL_CHARS, MAX_OPTIONS, OPTION_VALUE } from './reply-field.js'
import { DEFAULT_ACTIONS, LENSES, MOODS } from './request.js'
import { MAX_DEADLINE_SECONDS, MAX_HANDLES, MAX_SHOWN_CHARS, PARAMETER_NAME } from './request-shape.js'

/** Visible ASCII, and single blanks between. */
const WORDS = /^[!-~]+(?: [!-~]+)*$/

const matches =
  (pattern: RegExp): Is =>
  value =>
    typeof value === 'string' && pattern.test(value)
const listOf =
  (is: Is, atLeast: number): Is =>
  value =>
    Array.isArray(value) && value.length >= atLeast && value.length <= MAX_HANDLES && value.every(is)

const isId = matches(ID)
const isHandle = matches(HANDLE)
const isShown: Is = value => typeof value === 'string' && value.length <= MAX_SHOWN_CHARS && WORDS.test(value)
const isQuestion: Is = value =>
  isShown(value) && (value as string).indexOf('?') === (value as string).lastIndexOf('?')
const isDeadline: Is = value =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_DEADLINE_SECONDS

const yesNo = plain({ kind: oneOf('yes_no') })
const isYesNo: Is = value => fits(yesNo, value)

/** A value of one character may be the letter of another option. */
const isOptionValue: Is = value =>
  typeof value === 'string' && value.length > 1 && OPTION_VALUE.test(value) && !DELEGATE.test(value)
const isLabel: Is = value => typeof value === 'string' && value.length <= MAX_LABEL_CHARS && WORDS.test(value)
const option = plain({ value: isOptionValue, label: isLabel })
const choice = plain({ kind: oneOf('choice'), options: areOptions })

function areOptions(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 2 || value.length > MAX_OPTIONS) return false
  const seen = new Set<string>()
  for (const one of value) {
    if (!fits(option, one)) return false
    seen.add(one.value.toLowerCase())
  }
  return seen.size === value.length
}

const deadline_seconds = isDeadline
const reply_schema: Is = value => isYesNo(value) || fits(choice, value)
const default_action = oneOf(...DEFAULT_ACTIONS)

const question = plain(
  {
    type: oneOf('REQUEST_QUESTION'),
    question_id: isId,
    question_text: isQuestion,
    impact: isShown,
    context_handles: listOf(isHandle, 0),
    deadline_seconds,
    reply_schema,
    default_action,
  },
  ['question_id'],
)
const review = plain(
  {
    type: oneOf('REQUEST_REVIEW'),
    review_id: isId,
    target_handles: listOf(isHandle, 1),
    lens: oneOf(...LENSES),
    deadline_seconds,
    reply_schema,
    default_action,
  },
  ['review_id'],
)
const approval = plain(
  {
    type: oneOf('REQUEST_APPROVAL'),
    approval_id: isId,
    action: value => typeof value === 'string',
    parameters: areParameters,
    deadline_seconds,
    reply_schema: isYesNo,
    // The others fit some actions only.
    default_action: oneOf('DENY', 'HALT', 'QUARANTINE_OUTPUTS'),
  },
  ['approval_id'],
)

function areParameters(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  let found = 0
  for (const name in value) {
    if (!PARAMETER_NAME.test(name) || RESERVED_NAMES.includes(name)) return false
    if (!isHash((value as Record<string, unknown>)[name])) return false
    found += 1
  }
  return found >= 1 && found <= MAX_HANDLES
}

const submission = plain(
  {
    request: value => fits(question, value) || fits(approval, value) || fits(review, value),
    run: value => fits(run, value),
    recipients: value => isId(Array.isArray(value) && value.length === 1 && value[0]),
    contents: areContents,
  },
  ['recipients', 'contents'],
)

const run = plain({ run_id: isId, mood: oneOf(...MOODS), sub_mode: oneOf('approval'), work_item_id: isId }, [
  'sub_mode',
  'work_item_id',
])

/** Null where the schema must decide. */
export function plainSubmission(body: unknown): Submission | null {
  if (!fits(submission, body)) return null
  const { recipients, ...rest } = body as Pick<Submission, 'request' | 'run' | 'contents'> & {
    recipients?: [string]
  }
  return {
    recipients: recipients === undefined ? null : recipients.map((user_id): Recipient => ({ user_id })),
    ...rest,
  }
}
