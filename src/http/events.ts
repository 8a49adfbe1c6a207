// The ledger as server-sent events. `id` is the seq, so that a client that comes back says where it was; on a filtered
// stream an empty event carries the newest seq every fifteen seconds, so that its place advances too.
import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Entry, EVENT_TYPES } from '../event.js'
import { follow } from '../waiter/follow.js'
import { asking, callerOf, type DoorParts, has, wholeNumber } from './door.js'
import { Places } from './places.js'
import { refuse } from './problem.js'

const HEARTBEAT_MS = 15_000

const FILTERS = ['run_id', 'request_id', 'type', 'from']
type Query = { run_id?: string; request_id?: string; type?: string; from?: string }

/** A reader that ends leaves a place: soon enough to look again. */
const TRY_AGAIN_S = 5

export function eventRoutes(app: FastifyInstance, parts: DoorParts): void {
  const places = new Places(parts.config.limits.streams_per_key)
  // Each open stream listens for the end of the lane, and there may be many.
  setMaxListeners(0, parts.closing)
  app.get<{ Querystring: Query }>(
    '/v1/events',
    // A stream has no end that a HEAD could wait for.
    { ...asking(FILTERS, 'request', 'audit', 'direct'), exposeHeadRoute: false },
    async (request, reply) => {
      const types = request.query.type?.split(',')
      const unknown = types?.filter(type => !(EVENT_TYPES as string[]).includes(type)) ?? []
      const from = await startOf(request, parts)
      if (from === null || unknown.length > 0) {
        return refuse(
          reply,
          'malformed_query',
          'Accepted are run_id, request_id, type (a list of entry types such as REQUEST_RESOLVED) and from; from and Last-Event-ID are whole numbers.',
        )
      }
      const wanted = (entry: Entry): boolean =>
        (types === undefined || types.includes(entry.type)) &&
        (request.query.run_id === undefined || entry.run_id === request.query.run_id) &&
        (request.query.request_id === undefined || entry.request_id === request.query.request_id)
      const leavePlace = places.take(callerOf(request).key_id)
      if (leavePlace === null) {
        const detail = 'This key follows as many streams as it may (limits.streams_per_key); end one first.'
        return refuse(reply.header('retry-after', TRY_AGAIN_S), 'rate_limited', detail)
      }
      reply.hijack()
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        // A connection kept for a next request would hold up the stop of the lane.
        connection: 'close',
      })
      reply.raw.flushHeaders()
      const leave = new AbortController()
      const gone = (): void => leave.abort()
      request.raw.socket.once('close', gone)
      parts.closing.addEventListener('abort', gone)
      try {
        await stream(request, parts, from, wanted, leave.signal, text => write(reply.raw, text))
      } finally {
        leavePlace()
        parts.closing.removeEventListener('abort', gone)
        // Also where the ledger cannot be read: who is left on an open stream does not know to come back.
        reply.raw.end()
      }
      return reply
    },
  )
}

/** After Last-Event-ID; else from `from`; else from now. */
async function startOf(
  request: FastifyRequest<{ Querystring: Query }>,
  parts: DoorParts,
): Promise<number | null> {
  const last = request.headers['last-event-id']
  if (typeof last === 'string' && last !== '') {
    const seq = wholeNumber(last, 0, 0, Number.MAX_SAFE_INTEGER)
    return seq === null ? null : seq + 1
  }
  const { size } = await parts.store.ledger.head()
  return wholeNumber(request.query.from, size, 0, Number.MAX_SAFE_INTEGER)
}

async function stream(
  request: FastifyRequest,
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

/** An auditor and a director see everything; another caller the stories it opened itself. */
function visibility(request: FastifyRequest, parts: DoorParts): (entry: Entry) => Promise<boolean> {
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

/** A reader that does not keep up is waited for, not buffered for. */
function write(socket: NodeJS.WritableStream, text: string): Promise<void> {
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
