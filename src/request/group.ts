// Groups: several people under one name. Wherever a person is named, `group:NAME` names all of its people.
import { ID } from './field.js'

export type Groups = Readonly<Record<string, readonly string[]>>

const PREFIX = 'group:'

/** The name of the group that is meant; null where a person is. */
export const groupNamed = (who: string): string | null =>
  who.startsWith(PREFIX) ? who.slice(PREFIX.length) : null

/** Somebody's id, or a group by its name; also as a pattern, for the description. */
export const isWho = (who: string): boolean => ID.test(groupNamed(who) ?? who)
export const WHO = `^(?:${PREFIX})?${ID.source.slice(1)}`

/** The people meant, in the order in which they are named; nobody for a group that is not there. */
export function peopleOf(who: string, groups: Groups): readonly string[] {
  const group = groupNamed(who)
  if (group === null) return [who]
  return Object.hasOwn(groups, group) ? (groups[group] ?? []) : []
}

/** Everybody once. */
export const everybodyOf = (named: readonly string[], groups: Groups): readonly string[] => [
  ...new Set(named.flatMap(who => peopleOf(who, groups))),
]
