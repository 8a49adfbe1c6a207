// The caller's door, put together: limits first, then the caller's key, then the routes. Nothing a stranger sends may
// cost more than its size.
import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { LedgerUnavailable, OutcomeUnknown, SealBroken } from '../ledger/contract.js'
import { valueAt } from '../request/refusal.js'
import { quote } from '../request/text.js'
import { type Door, type DoorParts, turnedAway } from './door.js'
import { dress, hangUp, headersFor } from './headers.js'
import { readJsonBytes } from './json.js'
import { description } from './openapi/describe.js'
import { Places } from './places.js'
import { type Code, refuse } from './problem.js'
import { mount } from './route.js'
import { ROUTES } from './routes.js'

/** Above the largest legal request with its envelope, escaped throughout; contents come beside it. */
const JSON_BYTES = 128 * 1024
/** A client must send its headers, and its whole request, within these. */
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000

type DoorSettings = {
  readonly trustProxy: boolean | number | readonly string[]
  /** The path under which PUBLIC_URL is served, where the proxy does not strip it: '' or '/lane'. */
  readonly prefix: string
  /** Whether people reach it by https. */
  readonly isHttps: boolean
}

export function buildServer(parts: DoorParts, settings: DoorSettings, log: Logger): FastifyInstance {
  const headers = headersFor(settings.isHttps)
  const app = Fastify({
    trustProxy: settings.trustProxy as boolean,
    bodyLimit: JSON_BYTES,
    requestTimeout: REQUEST_MS,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    // A request with no host, or two, is refused below: Node's own refusal would be bare.
    http: { headersTimeout: HEADERS_MS, maxHeaderSize: 16 * 1024, requireHostHeader: false },
    clientErrorHandler: hangUp(headers),
    // An artifact's id may have 200 characters, each of them two units.
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    // Requests on open connections during a stop get our own 503 below.
    return503OnClosing: false,
    logger: false,
    // No route has a schema of the framework's: its compilers would be loaded for nothing.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // A path that cannot be decoded is simply not there.
    frameworkErrors: (_error, _request, reply) =>
      refuse(reply, 'not_found', 'There is nothing at this address.'),
    rewriteUrl: request => withoutPrefix(request.url ?? '/', settings.prefix),
  })

  dress(app.server, headers)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (takesBytes(request)) return done(null, body)
    const read = readJsonBytes(body as Buffer)
    if (read.ok && body.length > JSON_BYTES && isTooLong(request, read.value)) return done(tooLarge())
    if (read.ok) return done(null, read.value)
    done(Object.assign(new Error(read.detail), { statusCode: 400, code: 'LANE_JSON' }))
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (takesBytes(request)) return done(null, body)
    if (body.length === 0) return done(null, undefined)
    done(Object.assign(new Error('not JSON'), { statusCode: 415, code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }))
  })

  // Without a promise, since nearly every caller is known at once.
  app.addHook('onRequest', (request, reply, done) => {
    if (parts.closing.aborted) {
      refuse(reply.header('retry-after', 1), 'ledger_unavailable', STOPPING)
      return
    }
    if (!namesOneHost(request)) {
      refuse(reply, 'malformed_json', UNREADABLE)
      return
    }
    const enter = (isTurnedAway: boolean): void => {
      if (isTurnedAway) return
      const flaw = request.caller === undefined ? null : flawOfQuery(request)
      if (flaw === null) done()
      else refuse(reply, 'malformed_query', flaw)
    }
    const judged = turnedAway(request, reply, parts)
    if (typeof judged === 'boolean') enter(judged)
    else judged.then(enter, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    parts.metrics.answered(route, reply.statusCode, reply.elapsedTime / 1000)
    if (log.isLevelEnabled('debug')) log.debug(lineOf(request, reply, route))
    done()
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, 'not_found', 'There is nothing at this address.'))
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { code, detail } = translate(error, request.routeOptions.url)
    if (code === 'internal' || code === 'ledger_unavailable') {
      log.error({ err: error, route: request.routeOptions.url }, 'a request could not be served')
    }
    if (code === 'ledger_unavailable') reply.header('retry-after', 5)
    refuse(reply, code, detail)
  })

  hangUpUnused(app)
  mount(app, ROUTES, open(parts))
  return app
}

function noSchema(): never {
  throw new Error('a route is declared in route.ts, and has no schema of the framework’s')
}

