// The auditor's door: the ledger as exactly the bytes that were hashed, and the raw words that stand beside it.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { acted } from '../event.js'
import { choirLines } from '../interop/choir-lines.js'
import { note } from '../record/record.js'
import { asking, callerOf, type DoorParts, scoped, wholeNumber } from './door.js'
import { refuse } from './problem.js'

const NDJSON = 'application/x-ndjson; charset=utf-8'
/** Lines are sent in pieces of about this many, not one write each. */
const CHUNK = 200
/** What reading all of them is about. */
const ALL_WORDS = 'raw-replies'

export function ledgerRoutes(app: FastifyInstance, { store }: DoorParts): void {
  app.get<{ Querystring: { from?: string; limit?: string; profile?: string } }>(
    '/v1/ledger',
    asking(['from', 'limit', 'profile'], 'audit'),
    async (request, reply) => {
      const { profile } = request.query
      if (profile !== undefined && profile !== 'choir')
        return refuse(
          reply,
          'malformed_query',
          'profile is choir; left out, the entries come as they were hashed.',
        )
      const from = wholeNumber(request.query.from, 0, 0, Number.MAX_SAFE_INTEGER)
      const limit = wholeNumber(request.query.limit, Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER)
      if (from === null || limit === null) {
        return refuse(reply, 'malformed_query', 'from is a whole number from 0 on, limit one from 1 on.')
      }
      // An auditor finds out by the bytes what somebody else has written; to others it is not told.
      const lines =
        profile === 'choir' ? choirLines(store.ledger.entries(from, limit)) : store.ledger.lines(from, limit)
      return reply.type(NDJSON).send(Readable.from(inChunks(lines)))
    },
  )

  // A HEAD would read nothing, and it would be recorded as read.
  const words = { ...scoped('audit'), exposeHeadRoute: false }
  app.get('/v1/raw-replies', words, async (request, reply) => {
    await note(store.ledger, acted('raw_read', ALL_WORDS, callerOf(request).key_id))
    async function* lines() {
      for await (const { reply_id, request_id, salt, raw } of store.shelf.raws()) {
        yield JSON.stringify({ reply_id, request_id, salt: Buffer.from(salt).toString('base64url'), raw })
      }
    }
    return reply.type(NDJSON).send(Readable.from(inChunks(lines())))
  })
}

async function* inChunks(lines: AsyncIterable<string>): AsyncIterable<string> {
  let held: string[] = []
  for await (const line of lines) {
    if (held.push(line) < CHUNK) continue
    yield `${held.join('\n')}\n`
    held = []
  }
  if (held.length > 0) yield `${held.join('\n')}\n`
}
