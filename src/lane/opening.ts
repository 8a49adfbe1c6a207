// Opens a request: its first entry, and in the same append the claims on the deliveries it owes
// from its first moment on.
//
// O1  Same id, hash, envelope and caller: the same request again. Anything else under that id shows nothing.
// O2  Each place taken at a gate for the append is used or given back, even if the append fails.
import type { Case, HeldContent } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import type { Config } from '../config/config.js'
import { codeGuard, type Deliver } from '../delivery/pass.js'
import type { Body, Deed } from '../event.js'
import type { Guard, Moment } from '../ledger/contract.js'
import type { ApiKey, Shelving } from '../ledger/shelf.js'
import { type Begun, grown, type Recorder, stamp } from '../record/record.js'
import type { Proof } from '../request/channel.js'
import { type Content, charsOf } from '../request/content/exhibit.js'
import { countPoints } from '../request/content/places.js'
import { envelopeHash } from '../request/envelope.js'
import { completeRequest, type Submission } from '../request/parse.js'
import type { ResolvedRecipient } from '../request/recipient.js'
import { hashRequest, idOf, type Request } from '../request/request.js'
import type { Terms } from '../request/terms.js'
import { bindsByCode } from '../request/way.js'
import { FIRST_RULES, NEWEST_RULES } from '../rules.js'
import { draw } from '../token/chance.js'
import { hashUrl } from '../waiter/signature.js'
import { type Errands, NOTHING_CLAIMED } from './errands.js'

/** The random bytes of an id that the lane makes. */
const ID_BYTES = 12
const MIB = 1024 * 1024

export type Opener = Pick<Recorder, 'begin'> & {
  readonly limits: Config['limits']
  readonly errands: Errands
  /** The hands through which it goes because people asked are away. */
  readonly absent: (asked: Pick<Admitted, 'terms'> & Asking, ms: number) => readonly Deed[]
  readonly current: (requestId: string) => Promise<Case | null>
}

/** What the lane adds to what it asks for itself: no caller can say so. */
export type Own = {
  /** The only proofs that are enough, whatever the configuration says of what agents ask. */
  readonly proofs: readonly Proof[]
  /** How often, whatever the configuration says of what agents ask; 0 for no limit. */
  readonly limits: Pick<Config['limits'], 'open_questions_per_run' | 'requests_per_recipient_per_hour'>
  /** Rows that stand or fall with the opening, and what it is made under. */
  readonly beside: readonly Shelving[]
  readonly guards: readonly Guard[]
}

export type Opened =
  | { readonly kind: 'opened' | 'known'; readonly subject: Case }
  | { readonly kind: 'id_conflict' }
  | { readonly kind: 'limited'; readonly guard: Guard }

/** Everything known of a request before the ledger has given it a time. */
type Asked = {
  readonly submission: Submission
  readonly recipients: readonly ResolvedRecipient[]
  readonly terms: Terms
  readonly held: Held
  readonly contents: readonly Content[]
  readonly own?: Own
  readonly opened_by: string
  readonly asked_by: string
  readonly request: Request
  readonly request_id: string
  readonly request_hash: Hash
  readonly envelope_hash: Hash
}

/** Whom a request is put to. */
type Asking = { readonly request: Request; readonly recipients: readonly ResolvedRecipient[] }

/** A submission that was let in: whom it is put to, and under which terms. */
export type Admitted = {
  readonly submission: Submission
  readonly recipients: readonly ResolvedRecipient[]
  readonly terms: Terms
  /** The contents of its handles that came with it, or that its key had sent before. */
  readonly held: Held
  /** The same, as people are shown them. */
  readonly contents: readonly Content[]
  /** Set where the lane asks for itself. */
  readonly own?: Own
}
type Held = ReadonlyMap<Hash, Uint8Array>
/** The asking key: its id and its name are recorded. */
export type Asker = Pick<ApiKey, 'key_id' | 'name'>

