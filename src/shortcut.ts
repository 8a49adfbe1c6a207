// A short cut past a schema. A plain value is recognised by its members alone, several times faster than by its
// schema. The short cut only ever says yes: any other value goes to the schema, which decides. Property tests hold
// each pair together: plain implies no flaw.
export type Is = (value: unknown) => boolean
/** The rule for each member and whether it is required, and how many are. */
export type Plain = { readonly members: ReadonlyMap<string, Member>; readonly required: number }
type Member = { readonly is: Is; readonly required: boolean }

const HASH = /^sha256:[0-9a-f]{64}$/

export const isHash: Is = value => typeof value === 'string' && HASH.test(value)
export const isName: Is = value => typeof value === 'string' && value.length >= 1 && value.length <= 256
export const isCount: Is = value => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
export const oneOf = (...values: readonly string[]): Is => {
  const known = new Set<unknown>(values)
  return value => known.has(value)
}

export function plain(members: Readonly<Record<string, Is>>, absent: readonly string[] = []): Plain {
  const all = Object.entries(members).map(
    ([name, is]) => [name, { is, required: !absent.includes(name) }] as const,
  )
  return { members: new Map(all), required: all.filter(([, { required }]) => required).length }
}

export function fits({ members, required }: Plain, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  let found = 0
  for (const name in value) {
    const member = members.get(name)
    if (member === undefined || !member.is((value as Record<string, unknown>)[name])) return false
    if (member.required) found += 1
  }
  return found === required
}
