// A program's draft of a request, and the submission made of it: by the client, the command line, the tools for
// agents and the first words of a lane alike.
import { createHash, randomBytes } from 'node:crypto'
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { Recipient } from '../request/recipient.js'
import type { DefaultAction, Lens, Request } from '../request/request.js'
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
  /** How many must say YES; of approvals alone. */
  readonly quorum?: Submission['quorum'] | undefined
  /** Shown to whoever is asked; `high`, which quiet hours do not hold, needs a key that may say so. */
  readonly urgency?: Submission['urgency'] | undefined
  /** What follows if nobody answers: reminders, further people, further channels. */
  readonly ladder?: Submission['ladder'] | undefined
  /** The artifact of another system that this request is made from. */
  readonly origin?: Submission['origin'] | undefined
  /** An address that is told the outcome besides the waiter; see docs/spec/callbacks.md. */
  readonly callbackUrl?: string | undefined
}

export type Question<S extends ReplySchema = ReplySchema> = Common & {
  /** One question whose answer changes what is done next. */
  readonly question: string
  readonly impact: string
  readonly context?: readonly string[] | undefined
  /** Texts to look at: they go with the request, and their handles are made of them. */
  readonly values?: readonly string[] | undefined
  readonly reply: S
}
export type Review<S extends ReplySchema = ReplySchema> = Common & {
  readonly targets?: readonly string[] | undefined
  /** Texts to be reviewed: they go with the request, and their handles are made of them. */
  readonly values?: readonly string[] | undefined
  readonly lens: Lens
  /** What it is asked for, in one line. */
  readonly why?: string | undefined
  readonly reply: S
}
export type Approval<S extends ApprovalSchema = ApprovalSchema> = Common & {
  readonly action: string
  /** Named `sha256:` handles: exactly the things the action is performed on. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  /** The same as texts by their names: they go with the request, and their handles are made of them. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** What it is asked for, in one line. */
  readonly why?: string | undefined
  /** YES or NO if absent; YES or NO with its reason, or a form whose approvals are all needed. */
  readonly reply?: S
}
/** The schemas an approval is answered by. */
export type ApprovalSchema = Extract<ReplySchema, { readonly kind: 'yes_no' | 'form' }>

/** A submission and the id of its request, which stands under another name in each type. */
export type Drafted = { readonly id: string; readonly submission: Submission }

/** `runId` is the caller's run, for a draft that names none. */
export function questionOf(draft: Question, runId: string | null = null): Drafted {
  const question_id = idFor(draft, 'ask')
  const { question: question_text, impact, context = [], values = [], reply: reply_schema } = draft
  const context_handles = [...context, ...values.map(handleOf)]
  const asked = { type: 'REQUEST_QUESTION' as const, question_id, question_text, impact, context_handles }
  return addressed(question_id, { ...asked, ...timing(draft), reply_schema }, { ...draft, values }, runId)
}

export function reviewOf(draft: Review, runId: string | null = null): Drafted {
  const review_id = idFor(draft, 'review')
  const { targets = [], values = [], lens, reply: reply_schema } = draft
  const target_handles = [...targets, ...values.map(handleOf)]
  const asked = { type: 'REQUEST_REVIEW' as const, review_id, target_handles, lens, ...reasonIn(draft) }
  return addressed(review_id, { ...asked, ...timing(draft), reply_schema }, { ...draft, values }, runId)
}

export function approvalOf(draft: Approval, runId: string | null = null): Drafted {
  const approval_id = idFor(draft, 'approve')
  const { action, parameters: handles = {}, values: named = {} } = draft
  const made = Object.entries(named).map(([name, text]) => [name, handleOf(text)] as const)
  const parameters = { ...handles, ...Object.fromEntries(made) }
  const asked = { type: 'REQUEST_APPROVAL' as const, approval_id, action, parameters, ...reasonIn(draft) }
  const reply_schema = draft.reply ?? { kind: 'yes_no' as const }
  const values = Object.values(named)
  return addressed(approval_id, { ...asked, ...timing(draft), reply_schema }, { ...draft, values }, runId)
}

const reasonIn = ({ why }: { readonly why?: string | undefined }) => (why === undefined ? {} : { why })

/** A content's handle is its hash. */
export const handleOf = (text: string): string =>
  `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`

const timing = ({ deadlineSeconds, default: action }: Common) => ({
  deadline_seconds: deadlineSeconds,
  default_action: action,
})

/** The id is made here and not by the lane, so that sending again is the same request. */
const idFor = ({ id }: Common, noun: string): string => id ?? `${noun}-${randomBytes(12).toString('hex')}`

/** The envelope belongs to the request's identity, so nothing in it is made anew: a restarted caller sends the same. */
function addressed(
  id: string,
  request: Request,
  draft: Common & { readonly values: readonly string[] },
  runId: string | null,
): Drafted {
  const { to, workItemId: work_item_id, callbackUrl: callback_url, quorum, origin, urgency, ladder } = draft
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
    ...(quorum !== undefined && { quorum }),
    ...(urgency !== undefined && { urgency }),
    ...(ladder !== undefined && { ladder }),
    ...(origin !== undefined && { origin }),
    ...(draft.values.length > 0 && {
      contents: Object.fromEntries(draft.values.map(text => [handleOf(text), text])),
    }),
  }
  return { id, submission }
}
