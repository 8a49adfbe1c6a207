// A short cut past a schema. A value that is plain is told from its members alone, several times faster than by its schema.
// The short cut only ever says yes: whatever is not plain goes to the schema, which decides. Property tests hold each
// pair together: plain implies no flaw.
export type Is = (value: unknown) => boolean
/** What each member must be, and how many of them must be there. */
export type Plain = { readonly members: ReadonlyMap<string, Is>; readonly required: ReadonlySet<string> }

const HASH = /^sha256:[0-9a-f]{64}$/

export const isHash: Is = value => typeof value === 'string' && HASH.test(value)
export const isName: Is = value => typeof value === 'string' && value.length >= 1 && value.length <= 256
export const isCount: Is = value => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
export const oneOf = (...values: readonly string[]): Is => {
  const known = new Set<unknown>(values)
  return value => known.has(value)
}

export const plain = (members: Readonly<Record<string, Is>>, absent: readonly string[] = []): Plain => ({
  members: new Map(Object.entries(members)),
  required: new Set(Object.keys(members).filter(name => !absent.includes(name))),
})

export function fits({ members, required }: Plain, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  let found = 0
  for (const name in value) {
    const is = members.get(name)
    if (is === undefined || !is((value as Record<string, unknown>)[name])) return false
    if (required.has(name)) found += 1
  }
  return found === required.size
}
