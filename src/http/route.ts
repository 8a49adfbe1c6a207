// A route, declared once: the router, the checks before it and the description (/openapi.json) all read this declaration.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Scope } from '../ledger/shelf.js'
import type { Door } from './door.js'
import type { BodyName } from './openapi/bodies.js'
import type { Schema } from './openapi/schema.js'
import type { Code } from './problem.js'

type Method = 'get' | 'post' | 'put' | 'delete'

/** One possible answer of a route that succeeds. */
export type PossibleAnswer = {
  readonly status: number
  readonly words: string
  /** JSON if absent. */
  readonly media?: string
  readonly body?: BodyName
}

/** A body as the handler parses it: the same shape describes it and reads it. */
type Shape = { readonly name: string; readonly shape: z.ZodType }

type Taken = {
  readonly media: readonly string[]
  readonly body?: Shape | BodyName
  /** Whether it may be left out. */
  readonly optional?: true
  /** The handler gets the bytes as they came, of any kind. */
  readonly isBytes?: true
  /** Only a body with contents may be longer than others. */
  readonly isLongByContents?: true
  /** The limit in bytes, if it is not the common one of JSON. */
  readonly atMost?: number
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** The request as a handler gets it: the path's names are always there, those of the query may be. */
export type RouteRequest<Params extends string = never, Query extends string = never> = FastifyRequest<{
  Params: Readonly<Record<Params, string>>
  Querystring: { readonly [name in Query]?: string }
}>

export type Route<Path extends string = string, Query extends string = string> = {
  readonly method: Method
  /** As OpenAPI spells it: /v1/requests/{id}. */
  readonly path: Path
  /** Its name in a generated client. */
  readonly operationId: string
  readonly summary: string
  /** Any one of these scopes opens it; absent if it is open to all. */
  readonly scopes?: readonly Scope[]
  /** Further words for whoever comes without a key. */
  readonly keyless?: string
  /** The query parameters it takes; a route behind a key takes no others. */
  readonly query?: Readonly<Record<Query, Schema>>
  readonly takes?: Taken
  readonly answers: readonly PossibleAnswer[]
  /** The codes of its own; those of the door itself are not repeated. */
  readonly refuses?: readonly Code[]
  /** Absent if a HEAD is answered as the GET is. */
  readonly head?: false
  /** Tells some of the framework's own refusals in another way, and throws the rest again. */
  onError?(door: Door, error: FastifyError, request: FastifyRequest, reply: FastifyReply): void
  handle(door: Door, request: RouteRequest<NamesIn<Path>, Query>, reply: FastifyReply): unknown
}

/** Gives the handler the names that the path and the query declare. */
export const route = <const Path extends string, Query extends string = never>(
  declared: Route<Path, Query>,
): Route => declared

export const JSON_MEDIA = 'application/json'
export const HTML = 'text/html'
export const PLAIN = 'text/plain'

export const ok = (body: BodyName, words: string, status = 200): PossibleAnswer => ({ status, body, words })
export const takesJson = (name: string, shape: z.ZodType): Taken => ({
  media: [JSON_MEDIA],
  body: { name, shape },
})

export function mount(app: FastifyInstance, routes: readonly Route[], door: Door): void {
  for (const declared of routes) {
    const { method, path, takes, head } = declared
    app.route({
      method: method.toUpperCase(),
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      ...(takes?.atMost !== undefined && { bodyLimit: takes.atMost }),
      ...(head === false && { exposeHeadRoute: false }),
      ...(declared.onError && {
        errorHandler: (error, request, reply) => declared.onError?.(door, error, request, reply),
      }),
      config: { declared },
      handler: (request, reply) => declared.handle(door, request as RouteRequest<string, string>, reply),
    })
  }
}
