// The caller's side: open a request, look at it, wait for it, take it back.
import type { FastifyReply } from 'fastify'
import { type Case, isOpen } from '../agenda/case.js'
import type { Caller } from '../keys/key-book.js'
import { SUBMISSION_CODES } from '../lane/submit.js'
import { refusalOf } from '../request/refusal.js'
import type { Enlisted } from '../waiter/wait.js'
import { showCase } from './case.js'
import { listCases, OPEN, PAGE, showTo, visibleCase } from './cases.js'
import { callerOf, type Door, wholeNumber } from './door.js'
import { STATES } from './openapi/bodies.js'
import { one, text, whole } from './openapi/schema.js'
import { submissionShape } from './openapi/shapes.js'
import { refuse } from './problem.js'
import { ok, type Route, type RouteRequest, route, takesJson } from './route.js'
import { REASON_WORDS, withdrawal } from './withdrawal.js'

const SHORTEST_WAIT_S = 1
const LONGEST_WAIT_S = 60
const USUAL_WAIT_S = 30
/** Contents of 256 KiB, half of it escaped, and the request. */
const WITH_CONTENTS_BYTES = 400 * 1024
/** A place to wait in is free again soon. */
const PLACE_AGAIN_S = 1

export const REQUEST_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/requests',
    operationId: 'openRequest',
    summary: 'Put a typed request before people',
    scopes: ['request'],
    takes: {
      ...takesJson('Submission', submissionShape),
      atMost: WITH_CONTENTS_BYTES,
      isLongByContents: true,
    },
    answers: [ok('Case', 'opened; said after the commit', 201), ok('Case', 'the same request again')],
    refuses: SUBMISSION_CODES,
    handle: openRequest,
  }),
  route({
    method: 'get',
    path: '/v1/requests',
    operationId: 'listRequests',
    summary: `List cases, newest first, ${PAGE} a page`,
    scopes: ['request', 'audit'],
    query: { state: one(OPEN, ...STATES), run_id: text, cursor: text },
    answers: [ok('CaseList', 'a page')],
    handle: listRequests,
  }),
  route({
    method: 'get',
    path: '/v1/requests/{id}',
    operationId: 'showRequest',
    summary: 'One case',
    scopes: ['request', 'audit'],
    answers: [ok('Case', 'the case')],
    handle: showRequest,
  }),
  route({
    method: 'get',
    path: '/v1/requests/{id}/wait',
    operationId: 'awaitOutcome',
    summary: 'Wait for the outcome',
    scopes: ['request', 'audit'],
    query: { timeout_seconds: { ...whole(SHORTEST_WAIT_S, LONGEST_WAIT_S), default: USUAL_WAIT_S } },
    answers: [ok('Case', 'resolved'), ok('Case', 'still open', 202)],
    handle: awaitOutcome,
  }),
  route({
    method: 'post',
    path: '/v1/requests/{id}/withdraw',
    operationId: 'withdrawRequest',
    summary: 'Take a request back',
    scopes: ['request', 'operate'],
    takes: takesJson('Withdrawal', withdrawal),
    answers: [ok('Case', 'withdrawn, now or before')],
    refuses: ['invalid_request', 'already_resolved'],
    handle: withdrawRequest,
  }),
]

async function openRequest(door: Door, request: RouteRequest, reply: FastifyReply): Promise<FastifyReply> {
  const caller = callerOf(request)
  const { body } = request
  // What came is not needed while the commit is waited for, and may be large.
  request.body = null
  const submitted = await door.lane.submit(body, caller)
  switch (submitted.kind) {
    case 'opened':
      return reply.code(201).send(showCase(submitted.subject))
    case 'known':
      return reply.code(200).send(await showTo(door, caller, submitted.subject))
    case 'refused': {
      const { code, detail, errors, retryAfterSeconds } = submitted
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
      return refuse(reply, code, detail, errors)
    }
  }
}

const LISTED: readonly string[] = [OPEN, ...STATES]

async function listRequests(
  door: Door,
  request: RouteRequest<never, 'state' | 'run_id' | 'cursor'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { state, run_id, cursor } = request.query
  const before = wholeNumber(cursor, Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER)
  if (before === null || (state !== undefined && !LISTED.includes(state))) {
    const accepted = `state (one of ${LISTED.join(', ')}), run_id, and cursor as given by next_cursor`
    return refuse(reply, 'malformed_query', `Accepted are ${accepted}.`)
  }
  return reply.send(await listCases(door, callerOf(request), { state, run_id, before }))
}

async function showRequest(
  door: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = callerOf(request)
  const subject = await visibleCase(door, caller, request.params.id)
  return subject === null ? absent(reply) : reply.send(await showTo(door, caller, subject))
}

async function awaitOutcome(
  door: Door,
  request: RouteRequest<'id', 'timeout_seconds'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = callerOf(request)
  const seconds = wholeNumber(request.query.timeout_seconds, USUAL_WAIT_S, SHORTEST_WAIT_S, LONGEST_WAIT_S)
  if (seconds === null) {
    const accepted = `a whole number from ${SHORTEST_WAIT_S} to ${LONGEST_WAIT_S}`
    return refuse(reply, 'malformed_query', `timeout_seconds is ${accepted}.`)
  }
  const enlisted = door.waiters.enlist(request.params.id)
  try {
    const first = await visibleCase(door, caller, request.params.id)
    if (first === null) return absent(reply)
    const subject = isOpen(first) ? await outcomeOf(door, caller, first, seconds, enlisted, reply) : first
    if (subject === null) return nowhereToWait(door, reply)
    return reply.code(isOpen(subject) ? 202 : 200).send(await showTo(door, caller, subject))
  } finally {
    enlisted.leave()
  }
}

/** The case once it is resolved, or as it stands when the time is up; null where the key has no place to wait in. */
async function outcomeOf(
  door: Door,
  { key_id }: Caller,
  first: Case,
  seconds: number,
  enlisted: Enlisted,
  reply: FastifyReply,
): Promise<Case | null> {
  const leave = door.waits.take(key_id)
  if (leave === null) return null
  const onGone = (gone: () => void) => (reply.raw.destroyed ? gone() : reply.raw.once('close', gone))
  await enlisted.resolved(seconds * 1000, onGone).finally(leave)
  return (await door.lane.current(first.request_id)) ?? first
}

function nowhereToWait({ config }: Door, reply: FastifyReply): FastifyReply {
  const detail = `This key waits in ${config.limits.waits_per_key} places already (limits.waits_per_key).`
  return refuse(reply.header('retry-after', PLACE_AGAIN_S), 'rate_limited', detail)
}

async function withdrawRequest(
  door: Door,
  request: RouteRequest<'id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = withdrawal.safeParse(request.body)
  if (!body.success) {
    const errors = refusalOf(request.body, body.error.issues)
    return refuse(reply, 'invalid_request', `The body is {"reason": ${REASON_WORDS}}.`, errors)
  }
  const caller = callerOf(request)
  const visible = await visibleCase(door, caller, request.params.id, 'operate')
  if (visible === null) return absent(reply)
  const result = await door.lane.withdraw(visible.request_id, body.data.reason, caller.key_id)
  if (result.kind === 'withdrawn') return reply.send(await showTo(door, caller, result.subject))
  if (result.kind === 'unknown') return absent(reply)
  const { state, resolved_at } = result.subject
  return refuse(reply, 'already_resolved', `The request was ${state} at ${resolved_at}; that stands.`)
}

const absent = (reply: FastifyReply): FastifyReply =>
  refuse(reply, 'not_found', 'This key has no request with that id.')
