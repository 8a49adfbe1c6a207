// A short cut past a schema. A plain value is recognised by its members alone, several times faster than by its
// schema. The short cut only ever says yes: any other value goes to the schema, which decides. Property tests hold
// each pair together: plain implies no flaw.
export type Is = (value: unknown) => boolean
/** The rule for each member, and how many are required. */
export type Plain = {
  readonly members: ReadonlyMap<string, Member>
  readonly required: number
  /** The members in the order of the last value: the next one nearly always has the same, and none is looked up. */
  readonly order: Member[]
}
type Member = { readonly name: string; readonly is: Is; readonly required: boolean }

/** Each digit by itself: this engine counts its way through `{64}`, which takes half as long again. */
const HASH = new RegExp(`^sha256:${'[0-9a-f]'.repeat(64)}$`)

export const isHash: Is = value => typeof value === 'string' && HASH.test(value)
export const isName: Is = value => typeof value === 'string' && value.length >= 1 && value.length <= 256
export const isCount: Is = value => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
export const oneOf =
  (...values: readonly string[]): Is =>
  value =>
    values.includes(value as string)

export function plain(members: Readonly<Record<string, Is>>, absent: readonly string[] = []): Plain {
  const all = Object.entries(members).map(([name, is]) => ({ name, is, required: !absent.includes(name) }))
  const required = all.filter(member => member.required).length
  return { members: new Map(all.map(member => [member.name, member])), required, order: [...all] }
}

export function fits({ members, required, order }: Plain, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  let found = 0
  let place = 0
  for (const name in value) {
    const likely = order[place]
    const member = likely?.name === name ? likely : members.get(name)
    if (member === undefined || !member.is((value as Record<string, unknown>)[name])) return false
    if (member !== likely) order[place] = member
    if (member.required) found += 1
    place += 1
  }
  return found === required
}
