// L8: the ledger's time, under a clock that jumps. For stores that are handed their clock.
import { describe, expect, test } from 'vitest'
import type { AppendDecision, Moment } from '../../../src/ledger/contract.js'
import { verify } from '../../../src/ledger/verify.js'
import { START } from '../../ledger/craft.js'
import { entriesOf, guarded, note, type Opener, STARTED, stageFor } from './stage.js'

const HOUR = 3_600_000
const SECOND = 1000

export function clockContract(opener: Opener): void {
  const stage = stageFor(opener)

  /** Appends, and gives what decide saw. */
  const look = async (): Promise<Moment> => {
    const seen: Moment[] = []
    await stage.ledger.append({
      decide: (moment): AppendDecision<never> => {
        seen.push(moment)
        return { kind: 'append', events: [STARTED] }
      },
    })
    return seen.at(-1) as Moment
  }
  const elapsed = async () => (await look()).ms - START
  const suspicions = async () =>
    (await entriesOf(stage.ledger)).flatMap(entry =>
      entry.type === 'CLOCK_SUSPECT' ? [entry.body.state] : [],
    )
  const holds = async () => (await verify(stage.ledger.lines(0))).problems

  describe('L8 time', () => {
    test('goes with the clock, and small corrections forward are taken over', async () => {
      const seen = [await elapsed()]
      stage.clock.pass(5 * SECOND)
      seen.push(await elapsed())
      stage.clock.jump(20 * SECOND)
      seen.push(await elapsed())
      expect([seen, await suspicions()]).toEqual([[0, 5 * SECOND, 25 * SECOND], []])
    })

    test('never goes back, whatever the wall says', async () => {
      const times: number[] = []
      for (const jump of [0, -30 * SECOND, -HOUR, 3 * HOUR, -48 * HOUR, 24 * 30 * HOUR, 0]) {
        stage.clock.jump(jump)
        stage.clock.pass(7 * SECOND)
        times.push((await look()).ms)
      }
      expect(times).toEqual(times.toSorted((one, other) => one - other))
      expect(await holds()).toEqual([])
    })

    test('does not go back when a ledger is opened by a machine whose wall is behind', async () => {
      const before = (await look()).ms
      stage.clock.jump(-HOUR)
      await stage.reopen()
      expect((await look()).ms).toBeGreaterThanOrEqual(before)
      expect(await holds()).toEqual([])
    })

    for (const [what, jump] of [
      ['an hour', HOUR],
      ['thirty days', 24 * 30 * HOUR],
    ] as const) {
      test(`a jump of ${what} ahead is suspected, not believed, and taken over once confirmed`, async () => {
        await look()
        stage.clock.jump(jump)
        const suspected = await look()
        expect([suspected.suspect, suspected.ms - START, stage.ledger.suspect()]).toEqual([true, 0, true])
        stage.clock.pass(10 * SECOND)
        expect(await look()).toMatchObject({ suspect: true, ms: START + 10 * SECOND })
        stage.clock.pass(25 * SECOND)
        expect(await look()).toMatchObject({ suspect: false, ms: START + 35 * SECOND + jump })
        expect(await suspicions()).toEqual(['suspected', 'confirmed'])
        expect([stage.ledger.suspect(), await holds()]).toEqual([false, []])
      })
    }

    test('a jump of an hour back is suspected; once confirmed, time simply goes on', async () => {
      await look()
      stage.clock.jump(-HOUR)
      expect(await look()).toMatchObject({ suspect: true, ms: START })
      stage.clock.pass(35 * SECOND)
      expect(await look()).toMatchObject({ suspect: false, ms: START + 35 * SECOND })
      stage.clock.pass(HOUR)
      expect(await look()).toMatchObject({ suspect: false, ms: START + HOUR + 35 * SECOND })
      expect(await suspicions()).toEqual(['suspected', 'confirmed'])
    })

    test('a jump that is taken back is cleared', async () => {
      await look()
      stage.clock.jump(HOUR)
      await look()
      stage.clock.pass(10 * SECOND)
      stage.clock.jump(-HOUR)
      expect(await look()).toMatchObject({ suspect: false, ms: START + 10 * SECOND })
      expect(await suspicions()).toEqual(['suspected', 'cleared'])
    })

    test('a suspicion is recorded even by an append that is refused', async () => {
      await look()
      stage.clock.jump(HOUR)
      await stage.ledger.append({ decide: () => ({ kind: 'refuse', why: 'no' }) as const })
      expect(await suspicions()).toEqual(['suspected'])
    })

    test('the ledger says the time without an append', async () => {
      await note(stage.ledger)
      stage.clock.pass(1500)
      expect(stage.ledger.now()).toBe(START + 1500)
    })
  })

  describe('L5 the hour of a budget', () => {
    test('what was asked an hour ago is forgotten', async () => {
      const budget = { kind: 'recipient_budget', opened_by: 'key-1', user_id: 'ada', at_most: 1 } as const
      const kinds = [(await guarded(stage.ledger, budget)).kind]
      stage.clock.pass(HOUR - 1)
      kinds.push((await guarded(stage.ledger, budget)).kind)
      stage.clock.pass(1)
      kinds.push((await guarded(stage.ledger, budget)).kind)
      expect(kinds).toEqual(['appended', 'guarded', 'appended'])
    })
  })
}
