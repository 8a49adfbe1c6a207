// The changes of one person's inbox as server-sent events: what is new, and what waits no more. Only ids of requests that are
// or were theirs go out, and nothing once their session has ended.
import type { FastifyReply } from 'fastify'
import { has, holds } from '../agenda/asked.js'
import { isOpen } from '../agenda/case.js'
import type { Entry } from '../event.js'
import { ifSound } from '../ledger/contract.js'
import { changesOf } from '../ledger/inbox.js'
import { follow } from '../waiter/follow.js'
import { type Door, wholeNumber } from './door.js'
import { begin, HEARTBEAT_MS, send } from './events.js'
import { whole } from './openapi/schema.js'
import { refuse } from './problem.js'
import { type Route, type RouteRequest, route } from './route.js'
import { sessionOf } from './session.js'

/** A tab that is closed frees a place. */
const TRY_AGAIN_S = 5

export const LIVE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/inbox/live',
    operationId: 'followInbox',
    summary: 'The changes of the inbox of the person who has signed in',
    query: { from: whole(0) },
    answers: [{ status: 200, media: 'text/event-stream', words: 'event: new or over, data: {request_id}' }],
    refuses: ['unauthenticated', 'malformed_query', 'rate_limited'],
    head: false,
    handle: followInbox,
  }),
]

async function followInbox(
  door: Door,
  request: RouteRequest<never, 'from'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await sessionOf(door, request)
  if (session?.kind !== 'person')
    return refuse(reply, 'unauthenticated', 'Sign in at /console/sign-in as somebody who is asked.')
  const last = request.headers['last-event-id']
  const { size } = await door.store.ledger.head()
  const given = typeof last === 'string' && last !== '' ? last : request.query.from
  const from = wholeNumber(given, size, 0, Number.MAX_SAFE_INTEGER)
  if (from === null) return refuse(reply, 'malformed_query', 'from and Last-Event-ID are whole numbers.')
  const leavePlace = door.streams.take(`person ${session.user_id}`)
  if (leavePlace === null)
    return refuse(
      reply.header('retry-after', TRY_AGAIN_S),
      'rate_limited',
      'As many streams are open as one may have.',
    )
  reply.hijack()
  begin(reply.raw)
  const leave = new AbortController()
  const gone = (): void => leave.abort()
  request.raw.socket.once('close', gone)
  door.closing.addEventListener('abort', gone)
  try {
    for await (const entry of follow(door.store.ledger, from, HEARTBEAT_MS, leave.signal)) {
      const told = entry === null ? 'event: beat\ndata:\n\n' : await toldOf(door, session.user_id, entry)
      if (told === null) continue
      // A session that has ended hears nothing more, not even on a stream it had opened before.
      const now = await sessionOf(door, request)
      if (now?.kind !== 'person' || now.user_id !== session.user_id) break
      await send(reply.raw, told)
    }
  } finally {
    leavePlace()
    door.closing.removeEventListener('abort', gone)
    reply.raw.end()
  }
  return reply
}

/** The next place stands in `id`: a browser that comes back asks from there. A case whose seals are broken is passed over:
 *  it ends nobody's stream. */
async function toldOf({ lane }: Door, userId: string, entry: Entry): Promise<string | null> {
  const { request_id, seq } = entry
  if (request_id === undefined || !mayMove(entry, userId)) return null
  const subject = await ifSound(lane.current(request_id))
  if (subject === null || !has(subject.asked, userId)) return null
  const waits = isOpen(subject) && holds(subject.asked, userId)
  return `id: ${seq + 1}\nevent: ${waits ? 'new' : 'over'}\ndata: ${JSON.stringify({ request_id })}\n\n`
}

/** Whether something waits for them since this entry, or waits no more. Only the end of a request does not say whose it was. */
function mayMove(entry: Entry, userId: string): boolean {
  const changes = changesOf(entry)
  if (changes === null || changes.kind === 'settled') return changes !== null
  return changes.kind === 'opened'
    ? changes.people.includes(userId)
    : changes.people.some(({ user_id }) => user_id === userId)
}
