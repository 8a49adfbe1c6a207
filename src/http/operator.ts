// The operator's routes: who may call, which key signs, what must be forgotten, and a copy of everything.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { instant } from '../clock.js'
import { acted } from '../event.js'
import { makeKey } from '../keys/key-book.js'
import { type ApiKey, SCOPES } from '../ledger/contract.js'
import { note } from '../record/record.js'
import { callerOf, type DoorParts, scoped } from './door.js'
import { refuse } from './problem.js'

const newKey = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
})

export function operatorRoutes(app: FastifyInstance, parts: DoorParts): void {
  const { keys, lane, store } = parts

  app.post('/v1/keys', scoped('operate'), async (request, reply) => {
    const body = newKey.safeParse(request.body)
    if (!body.success) {
      const accepted = `{"name": 1 to 64 letters, digits, space . _ -, "scopes": some of ${SCOPES.join(', ')}}`
      return refuse(reply, 'invalid_request', `A new key is ${accepted}.`)
    }
    const { secret, key } = makeKey(body.data.name, [...new Set(body.data.scopes)], instant(parts.now()))
    await keys.add(key, callerOf(request).key_id)
    return reply.code(201).send({ ...showKey(key), key: secret })
  })

  // Whoever hands a key on, or is handed one, can see what it is good for.
  app.get('/v1/keys/self', scoped(...SCOPES), async request => {
    const key = keys.get(callerOf(request).key_id)
    if (key === null) throw new Error('a caller has a key')
    return showKey(key)
  })

  // Another replica may have made one just now.
  app.get('/v1/keys', scoped('operate'), async () => {
    await keys.reload()
    return { items: keys.all().map(showKey) }
  })

  app.delete<{ Params: { id: string } }>('/v1/keys/:id', scoped('operate'), async (request, reply) => {
    const { id } = request.params
    await keys.reload()
    if (keys.get(id) === null)
      return refuse(reply, 'not_found', 'There is no key with that id; see GET /v1/keys.')
    if (id === callerOf(request).key_id) {
      return refuse(
        reply,
        'key_in_use',
        'Revoke this key with another one, so that somebody can still operate.',
      )
    }
    await keys.revoke(id, callerOf(request).key_id)
    return reply.send({ key_id: id, revoked_at: keys.get(id)?.revoked_at })
  })

  app.post('/v1/signing-keys/rotate', scoped('operate'), async (_request, reply) =>
    reply.code(201).send(await parts.signing.rotate()),
  )

  app.delete<{ Params: { kid: string } }>(
    '/v1/signing-keys/:kid',
    scoped('operate'),
    async (request, reply) => {
      const revoked = await parts.signing.revoke(request.params.kid, callerOf(request).key_id)
      const absent = 'There is no signing key with that kid; see GET /.well-known/jwks.json.'
      return revoked === null ? refuse(reply, 'not_found', absent) : reply.send(revoked)
    },
  )

  app.post<{ Params: { id: string } }>(
    '/v1/requests/:id/erase',
    scoped('operate'),
    async (request, reply) => {
      const erased = await lane.erase(request.params.id, callerOf(request).key_id)
      if (erased === null) return refuse(reply, 'not_found', 'There is no request with that id.')
      return reply.send({ request_id: request.params.id, erased })
    },
  )

  // A HEAD would take nothing, and it would be recorded as taken.
  const whole = { ...scoped('operate'), exposeHeadRoute: false }
  app.get('/v1/backup', whole, async (request, reply) => {
    await note(store.ledger, acted('backup_taken', EVERYTHING, callerOf(request).key_id))
    return sendBackup(reply, store.backup())
  })
}

/** What a backup is about. */
const EVERYTHING = 'store'

const showKey = ({ key_id, name, scopes, created_at, revoked_at }: ApiKey) => ({
  key_id,
  name,
  scopes,
  created_at,
  revoked_at,
})

const sendBackup = (reply: FastifyReply, bytes: AsyncIterable<Uint8Array>): FastifyReply =>
  reply
    .type('application/vnd.sqlite3')
    .header('content-disposition', 'attachment; filename="lane-backup.db"')
    .send(Readable.from(bytes))
