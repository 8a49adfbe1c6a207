// The content-addressed store: bytes a person may want to see before they answer. Its name is its hash, and it is
// hashed again before it is given out.
import type { FastifyReply } from 'fastify'
import { type Hash, sha256 } from '../canonical.js'
import { readHeld } from '../delivery/contents.js'
import type { Caller } from '../keys/key-book.js'
import type { Shelf } from '../ledger/shelf.js'
import { isFixedHandle } from '../request/handle.js'
import { callerOf, type Door } from './door.js'
import { refuse } from './problem.js'
import { ok, PLAIN, type Route, type RouteRequest, route } from './route.js'

const BLOB_BYTES = 256 * 1024
const MIB = 1024 * 1024

export const BLOB_ROUTES: readonly Route[] = [
  route({
    method: 'put',
    path: '/v1/blobs',
    operationId: 'putContent',
    summary: 'Keep content so that a person can open it',
    scopes: ['request'],
    takes: { media: ['application/octet-stream'], isBytes: true, atMost: BLOB_BYTES },
    answers: [ok('Blob', 'kept', 201), ok('Blob', 'kept before')],
    refuses: ['invalid_request', 'quota_exceeded'],
    handle: putContent,
  }),
  route({
    method: 'get',
    path: '/v1/blobs/{handle}',
    operationId: 'readContent',
    summary: 'Content this key has sent; with scope audit, anybody’s',
    scopes: ['request', 'audit'],
    answers: [{ status: 200, media: PLAIN, words: 'the bytes' }],
    handle: readContent,
  }),
]

async function putContent(
  { store, config }: Door,
  request: RouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const bytes = request.body
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) {
    return refuse(reply, 'invalid_request', 'The body is the content itself, 1 byte to 256 KiB.')
  }
  const handle = sha256(bytes)
  const { content_mib_per_key: most } = config.limits
  const quota = most === 0 ? Number.MAX_SAFE_INTEGER : most * MIB
  const put = await store.shelf.putBlob(handle, bytes, callerOf(request).key_id, quota)
  if (put === 'full')
    return refuse(reply, 'quota_exceeded', `A key may keep ${most} MiB in all (limits.content_mib_per_key).`)
  return reply.code(put === 'new' ? 201 : 200).send({ handle, size: bytes.length })
}

async function readContent(
  { store }: Door,
  request: RouteRequest<'handle'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { handle } = request.params
  const bytes = isFixedHandle(handle) ? await readFor(store.shelf, handle, callerOf(request)) : null
  if (bytes === null) return refuse(reply, 'not_found', 'This key has sent no content with that handle.')
  return reply
    .type('text/plain; charset=utf-8')
    .header('content-disposition', 'attachment')
    .send(Buffer.from(bytes))
}

/** Whoever audits the ledger reads what people were shown. */
async function readFor(shelf: Shelf, handle: Hash, { key_id, scopes }: Caller): Promise<Uint8Array | null> {
  const own = scopes.includes('request') ? await readHeld(shelf, key_id, [handle]) : null
  const bytes = own?.get(handle) ?? (scopes.includes('audit') ? await shelf.blob(handle) : null)
  if (bytes !== null && sha256(bytes) !== handle) throw new Error(`the content of ${handle} was altered`)
  return bytes
}
