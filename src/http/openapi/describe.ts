// The door's own description (OpenAPI 3.1), assembled from the routes as they are declared. The end-to-end tests hold
// every answer, refusal and query to it, so it cannot promise one that the door does not keep.
import type { z } from 'zod'
import { CODES, type Code } from '../problem.js'
import { HTML, JSON_MEDIA, type Route } from '../route.js'
import { ANSWER_BODIES } from './bodies.js'
import { reference, text } from './schema.js'
import { shapes } from './shapes.js'

const PROBLEM = 'application/problem+json'

/** Refusals of any route: the request could not be read, the store is away, or a bug was met. */
const ANYWHERE: readonly Code[] = ['malformed_json', 'internal', 'ledger_unavailable']
const WITH_A_KEY: readonly Code[] = [
  'unauthenticated',
  'scope_missing',
  'rate_limited',
  'malformed_query',
  'seal_broken',
]
const WITH_A_BODY: readonly Code[] = ['too_large', 'unsupported_media_type']

type About = { readonly version: string; readonly publicUrl: () => string }

/** Assembled once, when it is first asked for: anybody may ask. The address may be learnt after the door is built. */
export function description(routes: readonly Route[], { version, publicUrl }: About): () => object {
  let document: object | null = null
  return () => {
    document ??= openApi(routes, version)
    return { ...document, servers: [{ url: publicUrl() }] }
  }
}

function openApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Interrupt Lane', version, license: { name: 'MIT', identifier: 'MIT' } },
    paths,
    components: {
      schemas: { ...ANSWER_BODIES, ...shapes(takenBy(routes)) },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const takenBy = (routes: readonly Route[]): Record<string, z.ZodType> =>
  Object.fromEntries(
    routes.flatMap(({ takes }) =>
      typeof takes?.body === 'object' ? [[takes.body.name, takes.body.shape]] : [],
    ),
  )

function operation(route: Route) {
  const { operationId, summary, scopes, takes } = route
  return {
    operationId,
    summary,
    ...(scopes && { description: `Scope ${scopes.join(' or ')}.` }),
    security: scopes ? [{ key: [] }] : [],
    parameters: parameters(route),
    ...(takes && { requestBody: requestBody(takes) }),
    responses: responses(route),
  }
}

function parameters({ path, query = {} }: Route) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
  }))
  return [...inPath, ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }))]
}

function requestBody({ media, body, optional }: NonNullable<Route['takes']>) {
  const name = typeof body === 'object' ? body.name : body
  return { required: optional !== true, content: Object.assign({}, ...media.map(one => content(one, name))) }
}

const content = (media: string, body?: string) => ({ [media]: body ? { schema: reference(body) } : {} })

/** An answer of this status has no body. */
const EMPTY = 204

type Response = { readonly description: string; readonly content: Readonly<Record<string, unknown>> }

function responses(route: Route): Readonly<Record<string, Response>> {
  const all: Record<string, Response> = {}
  const add = (status: number, words: string, told: Response['content']): void => {
    const known = all[status]
    all[status] = {
      description: known ? `${known.description}; ${words}` : words,
      content: { ...known?.content, ...told },
    }
  }
  for (const { status, body, media = JSON_MEDIA, words } of route.answers)
    add(status, words, status === EMPTY ? {} : content(media, body))
  const isDrawn = route.answers.some(({ media }) => media === HTML)
  for (const [status, codes] of byStatus(refusedBy(route)))
    add(status, codes.join(', '), { [PROBLEM]: problem(codes), ...(isDrawn && content(HTML)) })
  return all
}

const refusedBy = ({ method, path, scopes, refuses = [] }: Route): readonly Code[] => [
  ...refuses,
  ...ANYWHERE,
  ...(scopes ? WITH_A_KEY : []),
  ...(method === 'get' ? [] : WITH_A_BODY),
  ...(path.includes('{') ? (['not_found'] as const) : []),
]

function byStatus(codes: readonly Code[]): ReadonlyMap<number, readonly Code[]> {
  const all = new Map<number, readonly Code[]>()
  for (const code of new Set(codes)) {
    const [status] = CODES[code]
    all.set(status, [...(all.get(status) ?? []), code])
  }
  return all
}

/** RFC 9457, with the codes that this status can mean here. */
const problem = (codes: readonly Code[]) => ({
  schema: { allOf: [reference('Problem'), { properties: { code: { enum: codes } } }] },
})
