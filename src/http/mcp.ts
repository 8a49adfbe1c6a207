// The agents' door at this address: the tools of `lane mcp`, with nothing to install beside the agent.
//
// AD1  Only a key with scope `request` alone opens it: what an agent holds, whoever steers the agent holds.
// AD2  A browser's page is no agent: an Origin that is not the lane's own, or a Host that is none of its names, is refused.
import type { FastifyReply } from 'fastify'
import { isLoopback } from '../config/loopback.js'
import { callerOf, type Door } from './door.js'
import { readJsonBytes } from './json.js'
import { refuse } from './problem.js'
import { JSON_MEDIA, type Route, type RouteRequest, route } from './route.js'

/** Twenty texts would have room; a text of 256 KiB is the longest that the lane keeps. */
const MESSAGE_BYTES = 2 * 1024 * 1024
const ENOUGH = 'request'
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const PLACE_AGAIN_S = 1

export const MCP_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/mcp',
    operationId: 'sendMessage',
    summary: 'The tools of `lane mcp`, over streamable HTTP',
    scopes: ['request'],
    keyless: 'There is no OAuth here, and nothing to sign in to: an operator makes a key with scope request.',
    takes: { media: [JSON_MEDIA], isBytes: true, atMost: MESSAGE_BYTES },
    answers: [
      { status: 200, words: 'the answer to the message' },
      { status: 202, words: 'a message that has no answer' },
    ],
    refuses: ['malformed_json', 'scope_too_wide', 'foreign_origin', 'malformed_query', 'rate_limited'],
    handle: answerMessage,
  }),
  route({
    method: 'get',
    path: '/mcp',
    operationId: 'openMessageStream',
    summary: 'There is no stream beside the answers',
    answers: [],
    refuses: ['method_not_allowed'],
    head: false,
    handle: (_door, _request, reply) =>
      refuse(reply.header('allow', 'POST'), 'method_not_allowed', 'Messages are sent by POST.'),
  }),
]

async function answerMessage(door: Door, request: RouteRequest, reply: FastifyReply): Promise<FastifyReply> {
  const caller = callerOf(request)
  const more = caller.scopes.filter(scope => scope !== ENOUGH)
  if (more.length > 0)
    return refuse(
      reply,
      'scope_too_wide',
      `An agent is served with scope ${ENOUGH} alone; this key also has ${more.join(', ')}.`,
    )
  if (!isAtHome(request, door.publicUrl()))
    return refuse(
      reply,
      'foreign_origin',
      `Agents reach this lane at ${door.publicUrl()}/mcp, and not from a page elsewhere.`,
    )
  const runId = request.headers['lane-run-id'] ?? null
  if (runId !== null && !(typeof runId === 'string' && RUN_ID.test(runId)))
    return refuse(
      reply,
      'malformed_query',
      'Lane-Run-Id is 1 to 128 of A-Z a-z 0-9 . _ -, beginning with a letter or digit.',
    )
  const read = readJsonBytes(request.body as Buffer)
  if (!read.ok) return refuse(reply, 'malformed_json', read.detail)
  const leave = door.messages.take(caller.key_id)
  if (leave === null) return nowhere(door, reply)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  try {
    const answer = await door.agents({
      request: new Request(new URL('/mcp', door.publicUrl()), {
        method: 'POST',
        headers: plain(request.headers),
        body: request.body as Buffer,
        signal: AbortSignal.any([gone.signal, door.closing]),
      }),
      body: read.value,
      key: (request.headers.authorization ?? '').replace(/^Bearer /i, ''),
      runId,
    })
    const body = Buffer.from(await answer.arrayBuffer())
    const media = answer.headers.get('content-type')
    return reply
      .code(answer.status)
      .headers(media === null ? {} : { 'content-type': media })
      .send(body)
  } finally {
    leave()
  }
}

function nowhere({ config }: Door, reply: FastifyReply): FastifyReply {
  const detail = `This key has ${config.limits.waits_per_key} messages under way already (limits.waits_per_key).`
  return refuse(reply.header('retry-after', PLACE_AGAIN_S), 'rate_limited', detail)
}

/** By the lane's public name, by a loopback name, or by the very address that was connected to. */
function isAtHome({ headers, raw }: RouteRequest, publicUrl: string): boolean {
  const home = new URL(publicUrl)
  const isOurs = (url: string): boolean => {
    if (!URL.canParse(url)) return false
    const { host, hostname } = new URL(url)
    return host === home.host || isLoopback(hostname) || bare(hostname) === raw.socket.localAddress
  }
  if (!isOurs(`http://${headers.host}`) && headers.host !== home.host) return false
  return headers.origin === undefined || headers.origin === home.origin || isOurs(headers.origin)
}
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** The key stays here, and what belongs to one connection too. */
function plain(headers: RouteRequest['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-[a-z-]+)$/.test(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}
