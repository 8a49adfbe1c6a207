// Opens a request: its first entry, and in the same append the claims on the deliveries it owes
// from its first moment on.
//
// O1  Same id, hash, envelope and caller: the same request again. Anything else under that id shows nothing.
// O2  Each place taken at a gate for the append is used or given back, even if the append fails.
import type { Case } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import type { Config } from '../config/config.js'
import { codeGuard, type Deliver } from '../delivery/pass.js'
import type { Deed } from '../event.js'
import type { Guard, Moment, Shelving } from '../ledger/contract.js'
import { type Begun, grown, type Recorder, stamp } from '../record/record.js'
import { envelopeHash, type ResolvedRecipient } from '../request/admit.js'
import { completeRequest, type Submission } from '../request/parse.js'
import { hashRequest, idOf, type Request } from '../request/request.js'
import { bindsByCode } from '../request/way.js'
import { draw } from '../token/chance.js'
import { hashUrl } from '../waiter/signature.js'
import { type Errands, NOTHING_CLAIMED } from './errands.js'

/** The random bytes of an id that the lane makes. */
const ID_BYTES = 12

type Opener = Pick<Recorder, 'begin'> & {
  readonly limits: Config['limits']
  readonly errands: Errands
  readonly current: (requestId: string) => Promise<Case | null>
}

export type Opened =
  | { readonly kind: 'opened' | 'known'; readonly subject: Case }
  | { readonly kind: 'id_conflict' }
  | { readonly kind: 'limited'; readonly guard: Guard }

/** Everything known of a request before the ledger has given it a time. */
type Asked = {
  readonly submission: Submission
  readonly recipients: readonly ResolvedRecipient[]
  readonly opened_by: string
  readonly request: Request
  readonly request_id: string
  readonly request_hash: Hash
  readonly envelope_hash: Hash
}

export async function open(
  opener: Opener,
  submission: Submission,
  recipients: readonly ResolvedRecipient[],
  opened_by: string,
): Promise<Opened> {
  const request = completeRequest(submission.request, () => `lane-${draw(ID_BYTES).toString('hex')}`)
  const asked: Asked = {
    submission,
    recipients,
    opened_by,
    request,
    request_id: idOf(request),
    request_hash: hashRequest(request),
    envelope_hash: envelopeHash(submission),
  }
  const result = await recordOpening(opener, asked)
  switch (result.kind) {
    case 'begun':
      return { kind: 'opened', subject: result.subject }
    case 'known':
      return known(await opener.current(asked.request_id), asked)
    case 'guarded':
      return { kind: 'limited', guard: result.guard }
  }
}

/** If no code can be given out, the copy leads to its page. */
async function recordOpening(opener: Opener, asked: Asked): Promise<Begun> {
  const codeless = new Set<string>()
  for (;;) {
    const result = await recordOnce(opener, asked, codeless)
    if (result.kind !== 'guarded' || result.guard.kind !== 'open_codes') return result
    codeless.add(placeOf(result.guard))
  }
}

type Place = Pick<Deliver, 'user_id' | 'channel'>
const placeOf = ({ user_id, channel }: Place): string => `${channel} ${user_id}`

async function recordOnce(
  { begin, errands, limits }: Opener,
  asked: Asked,
  codeless: ReadonlySet<string>,
): Promise<Begun> {
  const ids = { request_id: asked.request_id, run_id: asked.submission.run.run_id }
  const coded = codedPlaces(asked).filter(place => !codeless.has(placeOf(place)))
  const isCoded = (duty: Deliver): boolean => coded.some(place => placeOf(place) === placeOf(duty))
  let first = NOTHING_CLAIMED
  const letGo = (): void => {
    errands.letGo(first)
    first = NOTHING_CLAIMED
  }
  try {
    const result = await begin(
      ids,
      moment => {
        letGo()
        const events = opening(asked, moment)
        const opened = grown(null, stamp(ids, events), moment)
        first = errands.claimFirst(opened, moment, isCoded)
        const place = { ...moment, seq: moment.seq + events.length }
        const after = grown(opened, stamp(ids, first.events), place)
        return { events: [...events, ...first.events], shelve: [...shelving(asked), ...first.shelve], after }
      },
      [...guards(asked, limits), ...coded.map(place => codeGuard(ids.request_id, place))],
    )
    if (result.kind === 'begun') errands.keep(result.subject, first)
    else letGo()
    return result
  } catch (error) {
    letGo()
    throw error
  }
}

/** The places where a copy that is answered by a code may be claimed with the opening. */
const codedPlaces = ({ recipients }: Asked): readonly Place[] =>
  recipients.flatMap(({ user_id, channels, route }) =>
    (route === 'all' ? channels : channels.slice(0, 1))
      .filter(bindsByCode)
      .map(channel => ({ user_id, channel })),
  )

function known(subject: Case | null, { request_hash, envelope_hash, opened_by }: Asked): Opened {
  if (subject === null) throw new Error('a request whose id is taken is there')
  const same =
    subject.request_hash === request_hash &&
    subject.envelope_hash === envelope_hash &&
    subject.opened_by === opened_by
  return same ? { kind: 'known', subject } : { kind: 'id_conflict' }
}

function guards({ request, submission, recipients, opened_by }: Asked, limits: Config['limits']): Guard[] {
  const { open_questions_per_run, requests_per_recipient_per_hour: at_most } = limits
  const { run_id } = submission.run
  const all: Guard[] = []
  if (request.type === 'REQUEST_QUESTION' && open_questions_per_run > 0) {
    all.push({ kind: 'open_questions', opened_by, run_id, at_most: open_questions_per_run })
  }
  if (at_most > 0) {
    for (const { user_id } of recipients) all.push({ kind: 'recipient_budget', opened_by, user_id, at_most })
  }
  return all
}

function opening(asked: Asked, moment: Moment): readonly Deed[] {
  const { submission, recipients, opened_by, request, request_hash, envelope_hash } = asked
  const { run, callback_url } = submission
  const deadline_at = instant(moment.ms + request.deadline_seconds * 1000)
  const body = { request, request_hash, run, recipients, envelope_hash, deadline_at, opened_by }
  const first: Deed = { type: 'REQUEST_OPENED', body }
  // The story itself says that a call is owed, so that the agenda needs nothing beside it; the URL is on the shelf.
  return callback_url === undefined
    ? [first]
    : [first, { type: 'CALLBACK_REGISTERED', body: { url_hash: hashUrl(callback_url) } }]
}

const shelving = ({ submission: { callback_url: url }, request_id }: Asked): Shelving[] =>
  url === undefined ? [] : [{ put: 'callback', request_id, url }]
