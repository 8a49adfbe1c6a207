// A request comes in by any door: it is parsed, admitted, bounded and opened. A refusal is a value with the code and
// the sentence that every door says, so that no two doors let different requests in.
import type { Adapter } from '../adapter/contract.js'
import type { Case } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import { type Config, ladderFor, proofsFor } from '../config/config.js'
import { canAnswerSignedIn, confirmsHere } from '../config/signing-in.js'
import { readHeld } from '../delivery/contents.js'
import { fitInto } from '../delivery/fit.js'
import type { Guard, Store } from '../ledger/contract.js'
import type { ApiKey } from '../ledger/shelf.js'
import type { Passkeys } from '../people/passkeys.js'
import { type Admission, admit, ruleOf } from '../request/admit.js'
import type { Channel } from '../request/channel.js'
import { type Content, charsOf } from '../request/content/exhibit.js'
import { bytesOf } from '../request/content/given.js'
import { type Imprint, imprintsOf } from '../request/content/imprint.js'
import { contentsOf, type Display, fixedHandlesOf, likeness } from '../request/display.js'
import {
  completeRequest,
  type FieldError,
  parseSubmission,
  type Submission,
  type SubmissionPolicy,
} from '../request/parse.js'
import { sayFields } from '../request/refusal.js'
import { idOf, type RequestDraft } from '../request/request.js'
import { isApproval } from '../request/substance.js'
import type { ContentRule, Origin } from '../request/terms.js'
import { quote } from '../request/text.js'
import { COUNT_AGAIN_MS, OpenRequests } from './open-requests.js'
import type { Admitted, Asker, Opened, Own } from './opening.js'

/** The door's part of the configuration. */
export type Entrance = {
  /** Whether links are printed on the console; absent if they are not. */
  readonly printsLinks?: boolean
  /** Whether people sign in by a provider; absent if they do not. */
  readonly hasProvider?: boolean
  /** Who has passkeys; absent if nobody has. */
  readonly passkeys?: Pick<Passkeys, 'proofsOf'>
  /** The callbacks that may be asked for; absent if nobody is called. */
  readonly callback?: SubmissionPolicy['callback']
}

type SubmitterParts = Entrance & {
  readonly store: Pick<Store, 'ledger' | 'shelf'>
  readonly config: Config
  readonly adapters: ReadonlyMap<Channel, Adapter>
  readonly publicUrl: () => string
  open(admitted: Admitted, asker: Asker): Promise<Opened>
}

/** The asking key, with what is granted to it beyond its scopes. */
export type Applicant = Asker & Pick<ApiKey, 'owner' | 'urgent'>

/** The artifact of another system that a door has read: its text is kept with the request, under its hash. */
export type MadeOf = { readonly origin: Origin; readonly text: string }

