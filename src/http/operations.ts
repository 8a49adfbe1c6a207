// What this is, whether it is alive, whether it can take a request, what it counts, and by which keys it signs.
import type { FastifyInstance } from 'fastify'
import { within } from '../patience.js'
import { type DoorParts, scoped } from './door.js'
import { openApi } from './openapi/describe.js'

/** Whoever asks is a balancer, and does not wait for long. */
const PROBE_MS = 3_000

export function operationRoutes(app: FastifyInstance, parts: DoorParts): void {
  const { store, metrics } = parts

  app.get('/', async (request, reply) => {
    const about = {
      name: 'interrupt-lane',
      version: parts.version,
      what: 'A gateway that puts typed requests before people and brings back one typed, recorded answer.',
      api: `${parts.publicUrl()}/openapi.json`,
      health: `${parts.publicUrl()}/readyz`,
    }
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.send(about)
    const { status, headers, body } = parts.page.page(
      {
        kind: 'stopped',
        title: 'Interrupt Lane',
        message: `${about.what} People open it by the link they are sent.`,
      },
      200,
    )
    return reply.code(status).headers(headers).send(body)
  })

  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const probed = store.ledger.probe().then(
      () => 'ok',
      (error: Error) => error.message,
    )
    const ledger = await within(PROBE_MS, probed, 'it does not answer')
    const clock = store.ledger.suspect() ? 'suspect: nothing times out until it is confirmed' : 'ok'
    // Without a sound alarm clock deadlines are late by seconds, and kept: that is no reason to take a lane away.
    const alarms = parts.alarmTroubles().join('; ') || 'ok'
    // What somebody has written past the lane gives no right; that is no reason to take away the rest either.
    const seals = store.seals.broken().length === 0 ? 'ok' : `broken: ${store.seals.broken().join('; ')}`
    const degraded = alarms !== 'ok' || seals !== 'ok'
    const status = ledger !== 'ok' ? 'not ready' : degraded ? 'degraded' : 'ready'
    return reply
      .code(status === 'not ready' ? 503 : 200)
      .send({ status, version: parts.version, checks: { ledger, clock, alarms, seals } })
  })

  app.get('/metrics', scoped('operate'), async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )

  app.get('/.well-known/jwks.json', async () => parts.keyring().jwks(parts.now()))

  app.get('/openapi.json', async () => openApi(parts.version, parts.publicUrl()))
}
