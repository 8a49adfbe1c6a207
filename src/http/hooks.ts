// The providers' door. The bytes go to their adapter as they came: it verifies them before it reads them, and its
// answer is sent only when the reply it took is durable.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Channel } from '../request/channel.js'
import type { Door } from './door.js'
import { refuse } from './problem.js'
import { JSON_MEDIA, PLAIN, type PossibleAnswer, type Route } from './route.js'

/** An interaction or an update is a few kilobytes; a mail may bring its whole thread and the logo below it. */
const HOOK_BYTES = 256 * 1024
/** The proxy of config/nginx.conf lets through as much. */
export const MAIL_BYTES = 10 * 1024 * 1024

const ABSENT = 'This channel takes no webhooks here: it is not configured, or it is listened to another way.'

const said = (status: number, words: string): PossibleAnswer => ({ status, media: PLAIN, words })
const TAKEN = said(200, 'taken')
const UNPROVEN = said(401, 'not proven to come from the provider')
const AGAIN = said(503, 'to be sent again')

/** `answers` come besides those that every provider may get. */
const hook = (
  channel: Channel,
  path: string,
  operationId: string,
  atMost: number,
  ...answers: readonly PossibleAnswer[]
): Route => ({
  method: 'post',
  path,
  operationId,
  summary: "A provider's webhook, verified by its signature; 404 where the channel takes none",
  takes: { media: ['*/*'], isBytes: true, atMost },
  answers: [TAKEN, UNPROVEN, ...answers],
  refuses: ['not_found', 'seal_broken'],
  handle: (door, request, reply) => take(door, channel, request, reply),
})

export const HOOK_ROUTES: readonly Route[] = [
  hook(
    'slack',
    '/hooks/slack',
    'takeSlackHook',
    HOOK_BYTES,
    { status: 200, media: JSON_MEDIA, words: 'what the form it came from shows' },
    said(400, 'signed, and not readable'),
    AGAIN,
  ),
  hook('telegram', '/hooks/telegram', 'takeTelegramHook', HOOK_BYTES, said(400, 'verified, and no update')),
  hook(
    'sms',
    '/hooks/sms',
    'takeSmsHook',
    HOOK_BYTES,
    { status: 200, media: 'text/xml', words: 'taken; what the person is told, if anything' },
    said(400, 'signed, and no message'),
  ),
  hook(
    'email',
    '/hooks/email/{provider}',
    'takeEmailHook',
    MAIL_BYTES,
    said(404, 'no such provider'),
    said(406, 'it carries no raw message'),
    AGAIN,
  ),
]

async function take(
  { adapters, desk, metrics }: Door,
  channel: Channel,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const adapter = adapters.get(channel)
  if (adapter?.receive === undefined) return refuse(reply, 'not_found', ABSENT)
  const { provider = null } = request.params as { provider?: string }
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  const query = /\?.*$/.exec(request.url)?.[0] ?? ''
  const answer = await adapter.receive({ bytes, headers: onceEach(request), query, provider }, desk(channel))
  if (answer.status === 401) metrics.strangers.inc({ why: `unverified_${channel}` })
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body ?? '')
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
