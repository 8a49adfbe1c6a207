// Reply, time and withdrawal in every order, against a real ledger: one outcome, and everybody is told which.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EntryOf } from '../../src/event.js'
import type { Withdrawn } from '../../src/lane/withdraw.js'
import type { Received } from '../../src/reply/receive.js'
import { ALL } from '../faults/rig.js'
import { DEPUTY, fromSlack, handleOf, question, raise, type Stage } from './stage.js'

let stage: Stage
beforeAll(async () => {
  stage = await raise()
})
afterAll(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const BOTH = [
  { user_id: 'owner', channels: ['slack'], route: 'first' },
  { user_id: 'deputy', channels: ['slack'], route: 'first' },
] as const

let count = 0
async function ask() {
  const id = `race-${count++}`
  const subject = await stage.open(question(id), BOTH)
  await stage.lane.drain()
  const yes = fromSlack(handleOf(stage.slack, 'owner', id), 'yes', { provider_message_id: `${id}-yes` })
  const no = fromSlack(handleOf(stage.slack, 'deputy', id), 'no', {
    sender: DEPUTY,
    provider_message_id: `${id}-no`,
  })
  return { id, subject, yes, no }
}

async function outcomeOf(id: string) {
  const resolved = (await stage.store.ledger.story(id)).filter(
    (entry): entry is EntryOf<'REQUEST_RESOLVED'> => entry.type === 'REQUEST_RESOLVED',
  )
  expect(resolved).toHaveLength(1)
  return resolved[0] as EntryOf<'REQUEST_RESOLVED'>
}

/** The winner is told it has won, everybody else what holds. */
function expectConsistent(
  outcome: EntryOf<'REQUEST_RESOLVED'>,
  deadline_at: string,
  replies: readonly Received[],
  withdrawals: readonly Withdrawn[],
): void {
  const { outcome: kind, answer } = outcome.body
  const accepted = replies.filter(one => one.kind === 'accepted')
  expect(accepted).toHaveLength(kind === 'answered' ? 1 : 0)
  for (const one of replies) {
    if (one.kind === 'accepted') expect(one.subject.answer).toEqual(answer)
    else if (one.kind === 'rejected') expect(['already_resolved', 'duplicate_message']).toContain(one.reason)
    else throw new Error('a true handle is not unknown')
    expect(one.subject.state).toBe(kind)
  }
  for (const one of withdrawals) {
    expect(one.kind).toBe(kind === 'withdrawn' ? 'withdrawn' : 'already_resolved')
    if (one.kind !== 'unknown') expect(one.subject.state).toBe(kind)
  }
  if (kind === 'defaulted') expect(outcome.at >= deadline_at).toBe(true)
  else expect(outcome.at < deadline_at).toBe(true)
}

describe('[LANE-069] exactly one outcome', () => {
  test('by any schedule of two replies, a repetition, a withdrawal, two alarms and the coming of the deadline', async () => {
    const outcomes = new Set<string>()
    let pauses: readonly number[] = [0]
    let released = 0
    // After each release the loop turns as often as the schedule says: deeds overlap, or follow on each other.
    const act = async (release: () => Promise<unknown>): Promise<void> => {
      await release()
      for (let left = pauses[released++ % pauses.length] ?? 0; left > 0; left--)
        await new Promise(resolve => setImmediate(resolve))
    }
    const pausing = fc.array(fc.constantFrom(0, 0, 0, 1, 5, 200), { minLength: 9, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler({ act }),
        pausing,
        fc.nat({ max: 5 }),
        async (scheduler, given, early) => {
          pauses = given
          const { id, subject, yes, no } = await ask()
          stage.clock.pass(subject.deadline_ms - stage.store.ledger.now() - early)
          const when = <T>(label: string, deed: () => Promise<T>): Promise<T> =>
            scheduler.schedule(Promise.resolve(), label).then(deed)
          const passes = when('time passes', async () => stage.clock.pass(1))
          const more = [
            when('time passes', async () => stage.clock.pass(1)),
            when('time passes', async () => stage.clock.pass(1)),
          ]
          const replies = [
            when('yes', () => stage.lane.answer(yes)),
            when('yes again', () => stage.lane.answer(yes)),
            when('no', () => stage.lane.answer(no)),
          ]
          const withdrawals = [when('withdraw', () => stage.lane.withdraw(id, 'not needed', 'key-1'))]
          const alarms = [
            when('alarm', () => stage.lane.advance(id)),
            when('alarm', () => stage.lane.advance(id)),
          ]
          await scheduler.waitFor(Promise.all([passes, ...more, ...replies, ...withdrawals, ...alarms]))
          const outcome = await outcomeOf(id)
          outcomes.add(outcome.body.outcome)
          expectConsistent(
            outcome,
            subject.deadline_at,
            await Promise.all(replies),
            await Promise.all(withdrawals),
          )
          await stage.lane.drain()
        },
      ),
      { numRuns: ALL ? 150 : 75 },
    )
    expect([...outcomes].sort()).toEqual(['answered', 'defaulted', 'withdrawn'])
  })

  test('when everything is said in the same turn of the loop, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(['yes', 'no', 'withdraw', 'alarm', 'read'] as const, { minLength: 3 }),
        fc.integer({ min: 0, max: 1 }),
        async (order, early) => {
          const { id, subject, yes, no } = await ask()
          stage.clock.pass(subject.deadline_ms - stage.store.ledger.now() - early)
          const replies: Promise<Received>[] = []
          const withdrawals: Promise<Withdrawn>[] = []
          for (const deed of order) {
            if (deed === 'yes') replies.push(stage.lane.answer(yes))
            if (deed === 'no') replies.push(stage.lane.answer(no))
            if (deed === 'withdraw') withdrawals.push(stage.lane.withdraw(id, 'x', 'key-1'))
            if (deed === 'alarm') void stage.lane.advance(id)
            if (deed === 'read') void stage.lane.current(id)
          }
          const [said, withdrawn] = [await Promise.all(replies), await Promise.all(withdrawals)]
          const outcome = await outcomeOf(id)
          expectConsistent(outcome, subject.deadline_at, said, withdrawn)
          expect(outcome.body.outcome === 'defaulted').toBe(early === 0)
          await stage.lane.drain()
        },
      ),
      { numRuns: ALL ? 60 : 20 },
    )
  })

  test('at the boundary: one millisecond before the deadline the answer holds, at the deadline the default', async () => {
    const before = await ask()
    stage.clock.pass(before.subject.deadline_ms - stage.store.ledger.now() - 1)
    expect(await stage.lane.answer(before.yes)).toMatchObject({ kind: 'accepted' })
    const at = await ask()
    stage.clock.pass(at.subject.deadline_ms - stage.store.ledger.now())
    const late = await stage.lane.answer(at.yes)
    expect(late).toMatchObject({
      kind: 'rejected',
      reason: 'already_resolved',
      subject: { state: 'defaulted', resolved_at: at.subject.deadline_at },
    })
  })

  test('when a hundred people answer at once', async () => {
    const { id, yes } = await ask()
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        stage.lane.answer({ ...yes, provider_message_id: `${id}-${n}`, text: n % 2 ? 'yes' : 'no' }),
      ),
    )
    expect(all.filter(one => one.kind === 'accepted')).toHaveLength(1)
    await outcomeOf(id)
    await stage.lane.drain()
  })
})
