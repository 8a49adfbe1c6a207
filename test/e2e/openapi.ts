// Holds every answer of the door to the door's own description: the status is documented, the media type is documented
// for that status, a JSON body fits its closed schema, the code of a problem is one of those named there, and a body that
// was taken is one that the description lets pass. An address the description does not know must answer with
// a problem. A violation throws, so it fails the test that made the call.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'

type Media = { readonly schema?: object }
export type Operation = {
  readonly operationId: string
  /** Empty where no key is asked for. */
  readonly security: readonly unknown[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly schema: object
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>
}
export type OpenApi = {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}
export type Answered = { readonly status: number; readonly headers: Headers; readonly text: string }

const PROBLEM = 'application/problem+json'
const HERE = 'lane'

/** Compiles a schema of the document, references and all. */
export function validators(document: OpenApi): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, formats: fullFormats })
  // Says to generators what oneOf says already.
  ajv.addVocabulary(['discriminator'])
  const inAjv = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${HERE}#/$defs/`))
  ajv.addSchema({ $id: HERE, $defs: inAjv(document.components.schemas) })
  const compiled = new Map<string, ValidateFunction>()
  return schema => {
    const name = JSON.stringify(schema)
    const validate = compiled.get(name) ?? ajv.compile(inAjv(schema))
    compiled.set(name, validate)
    return validate
  }
}

export function checker(document: OpenApi) {
  const validator = validators(document)
  const fits = (schema: object, text: string, where: string): void => {
    const validate = validator(schema)
    if (!validate(JSON.parse(text))) {
      const told = validate.errors
        ?.map(({ instancePath, message }) => `${instancePath} ${message}`)
        .join(', ')
      throw new Error(`${where} is not as described: ${told}\n${text.slice(0, 500)}`)
    }
  }

  return function check(method: string, path: string, answer: Answered, body?: unknown): void {
    const where = `${method} ${path} → ${answer.status}`
    const media = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? ''
    const operation = operationOf(document, method, path)
    // A stream and a deed that is recorded have no HEAD.
    if (operation === null || (method === 'HEAD' && answer.status === 404)) {
      if (answer.status !== 404 || media !== PROBLEM) throw new Error(`${where} ${media} is not described`)
      if (method !== 'HEAD') fits({ $ref: '#/components/schemas/Problem' }, answer.text, where)
      return
    }
    const described = operation.responses[answer.status]
    if (described !== undefined && answer.status === 204 && answer.text === '') return
    const content = described?.content[media]
    if (content === undefined)
      throw new Error(`${where} ${media} is not described: ${answer.text.slice(0, 200)}`)
    if (content.schema !== undefined && method !== 'HEAD') fits(content.schema, answer.text, where)
    if (media === PROBLEM && method !== 'HEAD') agree(answer, where)
    const taken = operation.requestBody?.content['application/json']?.schema
    if (answer.status < 300 && taken !== undefined && body !== undefined)
      fits(taken, JSON.stringify(body), `what ${where} has taken`)
  }
}

/** A problem repeats its status, and every sentence in it says something. */
function agree({ status, text }: Answered, where: string): void {
  const problem = JSON.parse(text) as { status: number; detail: string; title: string }
  if (problem.status !== status) throw new Error(`${where} says status ${problem.status} in its body`)
  if (problem.detail.length < 10 || problem.title === '')
    throw new Error(`${where} explains nothing: ${text}`)
}

/** The most literal of the paths that fit: /v1/requests/{id} must not stand for /v1/requests/{id}/wait. */
function operationOf(document: OpenApi, method: string, path: string): Operation | null {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
  const bare = path.split('?')[0] ?? path
  const found = Object.keys(document.paths).find(template => patternOf(template).test(bare))
  return found === undefined ? null : (document.paths[found]?.[wanted] ?? null)
}

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`)
