// A request comes in by any door: it is parsed, admitted, bounded and opened. A refusal is a value with the code and
// the sentence that every door says, so that no two doors let different requests in.
import type { Adapter } from '../adapter/contract.js'
import type { Case } from '../agenda/case.js'
import { instant } from '../clock.js'
import { type Config, proofsFor } from '../config/config.js'
import type { ApiKey, Guard, Ledger } from '../ledger/contract.js'
import { type Admission, admit, type ResolvedRecipient } from '../request/admit.js'
import type { Channel } from '../request/channel.js'
import { likeness } from '../request/display.js'
import {
  completeRequest,
  type FieldError,
  parseSubmission,
  type Submission,
  type SubmissionPolicy,
} from '../request/parse.js'
import { idOf } from '../request/request.js'
import { COUNT_AGAIN_MS, OpenRequests } from './open-requests.js'
import type { Opened } from './opening.js'

/** The door's part of the configuration. */
export type Entrance = {
  /** Whether links are printed on the console; absent if they are not. */
  readonly printsLinks?: boolean
  /** The callbacks that may be asked for; absent if nobody is called. */
  readonly callback?: SubmissionPolicy['callback']
}

type SubmitterParts = Entrance & {
  readonly ledger: Ledger
  readonly config: Config
  readonly adapters: ReadonlyMap<Channel, Adapter>
  open(submission: Submission, recipients: readonly ResolvedRecipient[], by: string): Promise<Opened>
}

/** The asking key: its id is recorded, its name is shown. */
export type Asker = Pick<ApiKey, 'key_id' | 'name'>

/** Every code a submission is refused with. */
export const SUBMISSION_CODES = [
  'invalid_request',
  'not_available',
  'not_admitted',
  'recipient_not_approver',
  'cannot_be_shown',
  'id_conflict',
  'too_many_open_questions',
  'recipient_budget',
  'rate_limited',
] as const

type NotSubmitted = {
  readonly kind: 'refused'
  readonly code: (typeof SUBMISSION_CODES)[number]
  readonly detail: string
  readonly errors?: readonly FieldError[]
  /** Set if the refusal passes by itself. */
  readonly retryAfterSeconds?: number
}
export type Submitted = { readonly kind: 'opened' | 'known'; readonly subject: Case } | NotSubmitted

/** A budget of an hour is looked at again this soon. */
const BUDGET_AGAIN_SECONDS = 60

export class Submitter {
  readonly #parts: SubmitterParts
  readonly #policy: SubmissionPolicy
  readonly #bound: OpenRequests

  constructor(parts: SubmitterParts) {
    const { config, callback, ledger } = parts
    this.#parts = parts
    this.#policy = { actions: Object.keys(config.actions), ...(callback && { callback }) }
    this.#bound = new OpenRequests(
      (key, most) => ledger.countOpen(key, most),
      config.limits.open_requests_per_key,
      () => ledger.now(),
    )
  }

  async submit(body: unknown, asker: Asker): Promise<Submitted> {
    const parsed = parseSubmission(body, this.#policy)
    if (!parsed.ok) return refused(parsed.code, sayFields(parsed.errors), parsed.errors)
    const { submission } = parsed
    const admitted = admit(submission, this.#admission(asker.name))
    if (!admitted.ok) return refused(admitted.code, admitted.detail, admitted.errors)
    const hasRoom = (await this.#bound.admit(asker.key_id)) || (await this.#isKnown(submission))
    if (!hasRoom) return this.#tooMany()
    return submitted(await this.#parts.open(submission, admitted.recipients, asker.key_id))
  }

  #admission(askedBy: string): Admission {
    const { config, adapters, ledger, printsLinks = false } = this.#parts
    return {
      recipients: config.recipients,
      actions: config.actions,
      configured: [...adapters.keys()],
      proofsFor: request => proofsFor(config, request),
      shows(channel, submission) {
        const deadline_at = instant(ledger.now() + submission.request.deadline_seconds * 1000)
        return adapters.get(channel)?.shows(likeness(submission, askedBy, deadline_at)) ?? false
      },
      printsLinks,
    }
  }

  /** A request asked before is answered again, however many others are open. */
  async #isKnown({ request }: Submission): Promise<boolean> {
    const id = idOf(completeRequest(request, () => ''))
    return (await this.#parts.ledger.story(id)).length > 0
  }

  #tooMany(): NotSubmitted {
    const most = this.#parts.config.limits.open_requests_per_key
    const detail = `This key has ${most} requests open (limits.open_requests_per_key).`
    return { ...refused('rate_limited', detail), retryAfterSeconds: COUNT_AGAIN_MS / 1000 }
  }
}

const refused = (
  code: NotSubmitted['code'],
  detail: string,
  errors?: readonly FieldError[],
): NotSubmitted => ({ kind: 'refused', code, detail, ...(errors && { errors }) })

const sayFields = (errors: readonly FieldError[]): string =>
  errors
    .slice(0, 3)
    .map(error => `${error.field === '' ? 'The body' : error.field}: ${error.accepted}`)
    .join(' · ')

const CONFLICT =
  'The same id is the same request only with the same content, run, recipients, callback_url and key. Choose a new id, or send what was sent before.'

function submitted(opened: Opened): Submitted {
  switch (opened.kind) {
    case 'opened':
    case 'known':
      return opened
    case 'id_conflict':
      return refused('id_conflict', CONFLICT)
    case 'limited':
      return limited(opened.guard)
  }
}

function limited(guard: Guard): NotSubmitted {
  if (guard.kind === 'open_questions') {
    const detail = `This key has ${guard.at_most} open questions in run ${guard.run_id}; wait for an answer or withdraw one.`
    return refused('too_many_open_questions', detail)
  }
  if (guard.kind !== 'recipient_budget') throw new Error(`a request is not guarded by ${guard.kind}`)
  const detail = `This key has put ${guard.at_most} requests to ${guard.user_id} within the hour; ask later.`
  return { ...refused('recipient_budget', detail), retryAfterSeconds: BUDGET_AGAIN_SECONDS }
}
