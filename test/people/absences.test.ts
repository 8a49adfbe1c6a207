// AW1: through whose hands a request goes while people are away.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Absences, type AwayPlan, sendAway } from '../../src/people/absences.js'
import type { People } from '../../src/people/person.js'
import { raise, type Stage } from '../lane/stage.js'

const DAY_MS = 86_400_000
const names = ['ann', 'bo', 'cy', 'di', 'ed'] as const
const people: People = Object.fromEntries(
  names.map(user_id => [
    user_id,
    {
      user_id,
      name: user_id,
      addresses: { web: true },
      channels: ['web'],
      delegates: names.filter(other => other !== user_id),
    },
  ]),
)

let stage: Stage
let absences: Absences
beforeEach(async () => {
  stage = await raise()
  absences = await Absences.open(stage.store)
})
afterEach(() => stage.close())

const now = (): number => stage.store.ledger.now()
const goes = (user_id: string, to?: string, more: Partial<AwayPlan> = {}) =>
  sendAway(
    stage.store,
    { people, absences },
    { user_id, until: now() + DAY_MS, ...(to !== undefined && { to }), ...more },
    'key-1',
  )
const hands = (user: string, ms = now(), isFit = (_: { from: string; to: string }) => true) =>
  absences.handsFrom(user, ms, isFit).map(({ from, to }) => `${from}→${to}`)

describe('a request to somebody who is away', () => {
  test('goes to the one in their place, while it lasts', async () => {
    await goes('ann', 'bo', { from: now() + 1_000 })
    expect(hands('ann')).toEqual([])
    expect(hands('ann', now() + 1_000)).toEqual(['ann→bo'])
    expect(hands('ann', now() + DAY_MS)).toEqual([])
    expect(hands('bo', now() + 1_000)).toEqual([])
  })

  test('goes on through at most three hands', async () => {
    await goes('ann', 'bo')
    await goes('bo', 'cy')
    await goes('cy', 'di')
    expect(hands('ann')).toEqual(['ann→bo', 'bo→cy', 'cy→di'])
    await goes('di', 'ed')
    expect(hands('ann')).toEqual([])
    expect(hands('bo')).toEqual(['bo→cy', 'cy→di', 'di→ed'])
  })

  test('stays with them where nobody is in their place, or nobody who is there', async () => {
    await goes('ann')
    expect(hands('ann')).toEqual([])
    await goes('ann', 'bo')
    await goes('bo')
    expect(hands('ann')).toEqual([])
  })

  test('stays with them where the deputy could not be asked', async () => {
    await goes('ann', 'bo')
    expect(hands('ann', now(), ({ to }) => to !== 'bo')).toEqual([])
  })

  test('is not sent anywhere by a circle that an older word has closed', async () => {
    await goes('ann', 'bo', { from: now() + 10 })
    await goes('bo', 'ann')
    expect(hands('ann', now() + 10)).toEqual([])
    expect(hands('bo', now() + 10)).toEqual([])
  })

  test('is told the same by a lane that has started since', async () => {
    await goes('ann', 'bo')
    absences = await Absences.open(stage.store)
    expect(hands('ann')).toEqual(['ann→bo'])
  })
})
