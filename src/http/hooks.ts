// The providers' door. The bytes go to their adapter as they came: it verifies them before it reads them, and what it
// answers is said only once whatever it took is durable.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Adapter, Channel } from '../adapter.js'
import type { DoorParts } from './door.js'

/** An interaction or an update is a few kilobytes; a mail may bring its whole thread and the logo below it. */
const HOOK_BYTES = 256 * 1024
const MAIL_BYTES = 10 * 1024 * 1024

export function hookRoutes(app: FastifyInstance, parts: DoorParts): void {
  for (const adapter of parts.adapters.values()) {
    if (adapter.receive === undefined) continue
    const bodyLimit = adapter.channel === 'email' ? MAIL_BYTES : HOOK_BYTES
    app.post(pathOf(adapter.channel), { bodyLimit }, (request, reply) => take(adapter, request, reply))
  }

  async function take(adapter: Adapter, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { provider = null } = request.params as { provider?: string }
    const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    const hook = { bytes, headers: onceEach(request), provider }
    const answer = await adapter.receive?.(hook, parts.desk(adapter.channel))
    if (answer?.status === 401) parts.metrics.strangers.inc({ why: `unverified_${adapter.channel}` })
    return reply
      .code(answer?.status ?? 404)
      .headers({ 'cache-control': 'no-store', ...answer?.headers })
      .send(answer?.body ?? '')
  }
}

const pathOf = (channel: Channel): string =>
  channel === 'email' ? '/hooks/email/:provider' : `/hooks/${channel}`

/** A header given twice has no one value, so it has none. */
function onceEach({ headers }: FastifyRequest): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  )
}
