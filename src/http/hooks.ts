// The providers' door. The bytes go to their adapter as they came: it verifies them before it reads them, and what it
// answers is said only once whatever it took is durable.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Channel } from '../request/channel.js'
import type { DoorParts } from './door.js'
import { refuse } from './problem.js'

/** An interaction or an update is a few kilobytes; a mail may bring its whole thread and the logo below it. */
const HOOK_BYTES = 256 * 1024
/** The proxy of config/nginx.conf lets through as much. */
export const MAIL_BYTES = 10 * 1024 * 1024

const ABSENT = 'This channel takes no webhooks here: it is not configured, or it is listened to another way.'

export function hookRoutes(app: FastifyInstance, parts: DoorParts): void {
  const route = (channel: Channel, path: string, bodyLimit: number): void => {
    app.post(path, { bodyLimit }, (request, reply) => take(channel, request, reply))
  }
  route('slack', '/hooks/slack', HOOK_BYTES)
  route('telegram', '/hooks/telegram', HOOK_BYTES)
  route('sms', '/hooks/sms', HOOK_BYTES)
  route('email', '/hooks/email/:provider', MAIL_BYTES)

  async function take(channel: Channel, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const adapter = parts.adapters.get(channel)
    if (adapter?.receive === undefined) return refuse(reply, 'not_found', ABSENT)
    const { provider = null } = request.params as { provider?: string }
    const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    const query = /\?.*$/.exec(request.url)?.[0] ?? ''
    const hook = { bytes, headers: onceEach(request), query, provider }
    const answer = await adapter.receive(hook, parts.desk(channel))
    if (answer.status === 401) parts.metrics.strangers.inc({ why: `unverified_${channel}` })
    return reply
      .code(answer.status)
      .headers(answer.headers ?? {})
      .send(answer.body ?? '')
  }
}

/** A header given twice has no one value, so it has none; `headers` would have joined them, or kept the first. */
function onceEach({ raw }: FastifyRequest): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(raw.headersDistinct).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : undefined,
    ]),
  )
}
