// A program's draft of a request, and the submission made of it: by the client, the command line, the tools for
// agents and the first words of a lane alike.
import { randomBytes } from 'node:crypto'
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { DefaultAction, Lens, Recipient, Request } from '../request/request.js'
import type { Submission } from './put.js'

export type Common = {
  /** Its name for good: the same id with the same content is the same request. Made if absent. */
  readonly id?: string | undefined
  readonly deadlineSeconds: number
  /** The action that holds if nobody answers. It has no default: the caller must say what silence means. */
  readonly default: DefaultAction
  /** May be absent where the lane knows exactly one person. */
  readonly to?: readonly (string | Recipient)[] | undefined
  /** The run that asks; else the one given to `connect`, else the request is a run of its own. */
  readonly runId?: string | undefined
  readonly workItemId?: string | undefined
  /** An address that is told the outcome besides the waiter; see docs/spec/callbacks.md. */
  readonly callbackUrl?: string | undefined
}

export type Question<S extends ReplySchema = ReplySchema> = Common & {
  /** One question whose answer changes what is done next. */
  readonly question: string
  readonly impact: string
  readonly context?: readonly string[] | undefined
  readonly reply: S
}
export type Review<S extends ReplySchema = ReplySchema> = Common & {
  readonly targets: readonly string[]
  readonly lens: Lens
  readonly reply: S
}
export type Approval = Common & {
  readonly action: string
  /** Named `sha256:` handles: exactly the things the action is performed on. */
  readonly parameters: Readonly<Record<string, string>>
}

/** A submission and the id of its request, which stands under another name in each type. */
export type Drafted = { readonly id: string; readonly submission: Submission }

/** `runId` is the caller's run, for a draft that names none. */
export function questionOf(draft: Question, runId: string | null = null): Drafted {
  const question_id = idFor(draft, 'ask')
  const { question: question_text, impact, context: context_handles = [], reply: reply_schema } = draft
  const asked = { type: 'REQUEST_QUESTION' as const, question_id, question_text, impact, context_handles }
  return addressed(question_id, { ...asked, ...timing(draft), reply_schema }, draft, runId)
}

export function reviewOf(draft: Review, runId: string | null = null): Drafted {
  const review_id = idFor(draft, 'review')
  const { targets: target_handles, lens, reply: reply_schema } = draft
  const asked = { type: 'REQUEST_REVIEW' as const, review_id, target_handles, lens }
  return addressed(review_id, { ...asked, ...timing(draft), reply_schema }, draft, runId)
}

export function approvalOf(draft: Approval, runId: string | null = null): Drafted {
  const approval_id = idFor(draft, 'approve')
  const { action, parameters } = draft
  const asked = { type: 'REQUEST_APPROVAL' as const, approval_id, action, parameters }
  const reply_schema = { kind: 'yes_no' as const }
  return addressed(approval_id, { ...asked, ...timing(draft), reply_schema }, draft, runId)
}

const timing = ({ deadlineSeconds, default: action }: Common) => ({
  deadline_seconds: deadlineSeconds,
  default_action: action,
})

/** The id is made here and not by the lane, so that sending again is the same request. */
const idFor = ({ id }: Common, noun: string): string => id ?? `${noun}-${randomBytes(12).toString('hex')}`

/** The envelope belongs to the request's identity, so nothing in it is made anew: a restarted caller sends the same. */
function addressed(id: string, request: Request, draft: Common, runId: string | null): Drafted {
  const { to, workItemId: work_item_id, callbackUrl: callback_url } = draft
  const recipients = to?.map(one => (typeof one === 'string' ? { user_id: one } : one))
  const submission = {
    request,
    run: {
      run_id: draft.runId ?? runId ?? id,
      mood: 'DEFERENTIAL' as const,
      ...(work_item_id !== undefined && { work_item_id }),
    },
    ...(recipients && { recipients }),
    ...(callback_url !== undefined && { callback_url }),
  }
  return { id, submission }
}
