// A pipeline file as it is written: its steps with their lines. Nothing is judged here that `ail` itself judges; a field
// that is not understood is kept, since a trap often lies in a field that `ail` does not read.

import { readYaml } from '../../config/yaml.js'
import { type Fields, isFields } from '../fields.js'

export const textAt = (fields: Fields, name: string): string | null =>
  typeof fields[name] === 'string' ? fields[name] : null

/** A list, or an empty one where there is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export type Step = {
  /** Its id, or a description of one that has none. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly fields: Fields
  /** The line of a field, or of the nearest one above it. */
  lineOf(...path: readonly PropertyKey[]): number
  /** Steps written inside this one. */
  within(...path: readonly PropertyKey[]): readonly Step[]
}
export type Pipeline = {
  readonly file: string
  /** The file whose steps this one changes. */
  readonly from: string | null
  readonly steps: readonly Step[]
  readonly named: ReadonlyMap<string, readonly Step[]>
}
type Read =
  | { readonly ok: true; readonly pipeline: Pipeline }
  | { readonly ok: false; readonly line: number; readonly detail: string }

export function readPipeline(file: string, text: string): Read {
  const read = readYaml(text, { aliases: true })
  if (!read.ok) {
    const [first] = read.problems
    return { ok: false, line: first?.line ?? 1, detail: first?.message ?? 'it is no YAML' }
  }
  if (!isFields(read.value)) return { ok: false, line: 1, detail: 'it is no map of fields' }
  const { value } = read
  const stepsAt = (path: readonly PropertyKey[]): readonly Step[] => {
    const list = valueAt(value, path)
    return Array.isArray(list) ? list.map((fields, place) => stepOf(fields, [...path, place])) : []
  }
  const stepOf = (given: unknown, path: readonly PropertyKey[]): Step => {
    // In a chain a bare text names a prompt or a skill.
    const fields = isFields(given) ? given : { prompt: given }
    return {
      id: textAt(fields, 'id') ?? `step ${Number(path.at(-1)) + 1}`,
      file,
      line: read.lineOf(path),
      fields,
      lineOf: (...inner) => read.lineOf([...path, ...inner]),
      within: (...inner) => stepsAt([...path, ...inner]),
    }
  }
  const names = isFields(value.pipelines) ? Object.keys(value.pipelines) : []
  return {
    ok: true,
    pipeline: {
      file,
      from: textAt(value, 'FROM'),
      steps: stepsAt(['pipeline']),
      named: new Map(names.map(name => [name, stepsAt(['pipelines', name])])),
    },
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  )