/** Every code a submission is refused with. */
export const SUBMISSION_CODES = [
  'invalid_request',
  'not_available',
  'not_admitted',
  'recipient_not_approver',
  'four_eyes',
  'quorum_needs_yes_no',
  'quorum_unreachable',
  'content_missing',
  'cannot_be_shown',
  'id_conflict',
  'too_many_open_questions',
  'recipient_budget',
  'quota_exceeded',
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
    const { config, callback, store } = parts
    const { ledger } = store
    this.#parts = parts
    this.#policy = { actions: Object.keys(config.actions), ...(callback && { callback }) }
    this.#bound = new OpenRequests(
      (key, most) => ledger.countOpen(key, most),
      config.limits.open_requests_per_key,
      () => ledger.now(),
    )
  }

  /** `made` is the artifact that a door has made the submission of: no caller can say so itself. */
  submit(body: unknown, asker: Applicant, made?: MadeOf, own?: Own): Promise<Submitted> {
    const parsed = parseSubmission(body, this.#policy)
    if (!parsed.ok)
      return Promise.resolve(refused(parsed.code, sayFields(parsed.errors, 'The body'), parsed.errors))
    const { contents: texts = NO_TEXTS } = parsed.submission
    const submission = withoutTexts(parsed.submission, made)
    const bytes = bytesOf(made === undefined ? texts : { ...texts, [made.origin.hash]: made.text })
    // From here on they are bytes: nothing that waits holds on to their texts.
    return this.#submit(submission, { bytes, imprints: imprintsOf(texts) }, asker, own)
  }

  async #submit(
    submission: Submission,
    { bytes, imprints }: Given,
    asker: Applicant,
    own: Own | undefined,
  ): Promise<Submitted> {
    const held = await this.#held(submission, bytes, asker)
    // Read once, for the door and for every copy.
    const contents = contentsOf(submission.request, held, imprints)
    const admitted = admit(submission, this.#admission(asker, contents, own))
    const missing = missingContents(
      submission.request,
      contents,
      ruleOf(submission.request, this.#parts.config.actions),
    )
    // What cannot be shown because it is not there is missing.
    if (missing.length > 0 && (admitted.ok || admitted.code === 'cannot_be_shown'))
      return refused('content_missing', NO_CONTENT, missing)
    if (!admitted.ok) return refused(admitted.code, admitted.detail, admitted.errors)
    const hasRoom = (await this.#bound.admit(asker.key_id)) || (await this.#isKnown(submission))
    if (!hasRoom) return this.#tooMany()
    const { recipients, terms } = admitted
    const asked = { submission, recipients, terms, held, contents, ...(own && { own }) }
    return submitted(await this.#parts.open(asked, asker))
  }

  /** The contents that came with it, and those its key had sent before. */
  async #held({ request }: Submission, given: Held, { key_id }: Applicant): Promise<Held> {
    const others = fixedHandlesOf(request).filter(handle => !given.has(handle))
    if (others.length === 0) return given
    return new Map([...given, ...(await readHeld(this.#parts.store.shelf, key_id, others))])
  }

  #admission(asker: Applicant, contents: readonly Content[], own: Own | undefined): Admission {
    const {
      config,
      adapters,
      store,
      publicUrl,
      passkeys,
      printsLinks = false,
      hasProvider = false,
    } = this.#parts
    const { ledger } = store
    return {
      recipients: config.recipients,
      groups: config.groups,
      ladderFor: request => (own === undefined ? ladderFor(config, request) : undefined),
      actions: config.actions,
      forms: config.forms,
      asker,
      configured: [...adapters.keys()],
      proofsFor: request => own?.proofs ?? proofsFor(config, request),
      shows(channel, submission, terms) {
        const deadline_at = instant(ledger.now() + submission.request.deadline_seconds * 1000)
        const shows = (shown: Display): boolean => adapters.get(channel)?.shows(shown) ?? false
        const like = likeness(submission, terms, asker.name, deadline_at)
        return fitInto(channel, shows, like, contents, terms.policy.content).fits
      },
      printsLinks,
      signsIn: (userId, request) =>
        canAnswerSignedIn(
          { hasProvider, publicUrl: publicUrl() },
          config.recipients[userId],
          isApproval(request),
        ),
      confirms: userId => confirmsHere(publicUrl(), passkeys, userId),
    }
  }

  /** A request asked before is answered again, however many others are open. */
  async #isKnown({ request }: Submission): Promise<boolean> {
    const id = idOf(completeRequest(request, () => ''))
    return (await this.#parts.store.ledger.version(id)) > 0
  }

  #tooMany(): NotSubmitted {
    const most = this.#parts.config.limits.open_requests_per_key
    const detail = `This key has ${most} requests open (limits.open_requests_per_key).`
    return { ...refused('rate_limited', detail), retryAfterSeconds: COUNT_AGAIN_MS / 1000 }
  }
}

type Held = ReadonlyMap<Hash, Uint8Array>
const NO_TEXTS: Readonly<Record<Hash, string>> = {}
/** The contents that came with a submission. */
type Given = { readonly bytes: Held; readonly imprints: ReadonlyMap<string, Imprint> }

function withoutTexts(submission: Submission, made: MadeOf | undefined): Submission {
  if (submission.contents === undefined && made === undefined) return submission
  const { contents: _, ...rest } = submission
  return made === undefined ? rest : { ...rest, origin: made.origin }
}

const NO_CONTENT =
  'This action is approved only with its contents before one’s eyes: send them with the request.'

/** What policy wants to be there and is not: a content for each parameter, and a text if it is to be shown whole. */
function missingContents(
  request: RequestDraft,
  contents: readonly Content[],
  rule: ContentRule | undefined,
): readonly FieldError[] {
  if (request.type !== 'REQUEST_APPROVAL' || rule === undefined || rule === 'any') return []
  const shown = new Set(
    contents
      .filter(content => rule === 'required' || charsOf(content) !== null)
      .map(({ handle }) => handle as string),
  )
  const accepted =
    rule === 'whole'
      ? 'the handle of a text among contents, or put before'
      : 'the handle of a content among contents, or put before'
  return Object.entries(request.parameters)
    .filter(([, handle]) => !shown.has(handle))
    .map(([name, handle]) => ({ field: `/request/parameters/${name}`, read: quote(handle), accepted }))
}

const refused = (
  code: NotSubmitted['code'],
  detail: string,
  errors?: readonly FieldError[],
): NotSubmitted => ({ kind: 'refused', code, detail, ...(errors && { errors }) })

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
  // Of the lane's own questions alone: what is asked once was asked before.
  if (guard.kind === 'unclaimed') return refused('id_conflict', CONFLICT)
  if (guard.kind === 'open_questions') {
    const detail = `This key has ${guard.at_most} open questions in run ${guard.run_id}; wait for an answer or withdraw one.`
    return refused('too_many_open_questions', detail)
  }
  if (guard.kind === 'content_quota') {
    const detail = `This key may keep ${guard.at_most} bytes in contents (limits.content_mib_per_key); an operator can erase some.`
    return refused('quota_exceeded', detail)
  }
  if (guard.kind !== 'recipient_budget') throw new Error(`a request is not guarded by ${guard.kind}`)
  const detail = `This key has put ${guard.at_most} requests to ${guard.user_id} within the hour; ask later.`
  return { ...refused('recipient_budget', detail), retryAfterSeconds: BUDGET_AGAIN_SECONDS }
}
