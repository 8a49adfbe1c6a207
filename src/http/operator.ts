// The operator's routes: API keys, signing keys, the erasure of raw words, and a backup.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { instant } from '../clock.js'
import { acted } from '../event.js'
import { makeKey } from '../keys/key-book.js'
import { type ApiKey, SCOPES } from '../ledger/shelf.js'
import { note } from '../record/record.js'
import { id } from '../request/field.js'
import { callerOf, type Door } from './door.js'
import { one } from './openapi/schema.js'
import { refuse } from './problem.js'
import { ok, type Route, type RouteRequest, route, takesJson } from './route.js'

/** The subject of a backup's record, and its media type. */
const EVERYTHING = 'store'
const SQLITE = 'application/vnd.sqlite3'

/** The key that is rotated where the query says so. */
/** Keys that are rotated apart from the one of tokens. */
const PURPOSES = ['checkpoint', 'artifact'] as const

const newKey = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  owner: id.exactOptional(),
  urgent: z.boolean().exactOptional(),
})

export const OPERATOR_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/keys',
    operationId: 'makeKey',
    summary: 'Make an API key; it is shown this once',
    scopes: ['operate'],
    takes: takesJson('NewKey', newKey),
    answers: [ok('MadeKey', 'made', 201)],
    refuses: ['invalid_request'],
    handle: addKey,
  }),
  route({
    method: 'get',
    path: '/v1/keys',
    operationId: 'listKeys',
    summary: 'List the API keys',
    scopes: ['operate'],
    answers: [ok('Keys', 'without their secrets')],
    handle: listKeys,
  }),
  route({
    method: 'get',
    path: '/v1/keys/self',
    operationId: 'showOwnKey',
    summary: 'The API key this is asked with',
    scopes: SCOPES,
    answers: [ok('Key', 'without its secret')],
    handle: showOwnKey,
  }),
  route({
    method: 'delete',
    path: '/v1/keys/{id}',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    scopes: ['operate'],
    answers: [ok('RevokedKey', 'revoked')],
    refuses: ['key_in_use'],
    handle: revokeKey,
  }),
  route({
    method: 'post',
    path: '/v1/signing-keys/rotate',
    operationId: 'rotateSigningKey',
    summary: 'Sign with a new key from now on',
    scopes: ['operate'],
    query: { purpose: one(...PURPOSES) },
    answers: [ok('Rotated', 'rotated', 201)],
    refuses: ['malformed_query'],
    handle: rotateSigningKey,
  }),
  route({
    method: 'delete',
    path: '/v1/signing-keys/{kid}',
    operationId: 'revokeSigningKey',
    summary: 'Revoke a signing key at once; what it signed is sent or minted anew',
    scopes: ['operate'],
    answers: [ok('RevokedSigningKey', 'revoked')],
    handle: revokeSigningKey,
  }),
  route({
    method: 'post',
    path: '/v1/requests/{id}/erase',
    operationId: 'eraseRawReplies',
    summary: 'Forget the raw words of every reply to a request, and its contents',
    scopes: ['operate'],
    answers: [ok('Erased', 'what was forgotten')],
    refuses: ['content_in_use'],
    handle: eraseRawReplies,
  }),
  route({
    method: 'get',
    path: '/v1/backup',
    operationId: 'takeBackup',
    summary: 'A consistent copy of everything but the secret',
    scopes: ['operate'],
    answers: [{ status: 200, media: SQLITE, words: 'an SQLite file' }],
    // A HEAD would take nothing, and it would be recorded as taken.
    head: false,
    handle: takeBackup,
  }),
]

