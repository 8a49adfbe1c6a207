// The ledger as server-sent events. `id` is the seq, so that a client that comes back says where it was; on a filtered
// stream an empty event carries the newest seq every fifteen seconds, so that its place advances too.
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Entry, EVENT_TYPES } from '../event.js'
import { follow } from '../waiter/follow.js'
import { callerOf, type Door, type DoorParts, has, wholeNumber } from './door.js'
import { text, whole } from './openapi/schema.js'
import { refuse } from './problem.js'
import { type Route, type RouteRequest, route } from './route.js'

export const HEARTBEAT_MS = 15_000

/** A reader that ends frees a place, so it is worth looking again so soon. */
const TRY_AGAIN_S = 5

export const EVENT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/events',
    operationId: 'followEvents',
    summary: 'The ledger as server-sent events',
    scopes: ['request', 'audit', 'direct'],
    query: { run_id: text, request_id: text, type: text, from: whole(0) },
    answers: [{ status: 200, media: 'text/event-stream', words: 'id: seq, event: type, data: the entry' }],
    // A stream has no end that a HEAD could wait for.
    head: false,
    handle: followEvents,
  }),
]

type Following = RouteRequest<never, 'run_id' | 'request_id' | 'type' | 'from'>

async function followEvents(door: Door, request: Following, reply: FastifyReply): Promise<FastifyReply> {
  const wanted = wantedBy(request)
  const from = await startOf(request, door)
  if (from === null || wanted === null) return refuse(reply, 'malformed_query', FILTER_WORDS)
  const leavePlace = door.streams.take(callerOf(request).key_id)
  if (leavePlace === null) {
    const detail = 'This key follows as many streams as it may (limits.streams_per_key); end one first.'
    return refuse(reply.header('retry-after', TRY_AGAIN_S), 'rate_limited', detail)
  }
  reply.hijack()
  begin(reply.raw)
  const leave = new AbortController()
  const gone = (): void => leave.abort()
  request.raw.socket.once('close', gone)
  door.closing.addEventListener('abort', gone)
  try {
    await stream(request, door, from, wanted, leave.signal, words => send(reply.raw, words))
  } finally {
    leavePlace()
    door.closing.removeEventListener('abort', gone)
    // Also if the ledger cannot be read: a reader left on an open stream would not know to come back.
    reply.raw.end()
  }
  return reply
}

const FILTER_WORDS =
  'Accepted are run_id, request_id, type (a list of entry types such as REQUEST_RESOLVED) and from; from and Last-Event-ID are whole numbers.'

/** A test for the entries the query asks for; null if it names a type that does not exist. */
function wantedBy({ query: { type, run_id, request_id } }: Following): ((entry: Entry) => boolean) | null {
  const types = type?.split(',')
  if (types?.some(one => !(EVENT_TYPES as string[]).includes(one))) return null
  return entry =>
    (types === undefined || types.includes(entry.type)) &&
    (run_id === undefined || entry.run_id === run_id) &&
    (request_id === undefined || entry.request_id === request_id)
}

export function begin(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    // A connection kept for a next request would hold up the stop of the lane.
    connection: 'close',
  })
  response.flushHeaders()
}

/** The first seq to send: after Last-Event-ID; else from `from`; else from now. */
async function startOf(request: Following, parts: DoorParts): Promise<number | null> {
  const last = request.headers['last-event-id']
  if (typeof last === 'string' && last !== '') {
    const seq = wholeNumber(last, 0, 0, Number.MAX_SAFE_INTEGER)
    return seq === null ? null : seq + 1
  }
  const { size } = await parts.store.ledger.head()
  return wholeNumber(request.query.from, size, 0, Number.MAX_SAFE_INTEGER)
}

async function stream(
  request: Following,
  parts: DoorParts,
  from: number,
  wanted: (entry: Entry) => boolean,
  gone: AbortSignal,
  send: (text: string) => Promise<void>,
): Promise<void> {
  const { key_id } = callerOf(request)
  const maySee = visibility(request, parts)
  let seen = from - 1
  let heartbeat = parts.now() + HEARTBEAT_MS
  for await (const entry of follow(parts.store.ledger, from, HEARTBEAT_MS, gone)) {
    // A key that is revoked sees nothing more, not even on a stream it had opened before.
    if (parts.keys.get(key_id)?.revoked_at !== null) return
    if (entry !== null) seen = entry.seq
    if (entry !== null && wanted(entry) && (await maySee(entry))) {
      await send(`id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`)
      continue
    }
    if (entry !== null && parts.now() < heartbeat) continue
    heartbeat = parts.now() + HEARTBEAT_MS
    if (seen >= 0) await send(`id: ${seen}\n\n`)
  }
}

/** An auditor and a director see everything; another caller sees the stories it opened itself. */
function visibility(request: Following, parts: DoorParts): (entry: Entry) => Promise<boolean> {
  const caller = callerOf(request)
  if (has(caller, 'audit') || has(caller, 'direct')) return async () => true
  const own = new Map<string, boolean>()
  return async ({ request_id }) => {
    if (request_id === undefined) return false
    const known = own.get(request_id)
    if (known !== undefined) return known
    const subject = await parts.lane.current(request_id)
    const mine = subject?.opened_by === caller.key_id
    own.set(request_id, mine)
    return mine
  }
}

/** The stream waits for a slow reader and does not buffer. */
export function send(socket: NodeJS.WritableStream, text: string): Promise<void> {
  if (socket.write(text)) return Promise.resolve()
  return new Promise(resolve => {
    const done = (): void => {
      socket.off('drain', done)
      socket.off('close', done)
      resolve()
    }
    socket.on('drain', done)
    socket.on('close', done)
  })
}
