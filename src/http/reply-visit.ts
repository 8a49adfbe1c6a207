// A visitor who comes by a link: finds the delivery it leads to, and answers with a page, or with a problem if they
// ask for JSON.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Page, PageState } from '../adapter/page.js'
import type { Case } from '../agenda/case.js'
import type { Grant } from '../ledger/shelf.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'
import type { DoorParts } from './door.js'
import { CODES, type Code, problem } from './problem.js'
import { blocked, UNKNOWN } from './reply-words.js'

export type Visit = {
  readonly parts: DoorParts
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** A handle that opens a page, and its grant. */
export type Held = { readonly handle: string; readonly grant: Grant }
export type Found = Held & { readonly subject: Case }

export async function hold({ parts, request }: Visit, text: string): Promise<Held | null> {
  const handle = readHandle(text)
  const grant = handle === null ? null : await parts.store.shelf.grant(hashHandle(handle))
  // A handle that only binds replies to a copy opens no page: it is treated as unknown.
  if (handle === null || grant === null || grant.use === 'reply') {
    parts.guesses.failed(request.ip)
    parts.metrics.strangers.inc({ why: 'unknown_handle' })
    return null
  }
  return { handle, grant }
}

export async function find(visit: Visit, text: string): Promise<Found | null> {
  const held = await hold(visit, text)
  const subject = held && (await visit.parts.lane.current(held.grant.request_id))
  return held && subject && { ...held, subject }
}

/** A visitor without a right handle learns nothing, and after many guesses is stopped. A right one opens always. */
export function turnAway(visit: Visit): FastifyReply {
  const wait = visit.parts.guesses.blockedFor(visit.request.ip)
  if (wait === 0) return stop(visit, 'not_found', UNKNOWN)
  visit.reply.header('retry-after', wait)
  return stop(visit, 'rate_limited', blocked(wait))
}

export function stop(visit: Visit, code: Code, detail: string): FastifyReply {
  if (wantsJson(visit)) return sendProblem(visit, code, detail)
  const [status, title] = CODES[code]
  const state: PageState =
    code === 'not_found' ? { kind: 'unknown' } : { kind: 'stopped', title, message: detail }
  return draw(visit, state, status)
}

export const draw = (visit: Visit, state: PageState, status = 200): FastifyReply =>
  sendPage(visit, visit.parts.page.page(state, status))

export const sendPage = ({ reply }: Visit, { status, headers, body }: Page): FastifyReply =>
  reply.code(status).headers(headers).send(body)

export const sendProblem = ({ reply }: Visit, code: Code, detail: string): FastifyReply =>
  reply
    .code(CODES[code][0])
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem(code, detail)))

export const wantsJson = ({ request }: Visit): boolean =>
  /^application\/(problem\+)?json\b/.test(request.headers.accept ?? '')
