// The person's door: the page behind a reply handle. GET and HEAD only ever draw it; a POST is judged like a reply from
// any other channel, and "recorded" is said after the commit.
import { isUtf8 } from 'node:buffer'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Inbound } from '../adapter/contract.js'
import type { Form, Page, PageState } from '../adapter/page.js'
import { type Case, isOpen } from '../agenda/case.js'
import { isWornOut } from '../agenda/delivery.js'
import { endingOf, spoken } from '../agenda/ending.js'
import { instant } from '../clock.js'
import type { Grant } from '../ledger/contract.js'
import type { Received } from '../reply/receive.js'
import { type Display, display, isToldByContent } from '../request/display.js'
import { isFixedHandle } from '../request/handle.js'
import { provesPossession } from '../request/way.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'
import { readBlob } from './blobs.js'
import { showAnswered } from './case.js'
import type { DoorParts } from './door.js'
import { foreignOrigin } from './origin.js'
import { CODES, type Code, problem } from './problem.js'

/** All that a form can hold, and room for a reply that is too long to be told so. */
const FORM_BYTES = 16 * 1024

type WithHandle = { Params: { handle: string } }
type OpenPage = Extract<PageState, { kind: 'open' }>
type Held = { readonly handle: string; readonly grant: Grant }

export function replyRoutes(app: FastifyInstance, parts: DoorParts): void {
  const { lane, page, guesses, store } = parts

  app.get<WithHandle>('/r/:handle', async (request, reply) => {
    const found = await find(request, request.params.handle)
    if (found === null) return turnAway(request, reply)
    const { subject, grant, handle } = found
    if (!isOpen(subject)) return send(reply, page.page(closed(subject), 200))
    if (isDead(subject, grant)) return show(request, reply, 'rate_limited', DEAD)
    const elsewhere = grant.code_hash === '' ? grant.channel : null
    return send(reply, page.page({ ...(await open(subject, handle, null)), elsewhere }, 200))
  })

  const typed = { bodyLimit: FORM_BYTES, errorHandler: tooLarge }
  app.post<WithHandle>('/r/:handle', typed, async (request, reply) => {
    const form = page.readForm(request.body as Uint8Array, request.headers['content-type'])
    const drawn = drawnHandle(request.params.handle, form)
    // Only a page that this lane has drawn has the stamp of its handle: then nobody is guessing.
    const held = drawn === null ? await hold(request, request.params.handle) : null
    const handle = drawn ?? held?.handle
    if (handle === undefined) return turnAway(request, reply)
    if (foreignOrigin(request.headers, parts.publicUrl()))
      return show(request, reply, 'foreign_origin', FOREIGN)
    if (form.kind === 'malformed') {
      const code = form.code === 'unsupported_media_type' ? form.code : 'malformed_form'
      return show(
        request,
        reply,
        code,
        `The form was not as the page sends it (${form.code}). Open the link again.`,
      )
    }
    if (held !== null && (await mayDecide(held.grant))) return show(request, reply, 'csrf_mismatch', STALE)
    const inbound: Inbound = {
      channel: 'web',
      proof: parts.printsLinks ? 'console' : 'link_code',
      authenticated: true,
      binding: { kind: 'handle', handle },
      text: form.reply,
      code: form.code,
      automated: false,
    }
    return answered(request, reply, await lane.answer(inbound), handle, form.reply)
  })

  app.get<{ Params: { handle: string; hash: string } }>('/r/:handle/blobs/:hash', async (request, reply) => {
    const found = await find(request, request.params.handle)
    if (found === null) return turnAway(request, reply)
    const { hash } = request.params
    const { subject, grant } = found
    if (!isOpen(subject)) return send(reply, page.page(closed(subject), 200))
    if (isDead(subject, grant)) return show(request, reply, 'rate_limited', DEAD)
    const shown = displayOf(subject)
    const known = shown.handles.some(({ handle }) => handle === hash)
    const bytes = known && isFixedHandle(hash) ? await readBlob(store.shelf, hash, subject.opened_by) : null
    if (bytes === null) return show(request, reply, 'not_found', 'The lane does not hold that content.')
    return send(reply, page.blobPage(hash, bytes, shown.asked_by))
  })

  /** A page that is closed, or is for reading, draws no stamp, and nothing sent from it can decide: it is told how things
   *  stand. */
  async function mayDecide(grant: Grant): Promise<boolean> {
    if (grant.code_hash === '') return false
    const subject = await lane.current(grant.request_id)
    return subject !== null && isOpen(subject) && !isDead(subject, grant)
  }

  async function find(request: FastifyRequest, text: string): Promise<(Held & { subject: Case }) | null> {
    const held = await hold(request, text)
    const subject = held && (await lane.current(held.grant.request_id))
    return held && subject && { ...held, subject }
  }

  function drawnHandle(text: string, form: Form): string | null {
    const handle = readHandle(text)
    if (handle === null || form.kind === 'malformed') return null
    return parts.csrf.verify(hashHandle(handle), form.csrf) ? handle : null
  }

  async function hold(request: FastifyRequest, text: string): Promise<Held | null> {
    const handle = readHandle(text)
    const grant = handle === null ? null : await store.shelf.grant(hashHandle(handle))
    // A handle that stands for a copy in replies to it opens nothing: it is as if it were unknown.
    if (handle === null || grant === null || grant.use === 'reply') {
      guesses.failed(request.ip)
      parts.metrics.strangers.inc({ why: 'unknown_handle' })
      return null
    }
    return { handle, grant }
  }

  /** Someone without a handle: told nothing, and after too many guesses told to stop. A right one is always let in. */
  function turnAway(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const wait = guesses.blockedFor(request.ip)
    if (wait === 0) return show(request, reply, 'not_found', UNKNOWN)
    reply.header('retry-after', wait)
    return show(request, reply, 'rate_limited', `Too many tries; try again in ${wait} s.`)
  }

  const displayOf = (subject: Case) => display(subject, parts.keys.nameOf(subject.opened_by))

  async function open(subject: Case, handle: string, refused: OpenPage['refused']): Promise<OpenPage> {
    const shown = displayOf(subject)
    const told = isToldByContent(shown)
    const held = await heldOf(shown, subject.opened_by)
    const isShown = !told || shown.handles.every(one => isUtf8(held.get(one.handle) ?? NOT_UTF8))
    return {
      kind: 'open',
      handle,
      display: shown,
      elsewhere: null,
      // Only a form that was drawn has a stamp, so what is not shown is not answered here.
      csrf: isShown ? parts.csrf.stamp(hashHandle(handle)) : null,
      refused,
      openable: [...held.keys()],
      contents: told ? held : new Map(),
      now: instant(parts.now()),
    }
  }

  /** Of the handles, what the asking key has put into the store, hashed again. */
  async function heldOf({ handles }: Display, askedBy: string): Promise<Map<string, Uint8Array>> {
    const held = new Map<string, Uint8Array>()
    for (const { handle } of handles) {
      const bytes = isFixedHandle(handle) ? await readBlob(store.shelf, handle, askedBy) : null
      if (bytes !== null) held.set(handle, bytes)
    }
    return held
  }

  async function answered(
    request: FastifyRequest,
    reply: FastifyReply,
    received: Received,
    handle: string,
    typed: string,
  ): Promise<FastifyReply> {
    if (received.kind === 'unknown') return turnAway(request, reply)
    const { subject } = received
    if (received.kind === 'accepted') {
      if (wantsJson(request)) return reply.send(showAnswered(subject))
      const at = subject.resolved_at ?? ''
      const answer = subject.answer === null ? '' : spoken(subject.answer)
      return send(reply, page.page({ kind: 'recorded', answer, at }, 200))
    }
    const { code, detail } = explain(received)
    if (wantsJson(request)) return asJson(reply, code, detail)
    const [status] = CODES[code]
    if (!isOpen(subject)) return send(reply, page.page(closed(subject), status))
    if (status !== 422 && code !== 'code_mismatch') return show(request, reply, code, detail)
    const refused = {
      message: received.refusal === null ? detail : 'Your answer was not understood.',
      read: received.refusal?.read ?? '',
      accepted: received.refusal?.accepted ?? '',
      typed,
    }
    return send(reply, page.page(await open(subject, handle, refused), status))
  }

  /** What a person typed is told to a person; any other surprise is the door's. */
  function tooLarge(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    show(
      request,
      reply,
      'too_large',
      'That is longer than any answer. Open the link again and answer in fewer words.',
    )
  }

  function show(request: FastifyRequest, reply: FastifyReply, code: Code, detail: string): FastifyReply {
    if (wantsJson(request)) return asJson(reply, code, detail)
    const [status, title] = CODES[code]
    const state: PageState =
      code === 'not_found' ? { kind: 'unknown' } : { kind: 'stopped', title, message: detail }
    return send(reply, page.page(state, status))
  }
}

