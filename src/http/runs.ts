// Runs: the ledger's view of one, and an outside director's decisions about it.
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { DOCTRINE } from '../director/doctrine.js'
import { foldRun } from '../director/run.js'
import type { Heard } from '../director/take-over.js'
import { AHDB_FIELDS, type AhdbField, ahdbDelta, DECISIONS, DELTA_ITEMS } from '../event.js'
import type { Caller } from '../keys/key-book.js'
import { id } from '../request/field.js'
import { fieldsOnly, refusalOf } from '../request/refusal.js'
import { MOODS } from '../request/request.js'
import { holdsSecret } from '../request/secrecy.js'
import { callerOf, type Door, has } from './door.js'
import { problemCodes, type Refusals, refuse } from './problem.js'
import { ok, PLAIN, type Route, type RouteRequest, route, takesJson } from './route.js'

/** A run is read from the stories of so many newest requests; the answer says if older ones are left out. */
const STORIES = 200

const DECISION_WORDS = `one of ${DECISIONS.join(', ')}`
const MOOD_WORDS = `with CHANGE_MOOD, and only with it, one of ${MOODS.join(', ')}`
const ITEM_WORDS = 'a work item, only with SPLIT'
const DELTA_WORDS = `a list of at most ${DELTA_ITEMS} items, 8192 characters in all, without tokens or keys`

// A proposal is written into the ledger for good, so nothing secret may be in it.
const isRecordable = (value: unknown): boolean => !holdsSecret(JSON.stringify(value))
const delta = z
  .custom<readonly unknown[]>(value => ahdbDelta.safeParse(value).success && isRecordable(value), {
    error: DELTA_WORDS,
  })
  .meta({ type: 'array', maxItems: DELTA_ITEMS })
const decision = z
  .strictObject(
    {
      request_id: id,
      decision: z.enum(DECISIONS, { error: DECISION_WORDS }),
      mood: z.enum(MOODS, { error: MOOD_WORDS }).exactOptional(),
      work_item_id: id.refine(isRecordable, { error: ITEM_WORDS }).exactOptional(),
      ahdb: z
        .strictObject(
          Object.fromEntries(AHDB_FIELDS.map(field => [field, delta.exactOptional()])) as {
            [F in AhdbField]: z.ZodExactOptional<typeof delta>
          },
          { error: fieldsOnly('ahdb', AHDB_FIELDS) },
        )
        .exactOptional(),
    },
    {
      error: fieldsOnly('a decision', ['request_id', 'decision', 'mood', 'work_item_id', 'ahdb']),
    },
  )
  .refine(given => (given.mood !== undefined) === (given.decision === 'CHANGE_MOOD'), {
    path: ['mood'],
    error: MOOD_WORDS,
  })
  .refine(given => given.work_item_id === undefined || given.decision === 'SPLIT', {
    path: ['work_item_id'],
    error: ITEM_WORDS,
  })

const REFUSALS: Refusals<Extract<Heard, { kind: 'refused' }>['why']> = {
  unknown: ['not_found', 'This run has no request with that id.'],
  already_decided: ['already_decided', 'What the run does about this request is decided; that stands.'],
  not_approved: ['not_approved', 'An approval that was not answered YES never continues.'],
  lapsed: [
    'approval_lapsed',
    'The approval is too old to act on: decide HALT or SPLIT, or let it be asked again.',
  ],
}

export const RUN_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/runs/{id}',
    operationId: 'showRun',
    summary: 'A run: mood, open requests, decisions, AHDB',
    scopes: ['request', 'direct'],
    answers: [ok('Run', 'the run')],
    handle: showRun,
  }),
  route({
    method: 'post',
    path: '/v1/runs/{id}/decisions',
    operationId: 'decideRun',
    summary: "An outside director's decision",
    scopes: ['direct'],
    takes: takesJson('RunDecision', decision),
    answers: [ok('RunDecided', 'recorded', 201)],
    refuses: ['invalid_request', ...problemCodes(REFUSALS)],
    handle: decideRun,
  }),
  route({
    method: 'get',
    path: '/v1/doctrine',
    operationId: 'readDoctrine',
    summary: 'The doctrine, ready for a prompt',
    answers: [{ status: 200, media: PLAIN, words: 'the doctrine' }],
    handle: (_door, _request, reply) => reply.type('text/plain; charset=utf-8').send(DOCTRINE),
  }),
]

async function showRun(
  { lane, store }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const run_id = request.params.id
  const listed = await store.ledger.list({ run_id, limit: STORIES + 1, ...ownOnly(callerOf(request)) })
  if (listed.length === 0) return refuse(reply, 'not_found', 'This key knows of no run with that id.')
  const shown = listed.slice(0, STORIES)
  const stories = await Promise.all(
    shown.map(async ({ request_id }) => {
      await lane.current(request_id)
      return store.ledger.story(request_id)
    }),
  )
  const outside_director = await store.ledger.hasDirector(run_id)
  const older_left_out = listed.length > STORIES
  return reply.send({ ...foldRun(run_id, stories), outside_director, older_left_out })
}

/** A director sees every run; another caller sees only its own requests, and the runs they belong to. */
const ownOnly = (caller: Caller): { readonly opened_by?: string } =>
  has(caller, 'direct') ? {} : { opened_by: caller.key_id }

async function decideRun(
  { lane }: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = decision.safeParse(request.body)
  if (!body.success) {
    const errors = refusalOf(request.body, body.error.issues)
    const detail = 'A decision names a request, one of four moves, and what it needs.'
    return refuse(reply, 'invalid_request', detail, errors)
  }
  const { request_id, ahdb = {}, ...move } = body.data
  const run_id = request.params.id
  const heard = await lane.director.hear({ run_id, request_id, by: callerOf(request).key_id, move, ahdb })
  if (heard.kind === 'refused') return refuse(reply, ...REFUSALS[heard.why])
  const { because: _because, ...decided } = heard.entry.body
  return reply.code(201).send({
    run_id,
    request_id,
    ...decided,
    at: heard.entry.at,
    ahdb: heard.proposals.map(({ field, state, reason }) => ({ field, state, ...(reason && { reason }) })),
  })
}
