// Deeds about one vote that race each other, and a second reading of what became of it, from the entries alone.
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Entry } from '../../src/event.js'
import type { Lane } from '../../src/lane/lane.js'
import type { Quorum } from '../../src/request/terms.js'
import { fromSlack } from '../lane/stage.js'
import { isOf } from './form-orders.js'

const VOTERS = ['ada', 'bo', 'cy'] as const
type Voter = (typeof VOTERS)[number]

export const CONFIG = `
recipients:
  ada: { name: Ada, slack: { team: T1, user: UADA } }
  bo: { name: Bo, slack: { team: T1, user: UBO } }
  cy: { name: Cy, slack: { team: T1, user: UCY } }
actions:
  PUBLISH: { approvers: [ada, bo, cy], proofs: [slack_signed] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`
export const ELECTORATE = VOTERS.map(user_id => ({ user_id, channels: ['slack'], route: 'first' }) as const)

type Deed =
  | { readonly kind: 'vote'; readonly by: Voter; readonly says: 'yes' | 'no' }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'time' }
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('vote' as const),
      by: fc.constantFrom(...VOTERS),
      says: fc.constantFrom('yes' as const, 'yes' as const, 'no' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'withdraw' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'time' as const }) },
)
export const polls = fc.record({
  quorum: fc.record({ need: fc.constantFrom(2, 3), veto: fc.boolean() }),
  deeds: fc.array(deed, { minLength: 1, maxLength: 6 }),
})

export async function vote(
  lane: Lane,
  requestId: string,
  handle: (person: string) => string,
  deed: Exclude<Deed, { kind: 'time' }>,
): Promise<void> {
  if (deed.kind === 'withdraw') return void (await lane.withdraw(requestId, 'enough', 'key-1'))
  const sender = { team: 'T1', user: `U${deed.by.toUpperCase()}` }
  const told = await lane.answer(fromSlack(handle(deed.by), deed.says, { sender }))
  expect(['accepted', 'rejected']).toContain(told.kind)
}

type Choice = 'YES' | 'NO'

/** Certain whatever those say who have not voted; null while it is not. */
function certain(votes: readonly Choice[], { need, veto }: Quorum): Choice | null {
  const yes = votes.filter(choice => choice === 'YES').length
  if (yes >= need) return 'YES'
  if (veto && yes < votes.length) return 'NO'
  return VOTERS.length - (votes.length - yes) < need ? 'NO' : null
}

/** Nobody votes twice, there is exactly one outcome, and it comes with the first vote that makes it certain. */
export function checkVotes(quorum: Quorum, story: readonly Entry[]): string {
  const [ending, ...more] = story.filter(isOf('REQUEST_RESOLVED'))
  expect(more).toEqual([])
  const voted = story.filter(isOf('HUMAN_REPLY_EVENT'))
  const people = voted.map(({ body }) => body.sender_identity.user_id)
  expect(new Set(people).size).toBe(people.length)
  const choices = voted.map(({ body }) => body.parsed_choice as Choice)
  for (const [at, { seq }] of voted.entries())
    expect(ending?.seq === seq + 1).toBe(certain(choices.slice(0, at + 1), quorum) !== null)
  const come = certain(choices, quorum)
  expect(ending?.body.outcome === 'answered').toBe(come !== null)
  expect(ending?.body.answer?.parsed_choice).toBe(come ?? undefined)
  if (come !== null) expect(ending?.body.causes).toEqual(voted.map(({ seq }) => seq))
  return ending?.body.outcome ?? 'none'
}