export async function open(opener: Opener, admitted: Admitted, asker: Asker): Promise<Opened> {
  const { submission } = admitted
  const request = completeRequest(submission.request, () => `lane-${draw(ID_BYTES).toString('hex')}`)
  const asked: Asked = {
    opened_by: asker.key_id,
    asked_by: asker.name,
    ...admitted,
    request,
    request_id: idOf(request),
    request_hash: hashRequest(request),
    envelope_hash: envelopeHash(submission, NEWEST_RULES),
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
  { begin, errands, limits, absent }: Opener,
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
        const events = openingWith(asked, absent, moment)
        const opened = grown(null, stamp(ids, events), moment)
        first = errands.claimFirst(opened, moment, isCoded, asked.contents)
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

/** A request of before is compared by the envelope hash of the rules it was opened under. */
function known(subject: Case | null, { request_hash, envelope_hash, opened_by, submission }: Asked): Opened {
  if (subject === null) throw new Error('a request whose id is taken is there')
  const envelope = subject.terms === null ? envelopeHash(submission, FIRST_RULES) : envelope_hash
  const same =
    subject.request_hash === request_hash &&
    subject.envelope_hash === envelope &&
    subject.opened_by === opened_by
  return same ? { kind: 'known', subject } : { kind: 'id_conflict' }
}

function guards(
  { request, submission, recipients, opened_by, held, own }: Asked,
  limits: Config['limits'],
): Guard[] {
  const {
    open_questions_per_run,
    requests_per_recipient_per_hour: at_most,
    content_mib_per_key: quota,
  } = { ...limits, ...own?.limits }
  const { run_id } = submission.run
  const all: Guard[] = [...(own?.guards ?? [])]
  if (request.type === 'REQUEST_QUESTION' && open_questions_per_run > 0) {
    all.push({ kind: 'open_questions', opened_by, run_id, at_most: open_questions_per_run })
  }
  if (at_most > 0) {
    for (const { user_id } of recipients) all.push({ kind: 'recipient_budget', opened_by, user_id, at_most })
  }
  if (held.size > 0 && quota > 0) {
    const contents = [...held].map(([handle, { length: size }]) => ({ handle, size }))
    all.push({ kind: 'content_quota', key_id: opened_by, contents, at_most: quota * MIB })
  }
  return all
}

function opening(asked: Asked, moment: Moment): readonly Deed[] {
  const {
    submission,
    recipients,
    terms,
    opened_by,
    asked_by,
    request,
    request_hash,
    envelope_hash,
    contents,
    held,
  } = asked
  const { run, callback_url, origin } = submission
  const deadline_at = instant(moment.ms + request.deadline_seconds * 1000)
  const body: Body<'REQUEST_OPENED'> = {
    request,
    request_hash,
    run,
    recipients,
    envelope_hash,
    deadline_at,
    opened_by,
    asked_by,
    ...(origin !== undefined && { origin }),
    terms,
    ...(held.size > 0 && { contents: recorded(contents, held) }),
  }
  const first: Deed = { type: 'REQUEST_OPENED', body }
  // The story itself says that a call is owed, so that the agenda needs nothing beside it; the URL is on the shelf.
  return callback_url === undefined
    ? [first]
    : [first, { type: 'CALLBACK_REGISTERED', body: { url_hash: hashUrl(callback_url) } }]
}

/** Each once, though two parameters may be the same. Behind those that the request names stands the artifact it was
 *  made of, which nobody is shown for that. */
function recorded(contents: readonly Content[], held: Held): readonly HeldContent[] {
  const named = new Map<Hash, HeldContent>()
  for (const content of contents) {
    const { handle, size } = content
    named.set(handle, { handle, size, chars: charsOf(content) })
  }
  const others = [...held].filter(([handle]) => !named.has(handle))
  return [...named.values(), ...others.map(([handle, bytes]) => ofText(handle, bytes))]
}

const ofText = (handle: Hash, bytes: Uint8Array): HeldContent => ({
  handle,
  size: bytes.length,
  chars: countPoints(Buffer.from(bytes).toString()),
})

/** A content that was sent before is put once more: it may have been erased since it was read. */
function shelving({
  submission: { callback_url: url },
  request_id,
  held,
  own,
  opened_by: key_id,
}: Asked): Shelving[] {
  return [
    ...(held.size === 0 ? [] : [{ put: 'contents' as const, key_id, contents: held }]),
    ...(own?.beside ?? []),
    ...(url === undefined ? [] : [{ put: 'callback' as const, request_id, url }]),
  ]
}

function openingWith(asked: Asked, absent: Opener['absent'], moment: Moment): readonly Deed[] {
  const events = opening(asked, moment)
  // What the lane asks somebody about themselves nobody else can answer.
  const hands = asked.own === undefined ? absent(asked, moment.ms) : []
  return hands.length === 0 ? events : [...events, ...hands]
}
