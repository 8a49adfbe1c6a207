// Answers in parts, withdrawals and the deadline, in every order and at once: one outcome, which follows from the ledger.

import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../src/event.js'
import type { Lane } from '../../src/lane/lane.js'
import type { Store } from '../../src/ledger/contract.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import type { Request } from '../../src/request/request.js'
import { present, type Server, startPostgres } from '../cluster/postgres.js'
import { approval, DEPUTY, fromSlack, handleOf, OWNER, question, raise, StageAdapter } from '../lane/stage.js'
import { laneOn, RUN } from '../ledger/postgres/lane.js'
import { admittedTo, KEY_1, TERMS } from '../terms.js'
import { unlocked } from '../unlocked.js'
import { checkStory, type Deed, PEOPLE, perform, races } from './form-orders.js'

async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = []
  for await (const line of store.ledger.lines(0)) lines.push(line)
  return lines
}

async function holds(store: Store): Promise<void> {
  const lines = await linesOf(store)
  expect((await verify(lines)).problems).toEqual([])
  expect((await replay(lines, id => store.shelf.raw(id))).problems).toEqual([])
}

const isTimeless = (deed: Deed): deed is Exclude<Deed, { kind: 'time' }> => deed.kind !== 'time'

test('on SQLite, whatever races, a form has exactly one outcome: the one its replies come to', async () => {
  const stage = await raise()
  const outcomes = new Set<string>()
  let made = 0
  await fc.assert(
    fc.asyncProperty(races, fc.boolean(), async ({ form, deeds }, atOnce) => {
      made += 1
      const id = `f-${made}`
      await stage.open(question(id, { reply_schema: form }), PEOPLE)
      await stage.lane.drain()
      const handle = (person: string): string => handleOf(stage.slack, person, id)
      const second = stage.secondLane()
      const run = async (deed: Deed, at: number): Promise<void> => {
        if (!isTimeless(deed)) stage.clock.pass(600_000)
        else await perform(at % 2 === 0 ? stage.lane : second, id, form, handle, deed)
      }
      if (atOnce) await Promise.all(deeds.map(run))
      else for (const [at, one] of deeds.entries()) await run(one, at)
      stage.clock.pass(600_000)
      await stage.current(id)
      outcomes.add(checkStory(form, await stage.store.ledger.story(id)))
    }),
    { numRuns: 120 },
  )
  expect([...outcomes].toSorted()).toEqual(['answered', 'defaulted', 'withdrawn'])
  await holds(stage.store)
  await stage.close()
})

describe.runIf(present)('on PostgreSQL (needs one: npm run test:setup)', () => {
  let server: Server
  const slack = new StageAdapter('slack')
  const stores: Store[] = []
  const lanes: Lane[] = []
  beforeAll(async () => {
    server = await startPostgres()
    const url = await server.corner()
    stores.push(unlocked(await openPostgres(url)), unlocked(await openPostgres(url)))
    for (const store of stores) lanes.push(await laneOn(store, slack, error => expect(error).toBeUndefined()))
  })
  afterAll(async () => {
    for (const lane of lanes) await lane.drain()
    for (const { ledger } of stores) await ledger.close()
    await server.end()
  })

  test('two replicas at once give each form exactly one outcome: the one its replies come to', async () => {
    const [lane, second] = lanes
    const [store] = stores
    if (lane === undefined || second === undefined || store === undefined) throw new Error('no replicas')
    const tried = fc.sample(races, { numRuns: 60, seed: 14 })
    const ids = tried.map((_, at) => `f-${at}`)
    for (const [at, { form }] of tried.entries()) {
      const request = question(ids[at] ?? '', { reply_schema: form, deadline_seconds: 60 })
      await lane.open(admittedTo(PEOPLE, { request, run: RUN, recipients: null }), KEY_1)
    }
    await lane.drain()
    await Promise.all(
      tried.map(async ({ form, deeds }, at) => {
        const id = ids[at] ?? ''
        const handle = (person: string): string => handleOf(slack, person, id)
        const own = deeds.filter(isTimeless)
        await Promise.all(
          own.map((one, index) => perform(index % 2 === 0 ? lane : second, id, form, handle, one)),
        )
      }),
    )
    // What nobody has decided is withdrawn, so that each has an outcome without waiting for its deadline.
    await Promise.all(ids.map(id => second.withdraw(id, 'the end', 'key-1')))
    const outcomes = new Set<string>()
    for (const [at, { form }] of tried.entries())
      outcomes.add(checkStory(form, await store.ledger.story(ids[at] ?? '')))
    expect([...outcomes].toSorted()).toEqual(['answered', 'withdrawn'])
    await holds(store)
  })

  test('votes, answers, withdrawals and the deadline, on two replicas at once: one outcome each, as the oracle says', async () => {
    const [lane, second] = lanes
    const [store] = stores
    if (lane === undefined || second === undefined || store === undefined) throw new Error('no replicas')
    const deeds = fc.sample(
      fc.record({
        veto: fc.boolean(),
        owner: fc.constantFrom('yes', 'no', null),
        deputy: fc.constantFrom('yes', 'no', null),
        isWithdrawn: fc.boolean(),
        // Around the deadline, which is a second after the opening.
        after: fc.integer({ min: 700, max: 1_150 }),
      }),
      { numRuns: 60, seed: 27 },
    )
    const outcomes = await Promise.all(
      deeds.map(async ({ veto, owner, deputy, isWithdrawn, after }, at) => {
        const id = `vote-${at}`
        const request = { ...approval(id), deadline_seconds: 1 } as Request
        const terms = { ...TERMS, quorum: { need: 2, veto }, electorate: ['owner', 'deputy'] }
        await lane.open(admittedTo(PEOPLE, { request, run: RUN, recipients: null }, terms), KEY_1)
        await sleep(after)
        const says = async (by: 'owner' | 'deputy', text: string | null, on: Lane) => {
          const sender = by === 'owner' ? OWNER : DEPUTY
          if (text !== null) await on.answer(fromSlack(handleOf(slack, by, id), text, { sender }))
        }
        await Promise.all([
          says('owner', owner, lane),
          says('deputy', deputy, second),
          isWithdrawn ? second.withdraw(id, 'enough', 'key-1') : null,
        ])
        await sleep(Math.max(0, 1_300 - after))
        await second.current(id)
        return votesOf(await store.ledger.story(id), veto)
      }),
    )
    expect(new Set(outcomes).size).toBeGreaterThan(1)
    await holds(store)
  })
})

/** A second reading of a vote, from its entries: one outcome, and the one the votes before it come to. */
function votesOf(story: readonly Entry[], veto: boolean): string {
  const [ending, ...more] = story.flatMap(entry => (entry.type === 'REQUEST_RESOLVED' ? [entry.body] : []))
  expect(more).toEqual([])
  const votes = story.flatMap(entry => (entry.type === 'HUMAN_REPLY_EVENT' ? [entry.body.parsed_choice] : []))
  const no = votes.filter(vote => vote === 'NO').length
  // Of two who both must agree, one NO decides with a veto and without.
  const decided = votes.length - no === 2 ? 'YES' : no > 0 ? 'NO' : null
  expect([veto, ending?.answer?.parsed_choice ?? null]).toEqual([veto, decided])
  expect(ending?.outcome === 'answered').toBe(decided !== null)
  return ending?.outcome ?? 'none'
}
