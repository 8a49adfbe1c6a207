// Proofs: a decision as a file that convinces without the lane, and one entry as a leaf of the log.
import type { FastifyReply } from 'fastify'
import { isOpen } from '../agenda/case.js'
import { proveDecision, proveLeaf } from '../proof/make.js'
import { visibleCase } from './cases.js'
import { callerOf, type Door, has, wholeNumber } from './door.js'
import { one } from './openapi/schema.js'
import { refuse } from './problem.js'
import { JSON_MEDIA, ok, PLAIN, type Route, type RouteRequest, route } from './route.js'

export const PROOF_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/requests/{id}/proof',
    operationId: 'proveDecision',
    summary: 'The decision proof of a resolved request',
    scopes: ['request', 'audit'],
    query: { contents: one('true', 'false') },
    answers: [ok('Proof', 'the file')],
    refuses: ['malformed_query', 'not_found', 'not_resolved', 'seal_broken'],
    // It may sign a checkpoint.
    head: false,
    handle: prove,
  }),
  route({
    method: 'get',
    path: '/v1/ledger/{seq}/proof',
    operationId: 'proveEntry',
    summary: 'One entry as a leaf of the log, as c2sp.org/tlog-proof',
    scopes: ['audit'],
    answers: [{ status: 200, media: PLAIN, words: 'a tlog-proof' }],
    refuses: ['not_found', 'seal_broken'],
    head: false,
    handle: proveEntry,
  }),
]

const makerOf = ({ store, notary, keys }: Door) => ({
  store,
  notary,
  keyName: (id: string) => keys.nameOf(id),
})

async function prove(
  door: Door,
  request: RouteRequest<'id', 'contents'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { contents = 'false' } = request.query
  if (contents !== 'true' && contents !== 'false')
    return refuse(reply, 'malformed_query', 'contents is true or false.')
  const caller = callerOf(request)
  const subject = await visibleCase(door, caller, request.params.id)
  if (subject === null) return refuse(reply, 'not_found', 'This key has no request with that id.')
  if (isOpen(subject))
    return refuse(reply, 'not_resolved', `The request is ${subject.state}; what is not decided has no proof.`)
  // What people wrote is for auditors; the contents the caller has sent itself.
  const included = { words: contents === 'true' && has(caller, 'audit'), handles: contents === 'true' }
  const proof = await proveDecision(makerOf(door), subject.request_id, included)
  if (proof === null) throw new Error('a resolved request has a proof')
  return reply.type(`${JSON_MEDIA}; charset=utf-8`).send(proof)
}

async function proveEntry(
  door: Door,
  request: RouteRequest<'seq'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const seq = wholeNumber(request.params.seq, -1, 0, Number.MAX_SAFE_INTEGER)
  const proof = seq === null || seq < 0 ? null : await proveLeaf(makerOf(door), seq)
  if (proof === null) return refuse(reply, 'not_found', 'The ledger has no entry of that seq.')
  return reply.type(`${PLAIN}; charset=utf-8`).send(proof)
}
