// The ladder a request gets: the caller's own, or else the operator's for such a request. Everybody on it is admitted at
// the opening, as those who are asked at once are; whoever is asked anyway falls away.
import type { Groups } from './group.js'
import { type Named, namings, unknownGroups } from './naming.js'
import type { FieldError } from './parse.js'
import type { Recipient, ResolvedRecipient } from './recipient.js'
import type { Ladder } from './terms.js'

/** More people than this are an alarm to a whole house. */
export const MAX_LADDER_PEOPLE = 20

const addingSteps = (ladder: Ladder<Recipient>) =>
  ladder.flatMap((step, place) =>
    step.do === 'add' ? [{ at: `/ladder/${place}/recipients`, recipients: step.recipients }] : [],
  )

/** Everybody a caller's ladder names. */
export const namedOn = (ladder: Ladder<Recipient>, groups: Groups): readonly Named[] =>
  addingSteps(ladder).flatMap(({ at, recipients }) => namings(recipients, at, groups))

/** The faults of a caller's ladder that its shape cannot show. */
export function flawsOf(ladder: Ladder<Recipient>, deadline_seconds: number, groups: Groups): FieldError[] {
  const people = new Set(namedOn(ladder, groups).map(({ recipient }) => recipient.user_id)).size
  const tooMany =
    people <= MAX_LADDER_PEOPLE
      ? []
      : [{ field: '/ladder', read: `${people} people`, accepted: `at most ${MAX_LADDER_PEOPLE} people` }]
  return [
    ...addingSteps(ladder).flatMap(({ at, recipients }) => unknownGroups(recipients, at, groups)),
    ...tooMany,
    ...ladder.flatMap(({ after_seconds }, place) =>
      after_seconds < deadline_seconds ? [] : [beyond(place, after_seconds, deadline_seconds)],
    ),
  ]
}

const beyond = (place: number, after: number, deadline: number): FieldError => ({
  field: `/ladder/${place}/after_seconds`,
  read: `${after}`,
  accepted: `a whole number of seconds below the deadline, ${deadline}`,
})

type Entrance = {
  readonly groups: Groups
  readonly resolve: (recipient: Recipient) => ResolvedRecipient
  /** Left out without a word, as the owner of the key where four eyes are needed. */
  readonly isLeftOut: (userId: string) => boolean
}

/** The steps as they hold: everybody by name, nobody twice. An operator's step beyond this deadline falls away. */
export function ladderOf(
  given: Ladder<Recipient>,
  asked: readonly ResolvedRecipient[],
  deadline_seconds: number,
  { groups, resolve, isLeftOut }: Entrance,
): Ladder {
  const known = new Set(asked.map(({ user_id }) => user_id))
  return given
    .filter(({ after_seconds }) => after_seconds < deadline_seconds)
    .flatMap((step): Ladder => {
      if (step.do !== 'add') return [step]
      const added = namings(step.recipients, '', groups)
        .map(({ recipient }) => recipient)
        .filter(({ user_id }) => !known.has(user_id) && !isLeftOut(user_id))
      for (const { user_id } of added) known.add(user_id)
      return added.length === 0 ? [] : [{ ...step, recipients: added.map(resolve) }]
    })
}