/** In place of what is not held. */
const NOT_UTF8 = Uint8Array.of(0xff)

const DEAD =
  'Too many tries were made with this link, so it no longer works. While the request is open a fresh one is sent, at most three times.'
const UNKNOWN = 'This link is not known here. Check that it was copied whole.'
const FOREIGN = 'The answer must be sent from the page the link opens.'
const NOT_ENOUGH = 'An answer by this link is not enough for this request. Answer where you were asked.'
const STALE = 'Open the link again and answer from the page it shows.'

/** Says only that it is closed, and what holds: not the question, not who answered what. */
const closed = (subject: Case): PageState => ({
  kind: 'closed',
  ending: endingOf(subject),
})

/** The page takes no answer any more, or the copy itself takes none: neither has anything left to show. */
function isDead({ deliveries }: Case, { delivery_id }: Grant): boolean {
  const delivery = deliveries.find(one => one.delivery_id === delivery_id)
  return delivery !== undefined && (delivery.exhausted.some(provesPossession) || isWornOut(delivery))
}

function explain(received: Extract<Received, { kind: 'rejected' }>): {
  readonly code: Code
  readonly detail: string
} {
  const { reason, refusal, subject } = received
  switch (reason) {
    case 'reply_too_long':
    case 'reply_bad_charset':
    case 'reply_not_in_schema':
      return { code: reason, detail: `Read ${refusal?.read ?? 'nothing'}. ${refusal?.accepted ?? ''}` }
    case 'code_mismatch':
      return { code: reason, detail: 'The code is not the one that came with this link.' }
    case 'rate_limited':
      return { code: reason, detail: DEAD }
    case 'proof_insufficient':
      return { code: 'reply_rejected', detail: NOT_ENOUGH }
    case 'already_resolved':
    case 'deadline_passed':
      return tooLate(subject)
    default:
      return { code: 'reply_rejected', detail: `The answer was not taken (${reason}).` }
  }
}

/** A late replier is told what was applied and when. */
function tooLate(subject: Case): { readonly code: Code; readonly detail: string } {
  const { state, resolved_at, deadline_at } = subject
  if (state === 'answered' || state === 'withdrawn') {
    return { code: 'already_resolved', detail: `The request was ${state} at ${resolved_at}.` }
  }
  const since = resolved_at ?? deadline_at
  return { code: 'deadline_passed', detail: `${subject.request.default_action} holds since ${since}.` }
}

const wantsJson = (request: FastifyRequest): boolean =>
  /^application\/(problem\+)?json\b/.test(request.headers.accept ?? '')

const asJson = (reply: FastifyReply, code: Code, detail: string): FastifyReply =>
  reply
    .code(CODES[code][0])
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem(code, detail)))

const send = (reply: FastifyReply, { status, headers, body }: Page): FastifyReply =>
  reply.code(status).headers(headers).send(body)