async function addKey(
  { keys, now, config }: Door,
  request: RouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = newKey.safeParse(request.body)
  if (!body.success) {
    const accepted = `{"name": 1 to 64 letters, digits, space . _ -, "scopes": some of ${SCOPES.join(', ')}, "owner"?: a user id, "urgent"?: true or false}`
    return refuse(reply, 'invalid_request', `A new key is ${accepted}.`)
  }
  const { name, scopes, ...granted } = body.data
  const { recipients } = config
  if (granted.owner !== undefined && !Object.hasOwn(recipients, granted.owner)) {
    const detail = `A key belongs to one of the recipients ${Object.keys(recipients).join(', ')}.`
    return refuse(reply, 'invalid_request', detail)
  }
  const { secret, key } = makeKey(name, [...new Set(scopes)], instant(now()), granted)
  await keys.add(key, callerOf(request).key_id)
  return reply.code(201).send({ ...showKey(key), key: secret })
}

/** Reads the store again, because another replica may have made a key just now. */
async function listKeys({ keys }: Door, _request: RouteRequest, reply: FastifyReply): Promise<FastifyReply> {
  await keys.reload()
  return reply.send({ items: keys.all().map(showKey) })
}

/** The holder of a key can see what it is good for. */
function showOwnKey({ keys }: Door, request: RouteRequest, reply: FastifyReply): FastifyReply {
  const key = keys.get(callerOf(request).key_id)
  if (key === null) throw new Error('a caller has a key')
  return reply.send(showKey(key))
}

async function revokeKey(
  { keys }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = request.params
  const { key_id } = callerOf(request)
  await keys.reload()
  if (keys.get(id) === null)
    return refuse(reply, 'not_found', 'There is no key with that id; see GET /v1/keys.')
  if (id === key_id) {
    const detail = 'Revoke this key with another one, so that somebody can still operate.'
    return refuse(reply, 'key_in_use', detail)
  }
  await keys.revoke(id, key_id)
  return reply.send({ key_id: id, revoked_at: keys.get(id)?.revoked_at })
}

const isPurpose = (purpose: string): purpose is (typeof PURPOSES)[number] =>
  (PURPOSES as readonly string[]).includes(purpose)

async function rotateSigningKey(
  { signing, notary }: Door,
  request: RouteRequest<never, 'purpose'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { purpose } = request.query
  if (purpose !== undefined && !isPurpose(purpose))
    return refuse(
      reply,
      'malformed_query',
      `purpose is one of ${PURPOSES.join(', ')}; left out, the key of tokens is rotated.`,
    )
  const rotated =
    purpose === undefined
      ? await signing.rotate()
      : purpose === 'artifact'
        ? await signing.rotateArtifacts()
        : await notary.rotate()
  return reply.code(201).send(rotated)
}

async function revokeSigningKey(
  { signing }: Door,
  request: RouteRequest<'kid'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const revoked = await signing.revoke(request.params.kid, callerOf(request).key_id)
  const absent = 'There is no signing key with that kid; see GET /.well-known/jwks.json.'
  return revoked === null ? refuse(reply, 'not_found', absent) : reply.send(revoked)
}

async function eraseRawReplies(
  { lane }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id: request_id } = request.params
  const erased = await lane.erase(request_id, callerOf(request).key_id)
  if (erased === null) return refuse(reply, 'not_found', 'There is no request with that id.')
  if (erased.kind === 'in_use') {
    const detail = `${erased.handle} is named by ${erased.request_id}, which is open. Nothing was erased: do it when that is settled.`
    return refuse(reply, 'content_in_use', detail)
  }
  return reply.send({ request_id, erased: erased.replies, contents: erased.contents })
}

async function takeBackup(
  { store }: Door,
  request: RouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await note(store.ledger, acted('backup_taken', EVERYTHING, callerOf(request).key_id))
  return reply
    .type(SQLITE)
    .header('content-disposition', 'attachment; filename="lane-backup.db"')
    .send(Readable.from(store.backup()))
}

const showKey = ({ key_id, name, scopes, created_at, revoked_at, owner, urgent }: ApiKey) => ({
  key_id,
  name,
  scopes,
  created_at,
  revoked_at,
  owner,
  urgent,
})
