// What a program says when it asks, and the request that is made of it.
import { randomBytes } from 'node:crypto'
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { DefaultAction, Lens, Recipient, Request } from '../request/request.js'
import type { Submission } from './put.js'

export type Common = {
  /** Its name for good: the same id with the same content is the same request. Made if absent. */
  readonly id?: string
  readonly deadlineSeconds: number
  /** What holds if nobody answers. It has no default: what silence means is the caller's to say. */
  readonly default: DefaultAction
  /** May be absent where the lane knows exactly one person. */
  readonly to?: readonly (string | Recipient)[]
  /** The run that asks; else the one given to `connect`, else the request is a run of its own. */
  readonly runId?: string
  readonly workItemId?: string
  /** Told of the outcome besides whoever waits; see docs/spec/callbacks.md. */
  readonly callbackUrl?: string
}

export type Question<S extends ReplySchema = ReplySchema> = Common & {
  /** One question whose answer changes what is done next. */
  readonly question: string
  readonly impact: string
  readonly context?: readonly string[]
  readonly reply: S
}
export type Review<S extends ReplySchema = ReplySchema> = Common & {
  readonly targets: readonly string[]
  readonly lens: Lens
  readonly reply: S
}
export type Approval = Common & {
  readonly action: string
  /** Named `sha256:` handles: exactly what the action is performed on. */
  readonly parameters: Readonly<Record<string, string>>
}

const timing = ({ deadlineSeconds, default: action }: Common) => ({
  deadline_seconds: deadlineSeconds,
  default_action: action,
})

/** The id is made here and not by the lane, so that sending again is the same request. */
const idFor = ({ id }: Common, noun: string): string => id ?? `${noun}-${randomBytes(12).toString('hex')}`

/** A request and its id, which stands under another name in each type. */
export type Drafted = { readonly id: string; readonly request: Request }

export function questionOf(draft: Question): Drafted {
  const id = idFor(draft, 'ask')
  const request = {
    type: 'REQUEST_QUESTION' as const,
    question_id: id,
    question_text: draft.question,
    impact: draft.impact,
    context_handles: draft.context ?? [],
    ...timing(draft),
    reply_schema: draft.reply,
  }
  return { id, request }
}

export function reviewOf(draft: Review): Drafted {
  const id = idFor(draft, 'review')
  const request = {
    type: 'REQUEST_REVIEW' as const,
    review_id: id,
    target_handles: draft.targets,
    lens: draft.lens,
    ...timing(draft),
    reply_schema: draft.reply,
  }
  return { id, request }
}

export function approvalOf(draft: Approval): Drafted {
  const id = idFor(draft, 'approve')
  const request = {
    type: 'REQUEST_APPROVAL' as const,
    approval_id: id,
    action: draft.action,
    parameters: draft.parameters,
    ...timing(draft),
    reply_schema: { kind: 'yes_no' as const },
  }
  return { id, request }
}

/** The envelope belongs to the request's identity, so nothing in it is made anew: a restarted caller sends the same. */
export function submissionOf({ id, request }: Drafted, draft: Common, runId: string | null): Submission {
  return {
    request,
    run: {
      run_id: draft.runId ?? runId ?? id,
      mood: 'DEFERENTIAL',
      ...(draft.workItemId !== undefined && { work_item_id: draft.workItemId }),
    },
    ...(draft.to && { recipients: draft.to.map(one => (typeof one === 'string' ? { user_id: one } : one)) }),
    ...(draft.callbackUrl !== undefined && { callback_url: draft.callbackUrl }),
  }
}
