// A client made of the description alone, as a generator makes one: an operation for each operationId, which fills
// the path, spells the query, sends the described body and nothing else, and gives back the body of the status.
import { type OpenApi, type Operation, validators } from './openapi.js'

type Served = { readonly servers: readonly { readonly url: string }[] }
type Given = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}
type Result = { readonly status: number; readonly data: Record<string, unknown> }
export type Client = (operationId: string, given?: Given) => Promise<Result>

export async function generate(lane: string, key: string): Promise<Client> {
  const document = (await (await fetch(`${lane}/openapi.json`)).json()) as OpenApi & Served
  const valid = validators(document)
  const [server] = document.servers
  const must = (schema: object, value: unknown, what: string): void => {
    const validate = valid(schema)
    if (!validate(value)) throw new TypeError(`${what}: ${JSON.stringify(validate.errors)}`)
  }

  const made =
    (method: string, template: string, operation: Operation) =>
    async ({ path = {}, query = {}, body }: Given = {}): Promise<Result> => {
      const { operationId, parameters, requestBody, responses, security } = operation
      for (const { name, in: where, schema } of parameters)
        if (where === 'query' && name in query) must(schema, query[name], `${operationId} ${name}`)
      const taken = requestBody?.content['application/json']?.schema
      if (taken !== undefined) must(taken, body, operationId)
      const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
      const asked = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) asked.set(name, String(value))
      const response = await fetch(`${server?.url}${filled}?${asked}`, {
        method: method.toUpperCase(),
        headers: {
          ...(security.length > 0 && { authorization: `Bearer ${key}` }),
          ...(taken !== undefined && { 'content-type': 'application/json' }),
        },
        ...(taken !== undefined && { body: JSON.stringify(body) }),
      })
      const media = response.headers.get('content-type')?.split(';')[0] ?? ''
      const described = responses[response.status]?.content[media]?.schema
      if (described === undefined)
        throw new TypeError(`${operationId} does not say ${response.status} ${media}`)
      const data = (await response.json()) as Record<string, unknown>
      must(described, data, `${operationId} ${response.status}`)
      return { status: response.status, data }
    }

  const all = new Map(
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, one]) => [one.operationId, made(method, path, one)] as const),
    ),
  )
  return async (operationId, given) => {
    const operation = all.get(operationId)
    if (operation === undefined) throw new TypeError(`there is no operation ${operationId}`)
    return operation(given)
  }
}
