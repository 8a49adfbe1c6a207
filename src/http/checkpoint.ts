// The log's door: checkpoints, the keys they are verified by, and that one contains the other.
import type { FastifyReply } from 'fastify'
import { encode } from '../checkpoint/base64.js'
import { writeVkey } from '../checkpoint/note.js'
import { hashesOf } from '../checkpoint/tree.js'
import { consistencyOf } from '../ledger/tree/consistency.js'
import { type Door, wholeNumber } from './door.js'
import { whole } from './openapi/schema.js'
import { refuse } from './problem.js'
import { ok, PLAIN, type Route, type RouteRequest, route } from './route.js'

const NOTE = { status: 200, media: PLAIN, words: 'a signed note' } as const
const PLAIN_UTF8 = `${PLAIN}; charset=utf-8`

export const CHECKPOINT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/ledger/checkpoint',
    operationId: 'readCheckpoint',
    summary: 'The newest checkpoint; none is signed for it',
    scopes: ['audit'],
    answers: [NOTE],
    refuses: ['not_found'],
    async handle({ notary }, _request, reply) {
      const newest = await notary.newest()
      if (newest !== null) return reply.type(PLAIN_UTF8).send(newest.note)
      return refuse(reply, 'not_found', 'No checkpoint was signed yet; POST signs one.')
    },
  }),
  route({
    method: 'post',
    path: '/v1/ledger/checkpoint',
    operationId: 'signCheckpoint',
    summary: 'Sign a checkpoint now',
    scopes: ['operate'],
    answers: [NOTE],
    refuses: ['seal_broken'],
    handle: async ({ notary }, _request, reply) => reply.type(PLAIN_UTF8).send((await notary.sign()).note),
  }),
  route({
    method: 'get',
    path: '/v1/ledger/consistency',
    operationId: 'proveConsistency',
    summary: 'That the ledger of one size is the beginning of that of another',
    scopes: ['audit'],
    query: { from: whole(0), to: whole(0) },
    answers: [ok('Consistency', 'the hashes of RFC 6962')],
    refuses: ['malformed_query', 'seal_broken'],
    handle: proveConsistency,
  }),
  route({
    method: 'get',
    path: '/.well-known/lane-log-key',
    operationId: 'listLogKeys',
    summary: 'Every key that checkpoints were ever signed with',
    answers: [{ status: 200, media: PLAIN, words: 'verifier keys, one a line, the newest last' }],
    async handle({ notary }, _request, reply) {
      const keys = await notary.keys()
      return reply.type(PLAIN_UTF8).send(keys.map(key => `${writeVkey(key)}\n`).join(''))
    },
  }),
]

async function proveConsistency(
  { store: { ledger } }: Door,
  request: RouteRequest<never, 'from' | 'to'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { size } = await ledger.head()
  const to = wholeNumber(request.query.to, -1, 0, size)
  const from = to === null ? null : wholeNumber(request.query.from, -1, 0, to)
  if (from === null || to === null || from < 0 || to < 0)
    return refuse(reply, 'malformed_query', `from and to are whole numbers, from 0 on, from ≤ to ≤ ${size}.`)
  const hashes = await hashesOf(ledger, consistencyOf(from, to))
  return reply.send({ from, to, hashes: hashes.map(encode) })
}
