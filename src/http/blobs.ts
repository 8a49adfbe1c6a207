// The content-addressed store: bytes a person may want to see before they answer. Its name is its hash, and it is
// hashed again before it is given out.
import type { FastifyReply } from 'fastify'
import { type Hash, sha256 } from '../canonical.js'
import type { Shelf } from '../ledger/contract.js'
import { isFixedHandle } from '../request/handle.js'
import { callerOf, type Door } from './door.js'
import { refuse } from './problem.js'
import { ok, PLAIN, type Route, type RouteRequest, route } from './route.js'

const BLOB_BYTES = 256 * 1024
/** The bytes one key may keep in all: enough for a busy agent, not enough to fill a disk. */
const QUOTA_BYTES = 64 * 1024 * 1024

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
    summary: 'Content this key has put',
    scopes: ['request'],
    answers: [{ status: 200, media: PLAIN, words: 'the bytes' }],
    handle: readContent,
  }),
]

async function putContent(
  { store }: Door,
  request: RouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const bytes = request.body
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) {
    return refuse(reply, 'invalid_request', 'The body is the content itself, 1 byte to 256 KiB.')
  }
  const handle = sha256(bytes)
  const put = await store.shelf.putBlob(handle, bytes, callerOf(request).key_id, QUOTA_BYTES)
  if (put === 'full') return refuse(reply, 'quota_exceeded', `A key may keep ${QUOTA_BYTES} bytes in all.`)
  return reply.code(put === 'new' ? 201 : 200).send({ handle, size: bytes.length })
}

async function readContent(
  { store }: Door,
  request: RouteRequest<'handle'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { handle } = request.params
  const { key_id } = callerOf(request)
  const bytes = isFixedHandle(handle) ? await readBlob(store.shelf, handle, key_id) : null
  if (bytes === null) return refuse(reply, 'not_found', 'This key has put no content with that handle.')
  return reply
    .type('text/plain; charset=utf-8')
    .header('content-disposition', 'attachment')
    .send(Buffer.from(bytes))
}

/** Content that this key has put, and no other: a key that only knows the hash of another's content must not have it
 *  shown. Verified at both ends: content that does not hash to its own name is shown to nobody. */
export async function readBlob(shelf: Shelf, handle: Hash, keyId: string): Promise<Uint8Array | null> {
  const bytes = (await shelf.ownsBlob(handle, keyId)) ? await shelf.blob(handle) : null
  if (bytes !== null && sha256(bytes) !== handle) throw new Error(`the content of ${handle} was altered`)
  return bytes
}