/** Where contents are what makes a body long, only one that has some may be as long as its route allows. */
const isTooLong = ({ routeOptions: { config } }: FastifyRequest, body: unknown): boolean =>
  config.declared?.takes?.isLongByContents === true && valueAt(body, ['contents']) === undefined
const tooLarge = (): Error =>
  Object.assign(new Error('too large'), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' })

function open(parts: DoorParts): Door {
  const { waits_per_key, streams_per_key } = parts.config.limits
  // Each open stream listens for the end of the lane, and there may be many.
  setMaxListeners(0, parts.closing)
  return {
    ...parts,
    waits: new Places(waits_per_key),
    streams: new Places(streams_per_key),
    messages: new Places(waits_per_key),
    describe: description(ROUTES, parts),
  }
}

/** Browsers and balancers connect ahead of need, and Node counts a connection without a request as busy: it would
 *  hold up a stop until the time for stopping is over. */
function hangUpUnused(app: FastifyInstance): void {
  const unused = new Set<Socket>()
  app.server.on('connection', socket => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }) => unused.delete(socket))
  app.addHook('preClose', done => {
    for (const socket of unused) socket.destroy()
    done()
  })
}

/** RFC 9112, section 3.2: with two hosts, a proxy in front may have judged the other one. HTTP/1.0 has none. */
function namesOneHost({ raw }: FastifyRequest): boolean {
  let hosts = 0
  for (let at = 0; at < raw.rawHeaders.length; at += 2)
    if (raw.rawHeaders[at]?.length === 4 && raw.rawHeaders[at]?.toLowerCase() === 'host') hosts++
  return hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')
}

/** The route, never the address: a reply handle in a log would be a right to answer in a log. */
const lineOf = ({ method, caller }: FastifyRequest, reply: FastifyReply, route: string) => ({
  method,
  route,
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime),
  key: caller?.key_id,
})

/** A second value, or a name that means nothing here, would have to be ignored in silence. */
function flawOfQuery({ query, routeOptions: { config } }: FastifyRequest): string | null {
  const given = Object.entries(query as Record<string, unknown>)
  if (given.length === 0) return null
  const takes = Object.keys(config.declared?.query ?? {})
  for (const [name, value] of given) {
    if (!takes.includes(name))
      return `${quote(name)} is no query parameter of this address, which takes ${takes.join(', ') || 'none'}.`
    if (typeof value !== 'string') return 'Each query parameter is given once.'
  }
  return null
}

/** The form of a reply page and a webhook are read by their own adapters, a blob may be any bytes, and without a
 *  route nobody reads. */
const takesBytes = ({ routeOptions: { url, config } }: FastifyRequest): boolean =>
  url === undefined || config.declared?.takes?.isBytes === true

function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url
}

const STOPPING = 'The lane is being stopped. Nothing was recorded: try again shortly.'
const UNREADABLE = 'The request could not be read.'
const TOO_LARGE =
  'A body has at most 128 KiB, with contents 400 KiB: PUT /v1/blobs takes larger ones, up to 256 KiB each.'

/** Surprises and the framework's own refusals, in our codes. Nothing of an inner error reaches the caller. */
function translate(error: FastifyError, route = ''): { readonly code: Code; readonly detail: string } {
  if (error instanceof OutcomeUnknown) {
    const detail = 'It is not known whether this was recorded. Try again with the same id: it counts once.'
    return { code: 'ledger_unavailable', detail }
  }
  if (error instanceof LedgerUnavailable) {
    return { code: 'ledger_unavailable', detail: 'Nothing was recorded. Try again shortly.' }
  }
  if (error instanceof SealBroken) {
    return { code: 'seal_broken', detail: `It gives no right, and nothing was recorded: ${error.message}.` }
  }
  switch (error.code) {
    case 'LANE_JSON':
      return { code: 'malformed_json', detail: error.message }
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        code: 'too_large',
        detail: route === '/v1/requests' ? TOO_LARGE : 'The body is larger than anything this address takes.',
      }
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { code: 'malformed_json', detail: 'Content-Length does not match the body.' }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported_media_type', detail: 'Send application/json.' }
    default:
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
        return { code: 'malformed_json', detail: UNREADABLE }
      }
      return { code: 'internal', detail: 'The lane has logged what went wrong. Nothing was acknowledged.' }
  }
}
