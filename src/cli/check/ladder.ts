// Checks whether a ladder leads to anybody, and whether whoever is away has somebody in their place.
import type { Config } from '../../config/config.js'
import { handsThrough } from '../../people/absences.js'
import type { Channel } from '../../request/channel.js'
import { everybodyOf } from '../../request/group.js'
import type { Recipient } from '../../request/recipient.js'
import type { Ladder } from '../../request/terms.js'
import { type Finding, warn } from './finding.js'
import type { Each } from './seals.js'

type Named = { readonly name: string; readonly ladder: Ladder<Recipient> }

const laddersOf = ({ actions, questions, reviews }: Config): readonly Named[] =>
  [
    ...Object.entries(actions).map(([name, { ladder }]) => ({ name, ladder })),
    { name: 'questions', ladder: questions.ladder },
    { name: 'reviews', ladder: reviews.ladder },
  ].flatMap(({ name, ladder }) => (ladder === undefined ? [] : [{ name, ladder }]))

export function checkLadders(config: Config, running: readonly Channel[]): Finding[] {
  const isReached = (userId: string): boolean =>
    config.recipients[userId]?.channels.some(channel => running.includes(channel)) ?? false
  const dead = laddersOf(config).flatMap(({ name, ladder }) =>
    ladder.flatMap((step, place) => {
      if (step.do !== 'add') return []
      const people = everybodyOf(
        step.recipients.map(({ user_id }) => user_id),
        config.groups,
      )
      return people.some(isReached) ? [] : [{ name, place, people }]
    }),
  )
  const alone = Object.entries(config.groups).filter(([, people]) => !people.some(isReached))
  return [
    ...dead.map(({ name, place, people }) =>
      warn(
        'people',
        `${name}: step ${place} of its ladder can reach nobody (${people.join(', ')})`,
        'give one of them a channel that runs, or name somebody else',
      ),
    ),
    ...alone.map(([group, people]) =>
      warn(
        'people',
        `group:${group} has nobody who can be reached (${people.join(', ')})`,
        'give one of them a channel that runs, or take the group away',
      ),
    ),
  ]
}

/** Those who are away at that time with nobody in their place: no deputy, or one who leads to nobody who is there. */
export async function checkAbsences(each: Each, now: number): Promise<Finding[]> {
  const away = new Map<string, { readonly deputy: string | null }>()
  const asked = `SELECT user_id, deputy FROM away WHERE from_ms <= ${now} AND until_ms > ${now} ORDER BY user_id`
  for await (const { user_id, deputy } of each(asked))
    away.set(String(user_id), { deputy: deputy === null ? null : String(deputy) })
  const isAlone = (userId: string): boolean =>
    handsThrough(
      one => away.get(one) ?? null,
      userId,
      () => true,
    ).length === 0
  return [...away.keys()]
    .filter(isAlone)
    .map(userId =>
      warn(
        'people',
        `${userId} is away, and nobody is asked in their place`,
        `name one of their delegates: lane recipients away ${userId} --until T --to USER`,
      ),
    )
}
