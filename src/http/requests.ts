// The caller's side: open a request, look at it, wait for it, take it back.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Case, decidingReply, isOpen } from '../agenda/case.js'
import type { Caller } from '../keys/key-book.js'
import { showCase } from './case.js'
import { asking, callerOf, type DoorParts, has, scoped, visibleCase, wholeNumber } from './door.js'
import { Places } from './places.js'
import { refuse } from './problem.js'
import { LONGEST_REASON, readReason } from './reason.js'

/** A place to wait in is free again soon. */
const WAIT_AGAIN_S = 1
const PAGE = 50
const STATES = ['pending', 'partial', 'answered', 'defaulted', 'undelivered', 'withdrawn']

type WithId = { Params: { id: string } }

export function requestRoutes(app: FastifyInstance, parts: DoorParts): void {
  const { lane, config } = parts
  const { waits_per_key } = config.limits
  const waiting = new Places(waits_per_key)

  app.post('/v1/requests', scoped('request'), async (request, reply) => {
    const submitted = await lane.submit(request.body, callerOf(request))
    switch (submitted.kind) {
      case 'opened':
        return reply.code(201).send(showCase(submitted.subject))
      case 'known':
        return reply.code(200).send(await shown(submitted.subject, callerOf(request)))
      case 'refused': {
        const { code, detail, errors, retryAfterSeconds } = submitted
        if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
        return refuse(reply, code, detail, errors)
      }
    }
  })

  app.get<WithId>('/v1/requests/:id', scoped('request', 'audit'), async (request, reply) => {
    const subject = await visibleCase(request, parts)
    return subject === null ? absent(reply) : reply.send(await shown(subject, callerOf(request)))
  })

  app.get<{ Querystring: Record<string, string | undefined> }>(
    '/v1/requests',
    asking(['state', 'run_id', 'cursor'], 'request', 'audit'),
    async (request, reply) => {
      const { state, run_id, cursor } = request.query
      const before = wholeNumber(cursor, Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER)
      if (before === null || (state !== undefined && !STATES.includes(state))) {
        return refuse(
          reply,
          'malformed_query',
          `Accepted are state (one of ${STATES.join(', ')}), run_id, and cursor as given by next_cursor.`,
        )
      }
      const caller = callerOf(request)
      const listed = await parts.store.ledger.list({
        before,
        limit: PAGE + 1,
        ...(state !== undefined && { state }),
        ...(run_id !== undefined && { run_id }),
        ...(!has(caller, 'audit') && { opened_by: caller.key_id }),
      })
      const page = listed.slice(0, PAGE)
      const cases = await Promise.all(page.map(({ request_id }) => lane.current(request_id)))
      const there = cases.filter(subject => subject !== null)
      const items = await Promise.all(there.map(subject => shown(subject, caller)))
      const last = page.at(-1)
      return reply.send({
        items,
        next_cursor: listed.length > PAGE && last !== undefined ? String(last.opened_seq) : null,
      })
    },
  )

  app.get<WithId & { Querystring: { timeout_seconds?: string } }>(
    '/v1/requests/:id/wait',
    asking(['timeout_seconds'], 'request', 'audit'),
    async (request, reply) => {
      const seconds = wholeNumber(request.query.timeout_seconds, 30, 1, 60)
      if (seconds === null)
        return refuse(reply, 'malformed_query', 'timeout_seconds is a whole number from 1 to 60.')
      const first = await visibleCase(request, parts)
      if (first === null) return absent(reply)
      const leave = waiting.take(callerOf(request).key_id)
      if (leave === null)
        return busy(reply, `This key waits in ${waits_per_key} places already (limits.waits_per_key).`)
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      await parts.waiters.resolved(first.request_id, seconds * 1000, gone.signal).finally(leave)
      const subject = await lane.current(first.request_id)
      if (subject === null) return absent(reply)
      return reply.code(isOpen(subject) ? 202 : 200).send(await shown(subject, callerOf(request)))
    },
  )

  app.post<WithId>('/v1/requests/:id/withdraw', scoped('request', 'operate'), async (request, reply) => {
    const reason = readReason(request.body)
    if (reason === null) {
      return refuse(
        reply,
        'invalid_request',
        'The body is {"reason": one visible line of 1 to 500 characters}.',
        [
          {
            field: '/reason',
            read: 'nothing usable',
            accepted: `one visible line of 1 to ${LONGEST_REASON} characters`,
          },
        ],
      )
    }
    const visible = await visibleCase(request, parts, 'operate')
    if (visible === null) return absent(reply)
    const result = await lane.withdraw(visible.request_id, reason, callerOf(request).key_id)
    if (result.kind === 'withdrawn') return reply.send(showCase(result.subject))
    if (result.kind === 'unknown') return absent(reply)
    const { state, resolved_at } = result.subject
    return refuse(reply, 'already_resolved', `The request was ${state} at ${resolved_at}; that stands.`)
  })

  /** An auditor also sees the words behind the answer, unless they were erased; whoever opened an approval the right
   *  that a YES has given. */
  async function shown(subject: Case, caller: Caller) {
    const deciding = has(caller, 'audit') ? decidingReply(subject) : null
    const raw = deciding === null ? null : await parts.store.shelf.raw(deciding.reply.reply_id)
    const own = has(caller, 'request') && subject.opened_by === caller.key_id
    const policyToken = own ? await lane.director.policyToken(subject) : null
    return showCase(subject, { raw: raw?.raw ?? null, policyToken })
  }
}

const busy = (reply: FastifyReply, detail: string): FastifyReply =>
  refuse(reply.header('retry-after', WAIT_AGAIN_S), 'rate_limited', detail)

const absent = (reply: FastifyReply) => refuse(reply, 'not_found', 'This key has no request with that id.')
