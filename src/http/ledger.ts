// The auditor's door: the ledger as exactly the bytes that were hashed, and the raw words beside it.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { acted } from '../event.js'
import { choirLines } from '../interop/choir-lines.js'
import { note } from '../record/record.js'
import { callerOf, type Door, wholeNumber } from './door.js'
import { one, whole } from './openapi/schema.js'
import { refuse } from './problem.js'
import { type Route, type RouteRequest, route } from './route.js'

const NDJSON = 'application/x-ndjson'
/** The one profile besides the entries themselves. */
const CHOIR = 'choir'
/** Lines are sent in pieces of about this many, not one write each. */
const CHUNK = 200
/** The subject of the record that they were read. */
const ALL_WORDS = 'raw-replies'

export const LEDGER_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/ledger',
    operationId: 'readLedger',
    summary: 'Exactly the hashed entries, one a line',
    scopes: ['audit'],
    query: { from: whole(0), limit: whole(1), profile: one(CHOIR) },
    answers: [{ status: 200, media: NDJSON, words: 'entries' }],
    handle: readLedger,
  }),
  route({
    method: 'get',
    path: '/v1/raw-replies',
    operationId: 'readRawReplies',
    summary: 'The raw words beside the ledger, one reply a line',
    scopes: ['audit'],
    answers: [{ status: 200, media: NDJSON, words: 'reply_id, request_id, salt (base64url), raw' }],
    // A HEAD would read nothing, and it would be recorded as read.
    head: false,
    handle: readRawReplies,
  }),
]

async function readLedger(
  { store }: Door,
  request: RouteRequest<never, 'from' | 'limit' | 'profile'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { profile, ...bounds } = request.query
  if (profile !== undefined && profile !== CHOIR)
    return refuse(
      reply,
      'malformed_query',
      `profile is ${CHOIR}; left out, the entries come as they were hashed.`,
    )
  const from = wholeNumber(bounds.from, 0, 0, Number.MAX_SAFE_INTEGER)
  const limit = wholeNumber(bounds.limit, Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER)
  if (from === null || limit === null)
    return refuse(reply, 'malformed_query', 'from is a whole number from 0 on, limit one from 1 on.')
  // An auditor gets the bytes as stored, even those a stranger wrote, to find the damage by them.
  const { ledger } = store
  const lines = profile === CHOIR ? choirLines(ledger.entries(from, limit)) : ledger.lines(from, limit)
  return sendLines(reply, lines)
}

async function readRawReplies(
  { store }: Door,
  request: RouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await note(store.ledger, acted('raw_read', ALL_WORDS, callerOf(request).key_id))
  async function* lines() {
    for await (const { reply_id, request_id, salt, raw, beside } of store.shelf.raws()) {
      const kept = { reply_id, request_id, salt: Buffer.from(salt).toString('base64url'), raw }
      yield JSON.stringify(beside == null ? kept : { ...kept, beside })
    }
  }
  return sendLines(reply, lines())
}

const sendLines = (reply: FastifyReply, lines: AsyncIterable<string>): FastifyReply =>
  reply.type(`${NDJSON}; charset=utf-8`).send(Readable.from(inChunks(lines)))

async function* inChunks(lines: AsyncIterable<string>): AsyncIterable<string> {
  let held: string[] = []
  for await (const line of lines) {
    if (held.push(line) < CHUNK) continue
    yield `${held.join('\n')}\n`
    held = []
  }
  if (held.length > 0) yield `${held.join('\n')}\n`
}
