// The door's own description (OpenAPI 3.1). The end-to-end tests hold every answer and every query to it, so of these it
// cannot say anything the door does not do.
import { CODES } from '../problem.js'
import { ANYBODY } from './anybody.js'
import { bodies } from './bodies.js'
import { OPERATOR } from './operator.js'
import { PERSON } from './person.js'
import { REQUESTS } from './requests.js'
import { HTML, type Route, text } from './route.js'
import { RUNS } from './runs.js'

/** In the order in which they are met. */
const ROUTES: readonly Route[] = [...REQUESTS, ...RUNS, ...OPERATOR, ...PERSON, ...ANYBODY]

export function openApi(version: string, url: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Interrupt Lane', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url }],
    paths,
    components: {
      schemas: bodies(Object.keys(CODES)),
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function operation(route: Route) {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
  }))
  const inQuery = Object.entries(route.query ?? {}).map(([name, schema]) => ({ name, in: 'query', schema }))
  return {
    summary: route.summary,
    ...(route.scopes && { description: `Scope ${route.scopes.join(' or ')}.`, security: [{ key: [] }] }),
    parameters: [...inPath, ...inQuery],
    ...(route.takes && { requestBody: taken(route.takes) }),
    responses: responses(route),
  }
}

const taken = ({ media, body, optional }: NonNullable<Route['takes']>) => ({
  required: optional !== true,
  content: Object.assign({}, ...media.map(one => content(one, body))),
})

const content = (media: string, body?: string) => ({ [media]: { schema: body ? reference(body) : {} } })

function responses(route: Route) {
  const all: Record<string, { description: string; content: Record<string, unknown> }> = {}
  for (const { status, body, media = 'application/json', words } of route.answers) {
    const known = all[status]
    all[status] = {
      description: known ? `${known.description}; ${words}` : words,
      content: { ...known?.content, ...content(media, body) },
    }
  }
  const drawn = route.answers.some(({ media }) => media === HTML)
  return {
    ...all,
    default: {
      description: drawn ? 'a problem (RFC 9457), or a page that says it' : 'a problem (RFC 9457)',
      content: { ...content('application/problem+json', 'Problem'), ...(drawn && content(HTML)) },
    },
  }
}
