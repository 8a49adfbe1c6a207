// The lane about itself: its name, its health and readiness, its metrics, and the keys it signs with.
import type { FastifyReply } from 'fastify'
import { within } from '../patience.js'
import type { Door } from './door.js'
import { HTML, ok, PLAIN, type Route, type RouteRequest, route } from './route.js'

/** A balancer asks this, and does not wait for long. */
const PROBE_MS = 3_000

export const OPERATION_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/',
    operationId: 'about',
    summary: 'What this is',
    answers: [ok('About', 'name and version'), { status: 200, media: HTML, words: 'the same, as a page' }],
    handle: about,
  }),
  route({
    method: 'get',
    path: '/healthz',
    operationId: 'isAlive',
    summary: 'Alive',
    answers: [ok('Health', 'alive')],
    handle: (_door, _request, reply) => reply.send({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    operationId: 'isReady',
    summary: 'Able to take a request',
    answers: [
      ok('Readiness', 'ready, or ready with late alarms or broken seals'),
      ok('Readiness', 'not ready', 503),
    ],
    handle: isReady,
  }),
  route({
    method: 'get',
    path: '/metrics',
    operationId: 'readMetrics',
    summary: 'Prometheus metrics',
    scopes: ['operate'],
    answers: [{ status: 200, media: PLAIN, words: 'metrics' }],
    handle: async ({ metrics }, _request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  }),
  route({
    method: 'get',
    path: '/.well-known/jwks.json',
    operationId: 'listSigningKeys',
    summary: 'The public signing keys',
    answers: [ok('Jwks', 'a JWK set')],
    handle: ({ keyring, now }, _request, reply) => reply.send(keyring().jwks(now())),
  }),
  route({
    method: 'get',
    path: '/openapi.json',
    operationId: 'describe',
    summary: 'This description',
    answers: [ok('OpenApi', 'OpenAPI 3.1')],
    handle: ({ describe }, _request, reply) => reply.send(describe()),
  }),
]

const WHAT = 'A gateway that puts typed requests before people and brings back one typed, recorded answer.'

function about({ version, publicUrl, page }: Door, request: RouteRequest, reply: FastifyReply): FastifyReply {
  const url = publicUrl()
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) {
    const [api, health] = [`${url}/openapi.json`, `${url}/readyz`]
    return reply.send({ name: 'interrupt-lane', version, what: WHAT, api, health })
  }
  const message = `${WHAT} People open it by the link they are sent.`
  const { status, headers, body } = page.page({ kind: 'stopped', title: 'Interrupt Lane', message }, 200)
  return reply.code(status).headers(headers).send(body)
}

async function isReady(
  { store, alarmTroubles, version }: Door,
  _request: RouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const probed = store.ledger.probe().then(
    () => 'ok',
    (error: Error) => error.message,
  )
  const ledger = await within(PROBE_MS, probed, 'it does not answer')
  const clock = store.ledger.suspect() ? 'suspect: nothing times out until it is confirmed' : 'ok'
  // Without a sound alarm clock deadlines are late by seconds, and kept: that is no reason to take a lane away.
  const alarms = alarmTroubles().join('; ') || 'ok'
  // Rows somebody wrote past the lane give no right; that is no reason to take away the rest either.
  const seals = store.seals.broken().length === 0 ? 'ok' : `broken: ${store.seals.broken().join('; ')}`
  const degraded = alarms !== 'ok' || seals !== 'ok'
  const status = ledger !== 'ok' ? 'not ready' : degraded ? 'degraded' : 'ready'
  return reply
    .code(status === 'not ready' ? 503 : 200)
    .send({ status, version, checks: { ledger, clock, alarms, seals } })
}
