// Holds every answer of the door to the door's own description: the status is documented, the media type is documented
// for that status, and a JSON body fits its closed schema. An address the description does not know must answer with
// a problem. A violation throws, so it fails the test that made the call.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'

type Media = { readonly schema?: { readonly $ref?: string } }
type Operation = {
  /** Absent where no key is asked for. */
  readonly security?: readonly unknown[]
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' }[]
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Media>> }>>
}
export type OpenApi = {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}
export type Answered = { readonly status: number; readonly headers: Headers; readonly text: string }

const SCHEMA = '#/components/schemas/'
const PROBLEM = 'application/problem+json'

export function checker(document: OpenApi) {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, formats: fullFormats })
  const compiled = new Map<string, ValidateFunction>()
  const validator = (name: string): ValidateFunction => {
    const known = compiled.get(name)
    if (known) return known
    const schema = document.components.schemas[name]
    if (schema === undefined) throw new Error(`the description names no schema ${name}`)
    const made = ajv.compile(schema)
    compiled.set(name, made)
    return made
  }

  const fits = (name: string, text: string, where: string): void => {
    const validate = validator(name)
    if (!validate(JSON.parse(text))) {
      throw new Error(`${where} is not a ${name}: ${ajv.errorsText(validate.errors)}\n${text.slice(0, 500)}`)
    }
  }

  return function check(method: string, path: string, answer: Answered): void {
    const where = `${method} ${path} → ${answer.status}`
    const media = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? ''
    const operation = operationOf(document, method, path)
    if (operation === null) {
      if (answer.status !== 404 || media !== PROBLEM) throw new Error(`${where} ${media} is not described`)
      if (method !== 'HEAD') fits('Problem', answer.text, where)
      return
    }
    const described = operation.responses[answer.status] ?? operation.responses.default
    const content = described?.content[media]
    if (content === undefined) throw new Error(`${where} ${media} is not described`)
    const name = content.schema?.$ref?.replace(SCHEMA, '')
    if (name !== undefined && method !== 'HEAD') fits(name, answer.text, where)
    if (media === PROBLEM && method !== 'HEAD') agree(answer, where)
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
