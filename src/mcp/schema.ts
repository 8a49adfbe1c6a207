// A tool's schema as it is listed. The protocol has a default dialect of JSON Schema, so none is named: clients that
// know only another one refuse a schema that names it.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'

export function listed<I, O>(schema: StandardSchemaWithJSON<I, O>): StandardSchemaWithJSON<I, O> {
  const { jsonSchema, ...standard } = schema['~standard']
  const { input, output } = jsonSchema
  return {
    '~standard': {
      ...standard,
      jsonSchema: { input: options => unnamed(input(options)), output: options => unnamed(output(options)) },
    },
  }
}

const unnamed = ({ $schema: _dialect, ...schema }: Record<string, unknown>): Record<string, unknown> => schema
