// The person's door: the page behind a reply handle. GET and HEAD only ever draw it; a POST is taken at the web channel's
// desk, as a reply is on any other channel, and "recorded" is said after the commit.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Inbound, RefusedReply, Verdict } from '../adapter/contract.js'
import type { Form } from '../adapter/page.js'
import { holds } from '../agenda/asked.js'
import { isOpen } from '../agenda/case.js'
import { readContents } from '../delivery/contents.js'
import { invitedIn } from '../enrolment/enrolment.js'
import type { Grant } from '../ledger/shelf.js'
import { issueInvitation } from '../session/passkey-link.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'
import { leadTo } from './console-visit.js'
import type { DoorParts } from './door.js'
import { foreignOrigin } from './origin.js'
import { CODES } from './problem.js'
import { closedState, displayOf, hasVoted, isDead, openState, votedState } from './reply-state.js'
import {
  draw,
  type Found,
  find,
  hold,
  sendPage,
  sendProblem,
  stop,
  turnAway,
  type Visit,
  wantsJson,
} from './reply-visit.js'
import {
  DEAD,
  explain,
  FOREIGN,
  HANDED,
  malformed,
  NOT_HELD,
  STALE,
  TOO_LONG,
  unread,
} from './reply-words.js'
import { HTML, JSON_MEDIA, ok, type Route, route } from './route.js'
import { sessionOf } from './session.js'

/** All that a form can hold, with room to tell the sender of a longer reply that it is too long. */
const FORM_BYTES = 128 * 1024

/** Refusals that every route of the page may give. */
const TURNED_AWAY = ['rate_limited', 'seal_broken'] as const

export const REPLY_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/r/{handle}',
    operationId: 'drawReplyPage',
    summary: 'The reply page; drawing it decides nothing',
    answers: [
      { status: 200, media: HTML, words: 'the page' },
      { status: 303, media: HTML, words: 'to the console, where the person it was sent to has signed in' },
    ],
    refuses: [...TURNED_AWAY, 'delegated_away'],
    handle: (parts, request, reply) => look({ parts, request, reply }, request.params.handle),
  }),
  route({
    method: 'post',
    path: '/r/{handle}',
    operationId: 'answerOnPage',
    summary: 'Answer from the reply page',
    takes: {
      media: ['application/x-www-form-urlencoded', JSON_MEDIA],
      body: 'ReplyForm',
      isBytes: true,
      atMost: FORM_BYTES,
    },
    answers: [
      { status: 200, media: HTML, words: 'recorded, as a page' },
      {
        status: 303,
        media: HTML,
        words: 'recorded: to where a passkey is made, after an invitation to make one',
      },
      ok('Answered', 'recorded, where JSON is asked for'),
    ],
    refuses: [
      ...TURNED_AWAY,
      'malformed_form',
      'foreign_origin',
      'csrf_mismatch',
      'code_mismatch',
      'delegated_away',
      'already_voted',
      'decision_answered',
      'reason_missing',
      'reply_rejected',
      'already_resolved',
      'deadline_passed',
      'reply_too_long',
      'reply_bad_charset',
      'reply_not_in_schema',
    ],
    onError: tooLarge,
    handle: (parts, request, reply) => post({ parts, request, reply }, request.params.handle),
  }),
  route({
    method: 'get',
    path: '/r/{handle}/blobs/{hash}',
    operationId: 'drawContent',
    summary: 'Stored content of this request, as escaped text',
    answers: [{ status: 200, media: HTML, words: 'a page' }],
    refuses: [...TURNED_AWAY, 'delegated_away'],
    handle: (parts, request, reply) =>
      open({ parts, request, reply }, request.params.handle, request.params.hash),
  }),
]

async function look(visit: Visit, text: string): Promise<FastifyReply> {
  const found = await find(visit, text)
  if (found === null) return turnAway(visit)
  const closed = shut(visit, found)
  if (closed !== null) return closed
  const { subject, grant } = found
  const session = await sessionOf(visit.parts, visit.request)
  // Whoever is signed in as the person it was sent to needs no code; for everybody else the link is what it was.
  if (session?.kind === 'person' && session.user_id === grant.user_id)
    return leadTo(visit, `/console/requests/${subject.request_id}`)
  return draw(
    visit,
    hasVoted(subject, grant.user_id)
      ? votedState(subject)
      : await openState(visit.parts, subject, found, null),
  )
}

/** A page that shows nothing of the request any more; null where it is still this person's to see. */
function shut(visit: Visit, { subject, grant }: Found): FastifyReply | null {
  if (!isOpen(subject)) return draw(visit, closedState(subject))
  if (!holds(subject.asked, grant.user_id)) return stop(visit, 'delegated_away', HANDED)
  return isDead(subject, grant) ? stop(visit, 'rate_limited', DEAD) : null
}

/** Stored content that the request names. */
async function open(visit: Visit, text: string, hash: string): Promise<FastifyReply> {
  const { parts } = visit
  const found = await find(visit, text)
  if (found === null) return turnAway(visit)
  const closed = shut(visit, found)
  if (closed !== null) return closed
  const { subject } = found
  const contents = await readContents(parts.store.shelf, subject)
  const content = contents.find(({ handle }) => handle === hash)
  if (content === undefined) return stop(visit, 'not_found', NOT_HELD)
  return sendPage(visit, parts.page.contentPage(content, displayOf(parts, subject).asked_by))
}

