// The people a submission names, one by one: groups stand for their people, and everybody keeps the place at which they
// were named, so that a refusal can point there.
import { type Groups, groupNamed, peopleOf } from './group.js'
import type { FieldError } from './parse.js'
import type { Recipient } from './recipient.js'
import { quote } from './text.js'

export type Named = { readonly field: string; readonly recipient: Recipient }

/** Who is named twice, by a group and beside it, counts where they are named first. */
export function namings(recipients: readonly Recipient[], at: string, groups: Groups): readonly Named[] {
  const known = new Set<string>()
  return recipients.flatMap(({ user_id: who, channels }, index) =>
    peopleOf(who, groups)
      .filter(user_id => !known.has(user_id) && known.add(user_id))
      .map(user_id => ({
        field: `${at}/${index}`,
        recipient: { user_id, ...(channels !== undefined && { channels }) },
      })),
  )
}

/** The groups that are not there, each with those that are. */
export function unknownGroups(recipients: readonly Recipient[], at: string, groups: Groups): FieldError[] {
  const known = Object.keys(groups).map(name => `group:${name}`)
  return recipients.flatMap(({ user_id: who }, index) => {
    const group = groupNamed(who)
    if (group === null || Object.hasOwn(groups, group)) return []
    const accepted = known.length === 0 ? 'a person: no group is configured' : `one of ${known.join(', ')}`
    return [{ field: `${at}/${index}`, read: quote(who), accepted }]
  })
}
