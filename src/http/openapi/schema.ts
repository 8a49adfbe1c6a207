// The words of JSON Schema that descriptions are made of.
export type Schema = Readonly<Record<string, unknown>>

export const text: Schema = { type: 'string' }
export const instant: Schema = { type: 'string', format: 'date-time' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const flag: Schema = { type: 'boolean' }
export const anything: Schema = { type: 'object' }

export const whole = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
})
export const one = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const maybe = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Closed, so that a field nobody described fails the tests. All are required unless the name ends in "?". */
export function object(fields: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(fields)
  const plain = (name: string): string => name.replace(/\?$/, '')
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map(name => [plain(name), fields[name]])),
    required: names.filter(name => !name.endsWith('?')),
  }
}