async function post(visit: Visit, text: string): Promise<FastifyReply> {
  const { parts, request } = visit
  const form = parts.page.readForm(request.body as Uint8Array, request.headers['content-type'])
  const drawn = drawnHandle(parts, text, form)
  // Only a page that this lane has drawn has the stamp of its handle: then nobody is guessing.
  const held = drawn === null ? await hold(visit, text) : null
  const handle = drawn ?? held?.handle
  if (handle === undefined) return turnAway(visit)
  if (foreignOrigin(request.headers, parts.publicUrl())) return stop(visit, 'foreign_origin', FOREIGN)
  if (form.kind === 'malformed') {
    const code = form.code === 'unsupported_media_type' ? form.code : 'malformed_form'
    return stop(visit, code, malformed(form.code))
  }
  if (form.display !== undefined) return stop(visit, 'malformed_form', malformed('unknown_field'))
  if (held !== null && (await mayDecide(parts, held.grant))) return stop(visit, 'csrf_mismatch', STALE)
  if (form.all !== null) return chooseAll(visit, handle, form)
  const verdict = await parts.desk('web').take(inboundOf(parts, handle, form))
  return answer(visit, verdict, handle, form)
}

/** Draws the page again with every approval chosen alike: nothing is sent, and nothing recorded. */
async function chooseAll(visit: Visit, text: string, form: Filled): Promise<FastifyReply> {
  const found = await find(visit, text)
  if (found === null) return turnAway(visit)
  return shut(visit, found) ?? draw(visit, await openState(visit.parts, found.subject, found, null, form))
}

type Filled = Extract<Form, { kind: 'form' }>

function drawnHandle({ csrf }: DoorParts, text: string, form: Form): string | null {
  const handle = readHandle(text)
  if (handle === null || form.kind === 'malformed') return null
  return csrf.verify(hashHandle(handle), form.csrf) ? handle : null
}

/** A closed page, or one for reading, draws no stamp, and a form from it cannot decide: its sender is told so. */
async function mayDecide({ lane }: DoorParts, grant: Grant): Promise<boolean> {
  if (grant.code_hash === '') return false
  const subject = await lane.current(grant.request_id)
  return subject !== null && isOpen(subject) && !isDead(subject, grant)
}

const inboundOf = (
  { printsLinks }: DoorParts,
  handle: string,
  { reply, fields, code, hands }: Filled,
): Inbound => ({
  channel: 'web',
  proof: printsLinks ? 'console' : 'link_code',
  authenticated: true,
  binding: { kind: 'handle', handle },
  text: reply,
  ...(Object.keys(fields).length > 0 && { fields }),
  ...(hands && { hands }),
  code,
  automated: false,
})

async function answer(visit: Visit, verdict: Verdict, handle: string, typed: Filled): Promise<FastifyReply> {
  switch (verdict.kind) {
    case 'unknown':
      // For a desk a request with a broken seal is not there; this door has a status for it, which `find` throws.
      await find(visit, handle)
      return turnAway(visit)
    case 'recorded':
      return wantsJson(visit)
        ? visit.reply.send(verdict.shown)
        : ((await leadInvited(visit, verdict.shown.request_id)) ?? draw(visit, verdict))
    case 'refused':
      return refuse(visit, verdict, handle, typed)
  }
}

/** Whoever has taken an invitation of the lane's goes on to where a passkey is made; null for every other request. */
async function leadInvited(visit: Visit, requestId: string): Promise<FastifyReply | null> {
  const { lane, csrf } = visit.parts
  const subject = await lane.current(requestId)
  const invited = subject && invitedIn(subject)
  if (invited === null) return null
  const link = issueInvitation(csrf, { by: 'person', user_id: invited.user_id }, invited.until_ms)
  return leadTo(visit, `/console/passkeys/new?link=${link}`)
}

/** If the words or the code were the trouble, the form is shown again with the reply as typed. */
async function refuse(
  visit: Visit,
  refused: RefusedReply,
  handle: string,
  typed: Filled,
): Promise<FastifyReply> {
  const { code, detail } = explain(refused)
  if (wantsJson(visit)) return sendProblem(visit, code, detail)
  const [status] = CODES[code]
  if (refused.ending !== null) return draw(visit, { kind: 'closed', ending: refused.ending }, status)
  // A form is long: what else was filled in is kept where somebody else has answered one of its decisions meanwhile.
  const mayTryAgain = status === 422 || code === 'code_mismatch' || code === 'decision_answered'
  const found = mayTryAgain ? await find(visit, handle) : null
  if (found === null) return stop(visit, code, detail)
  const { subject } = found
  if (!isOpen(subject)) return draw(visit, closedState(subject), status)
  const { read, accepted, lines } = refused
  const why = {
    message: read === null ? detail : unread(refused.reason),
    read: read ?? '',
    accepted: accepted ?? '',
    ...(lines !== undefined && { lines }),
  }
  return draw(visit, await openState(visit.parts, subject, found, why, typed), status)
}

/** A person who typed too much is told so on a page; any other surprise is the door's. */
function tooLarge(parts: DoorParts, error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
  stop({ parts, request, reply }, 'too_large', TOO_LONG)
}
