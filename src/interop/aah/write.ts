// The responses to an artifact, from the entries of its request and the artifact as it was kept. One for each reply that
// counted, one where it ended without an answer; each holds every answer so far and follows the one before.
//
// AZ1  The same entries, words and names make the same bytes. A response's id is a hash of what it says: where anything
//      is corrected (a name, words that were erased) another artifact comes of it, and none is ever changed.
// AZ2  Every answer is a compiled one. Words of people stand in `comment` and in the value of a text, nowhere else.
// AZ3  A response names the entry it rests on, and the request by the hash that people were shown.

import { type Case, fold } from '../../agenda/case.js'
import { canonical, type Hash, sha256 } from '../../canonical.js'
import type { FormSchema } from '../../compiler/reply-schema.js'
import { type Entry, LANE } from '../../event.js'
import { type CountedDecision, tallyForm } from '../../tally/form.js'
import { toldDecision, type Words } from '../../tally/told.js'
import { type Fields, isFields } from '../fields.js'
import { overallOf, released, summaryOf } from './overall.js'
import type { Artifact } from './read.js'
import { ENDED } from './status.js'
import { BODY_OF, type Profile, RESPONSE, SECTION_TYPE, type Status, type Version } from './words.js'

/** A person as the operator names them today. */
type Named = { readonly name: string; readonly role?: string }

type Told = {
  readonly story: readonly Entry[]
  readonly artifact: Artifact
  /** The words of comments, while they are not erased. */
  readonly words: Words
  readonly people: Readonly<Record<string, Named>>
  readonly profile: Profile
}

type Response = {
  readonly id: string
  /** When the entry it rests on was written, in milliseconds since 1970. */
  readonly at: number
  /** Without its signature. */
  readonly artifact: Fields
}

const HUMAN = 'human:'
const ID_PREFIX = 'aah_decision_resp_'
const ID_HEX = 32
const SECTION_ID = 'decision-response'
const MAX_HEADING_CHARS = 200

export function responsesTo(told: Told): readonly Response[] {
  const subject = fold(told.story)
  const form = subject?.request.reply_schema
  if (subject === null || form?.kind !== 'form') throw new Error('an artifact has opened a form')
  const responses: Response[] = []
  for (const turn of turnsOf(told.story, subject, form))
    responses.push(responseOf(told, subject, form, turn, responses.at(-1)?.id ?? null))
  return responses
}

/** A moment at which a response is due. */
type Turn = {
  readonly entry: Entry
  /** Null at the end of a request that people have not answered. */
  readonly by: string | null
  readonly decisions: readonly CountedDecision[]
  readonly status: Status
}

function turnsOf(story: readonly Entry[], subject: Case, form: FormSchema): readonly Turn[] {
  const { replies, answer } = subject
  const entryAt = (seq: number | undefined): Entry => {
    const entry = story.find(one => one.seq === seq)
    if (entry === undefined) throw new Error(`the story has no entry ${seq}`)
    return entry
  }
  const turns = replies.map(({ seq, reply }, index): Turn => {
    const isDeciding = answer !== null && index === replies.length - 1
    return {
      entry: entryAt(seq),
      by: reply.sender_identity.user_id,
      decisions: isDeciding ? decisionsOf(answer) : tallyForm(form, replies.slice(0, index + 1)).decisions,
      status: isDeciding ? ENDED.answered : 'partial',
    }
  })
  const end = story.find(entry => entry.type === 'REQUEST_RESOLVED')
  if (end?.type !== 'REQUEST_RESOLVED' || answer !== null) return turns
  const { decisions } = tallyForm(form, replies)
  const entry = entryAt(end.body.causes.at(-1))
  return [...turns, { entry, by: null, decisions, status: ENDED[end.body.outcome] }]
}

/** The answer of a form, with what optional decisions take by default. */
function decisionsOf({ parsed_payload: payload }: NonNullable<Case['answer']>): readonly CountedDecision[] {
  return payload !== null && 'decisions' in payload ? payload.decisions : []
}

function responseOf(
  { artifact: asked, words, people, profile }: Told,
  { request_id, request_hash }: Case,
  form: FormSchema,
  { entry, by, decisions, status }: Turn,
  before: string | null,
): Response {
  const { title } = asked.envelope.artifact
  const heading = title === undefined ? 'Response' : `Response: ${title}`
  const data = {
    request_id: asked.id,
    responses: decisions.map(one => answerOf(one, words)),
    overall_status: overallOf(form, decisions),
    summary: summaryOf(form, decisions),
  }
  const free = released(form, decisions, status === ENDED.answered)
  const defaulted = decisions.filter(one => one.answered_by === null).map(one => one.decision_id)
  const said = {
    source: sourceOf(by, people),
    ...bodyOf(asked.version, data, { heading, by: agentOf(by), at: entry.at }),
    handoff: {
      parent_artifact_ids: [asked.id, ...(before === null ? [] : [before])],
      target_agent: asked.agent_id,
    },
  }
  const own = {
    request_id,
    request_hash,
    request_status: status,
    rests_on: { seq: entry.seq, hash: entry.hash },
    ...(form.blocking !== undefined && {
      released: free,
      held: free.length > 0 ? [] : form.blocking,
    }),
    ...(defaulted.length > 0 && { by_default: defaulted }),
  }
  const head = { type: RESPONSE, title: heading, created_at: entry.at }
  const id = `${ID_PREFIX}${sha256(canonical({ head, said, own })).slice(7, 7 + ID_HEX)}`
  const artifact = {
    aah_version: asked.version,
    artifact: { id, ...head },
    ...said,
    ...stateOf(asked.version, own, profile),
  }
  return { id, at: Date.parse(entry.at), artifact }
}

const agentOf = (by: string | null): string => (by === null ? LANE : `${HUMAN}${by}`)

function sourceOf(by: string | null, people: Told['people']) {
  const person = by !== null && Object.hasOwn(people, by) ? people[by] : undefined
  return {
    agent_id: agentOf(by),
    ...(person !== undefined && { agent_name: person.name }),
    ...(person?.role !== undefined && { agent_role: person.role }),
  }
}

function answerOf(decision: CountedDecision, words: Words) {
  const told = toldDecision(decision, words)
  const comment = 'comment' in told && told.comment !== null && { comment: told.comment }
  const decided_at = 'at' in told && { decided_at: told.at }
  const said =
    'approved' in told
      ? { approved: told.approved }
      : 'selected' in told
        ? { selected: told.selected }
        : { value: told.value }
  return { decision_id: told.decision_id, ...said, ...comment, ...decided_at }
}

type Heading = { readonly heading: string; readonly by: string; readonly at: string }

/** In the version that was received. */
function bodyOf(version: Version, data: Fields, { heading, by, at }: Heading): Fields {
  const { media: media_type, schema } = BODY_OF[RESPONSE]
  const body = { schema, data }
  if (version === '0.1') return { content: { media_type, body } }
  const section = {
    id: SECTION_ID,
    heading: [...heading].slice(0, MAX_HEADING_CHARS).join(''),
    type: SECTION_TYPE,
    media_type,
    body,
    agent_id: by,
    position: 0,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  return { sections: [section] }
}

const FINAL = 'final'
/** The published schemas of the envelope know these words alone for a response that stands. */
const STRICT: Readonly<Record<Version, string>> = { '0.1': 'approved', '0.5': FINAL }

/** A response stands as it is; only the request it answers may go on. */
const stateOf = (version: Version, own: Fields, profile: Profile): Fields =>
  profile === 'decisions'
    ? { lifecycle: { status: FINAL }, extensions: { interrupt_lane: own } }
    : {
        lifecycle: { status: STRICT[version] },
        extensions: { aah_hitl: { status: FINAL }, interrupt_lane: own },
      }

/** The text that a response's signature is over: its JCS without the signature. */
export const signedText = ({ artifact }: Pick<Response, 'artifact'>): string => canonical(artifact)

type Extended = { readonly extensions: { readonly interrupt_lane: Fields } }

export function withSignature({ artifact }: Response, signature: string): Fields {
  const { extensions } = artifact as Fields & Extended
  const interrupt_lane = { ...extensions.interrupt_lane, signature }
  return { ...artifact, extensions: { ...extensions, interrupt_lane } }
}

/** A signed response taken apart: which request it is about, what was signed, and by which signature. */
type Apart = { readonly request_id: unknown; readonly text: string; readonly signature: string }

/** Null for what has no signature of a lane's. */
export function takenApart(response: Fields): Apart | null {
  const { extensions } = response
  if (!isFields(extensions) || !isFields(extensions.interrupt_lane)) return null
  const { signature, ...own } = extensions.interrupt_lane
  if (typeof signature !== 'string') return null
  const artifact = { ...response, extensions: { ...extensions, interrupt_lane: own } }
  return { request_id: own.request_id, text: signedText({ artifact }), signature }
}

/** A response as a callback sends it where it is too long to be sent. */
export const named = (response: Fields & { readonly artifact?: unknown }): { id: unknown; hash: Hash } => ({
  id: (response.artifact as Fields).id,
  hash: sha256(canonical(response)),
})
