// Answers in parts, votes, withdrawals and the deadline, in every order and at once: one outcome, which follows from the
// ledger. On each store by two lanes, and on a clock that is set by hand.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Lane } from '../../src/lane/lane.js'
import type { Store } from '../../src/ledger/contract.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import type { Request } from '../../src/request/request.js'
import type { Terms } from '../../src/request/terms.js'
import { present, type Server, startPostgres } from '../cluster/postgres.js'
import { ALL } from '../faults/rig.js'
import { approval, configure, handleOf, question, raise, StageAdapter, StageClock } from '../lane/stage.js'
import { laneOn, RUN } from '../ledger/postgres/lane.js'
import { admittedTo, KEY_1, TERMS } from '../terms.js'
import { unlocked } from '../unlocked.js'
import { checkStory, PEOPLE, perform, races } from './form-orders.js'
import { CONFIG, checkVotes, ELECTORATE, polls, vote } from './vote-orders.js'

/** Two lanes on one ledger, and the hands of their clock. */
type House = {
  readonly lanes: readonly [Lane, Lane]
  readonly store: Store
  readonly slack: StageAdapter
  readonly clock: StageClock
  close(): Promise<void>
}

async function onSqlite(config = configure()): Promise<House> {
  const stage = await raise(config)
  return { ...stage, lanes: [stage.lane, stage.secondLane()] }
}

async function onPostgres(server: Server, config = configure()): Promise<House> {
  const clock = new StageClock()
  const slack = new StageAdapter('slack')
  const url = await server.corner()
  const opened = async (): Promise<Store> =>
    unlocked(await openPostgres(url, { clock, wallOf: () => clock.wall() }))
  const stores = [await opened(), await opened()] as const
  const built = (store: Store): Promise<Lane> =>
    laneOn(store, slack, error => expect(error).toBeUndefined(), config)
  const lanes = [await built(stores[0]), await built(stores[1])] as const
  return {
    lanes,
    store: stores[0],
    slack,
    clock,
    async close() {
      for (const lane of lanes) await lane.drain()
      for (const { ledger } of stores) await ledger.close()
    },
  }
}

type Opening = {
  readonly request: Request
  readonly recipients: readonly ResolvedRecipient[]
  readonly terms?: Terms
}
type Timed<D> = D | { readonly kind: 'time' }

/** Opens it, does every deed by one of the two lanes, in their order or at once, and lets the deadline come. */
async function race<D extends { readonly kind: string }>(
  { lanes, clock }: House,
  { request, recipients, terms = TERMS }: Opening,
  { deeds, atOnce }: { readonly deeds: readonly Timed<D>[]; readonly atOnce: boolean },
  perform: (lane: Lane, deed: D) => Promise<void>,
): Promise<void> {
  const [lane] = lanes
  const submission = { request, run: RUN, recipients: null }
  const opened = await lane.open(admittedTo(recipients, submission, terms), KEY_1)
  if (opened.kind !== 'opened') throw new Error(`not opened: ${opened.kind}`)
  await lane.drain()
  const past = request.deadline_seconds * 1000
  const run = async (deed: Timed<D>, at: number): Promise<void> => {
    if (deed.kind === 'time') clock.pass(past)
    else await perform(lanes[at % 2 === 0 ? 0 : 1], deed as D)
  }
  if (atOnce) await Promise.all(deeds.map(run))
  else for (const [at, one] of deeds.entries()) await run(one, at)
  clock.pass(past)
  await lane.current(opened.subject.request_id)
}

async function holds({ store }: House): Promise<void> {
  const lines: string[] = []
  for await (const line of store.ledger.lines(0)) lines.push(line)
  expect((await verify(lines)).problems).toEqual([])
  expect((await replay(lines, id => store.shelf.raw(id))).problems).toEqual([])
}

const RUNS = ALL ? 300 : 50
const PATIENCE = { timeout: 180_000 }
const ENDINGS = ['answered', 'defaulted', 'withdrawn']

async function raceForms(house: House): Promise<void> {
  const outcomes = new Set<string>()
  let made = 0
  await fc.assert(
    fc.asyncProperty(races, fc.boolean(), async ({ form, deeds }, atOnce) => {
      const id = `f-${made++}`
      const handle = (person: string): string => handleOf(house.slack, person, id)
      const opening = { request: question(id, { reply_schema: form }), recipients: PEOPLE }
      await race(house, opening, { deeds, atOnce }, (lane, deed) => perform(lane, id, form, handle, deed))
      outcomes.add(checkStory(form, await house.store.ledger.story(id)))
    }),
    { numRuns: RUNS },
  )
  expect([...outcomes].toSorted()).toEqual(ENDINGS)
  await holds(house)
}

async function raceVotes(house: House): Promise<void> {
  const outcomes = new Set<string>()
  const electorate = ELECTORATE.map(({ user_id }) => user_id)
  let made = 0
  await fc.assert(
    fc.asyncProperty(polls, fc.boolean(), async ({ quorum, deeds }, atOnce) => {
      const id = `v-${made++}`
      const handle = (person: string): string => handleOf(house.slack, person, id)
      const terms = { ...TERMS, quorum, electorate }
      const opening = { request: approval(id), recipients: ELECTORATE, terms }
      await race(house, opening, { deeds, atOnce }, (lane, deed) => vote(lane, id, handle, deed))
      outcomes.add(checkVotes(quorum, await house.store.ledger.story(id)))
    }),
    { numRuns: RUNS },
  )
  expect([...outcomes].toSorted()).toEqual(ENDINGS)
  await holds(house)
}

describe('on SQLite, whatever races', () => {
  test('a form has exactly one outcome: the one its replies come to', PATIENCE, async () => {
    const house = await onSqlite()
    await raceForms(house)
    await house.close()
  })

  test('a vote has exactly one outcome: the one its votes come to', PATIENCE, async () => {
    const house = await onSqlite(configure(CONFIG))
    await raceVotes(house)
    await house.close()
  })
})

describe.runIf(present)('on PostgreSQL, by two replicas (needs one: npm run test:setup)', () => {
  let server: Server
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.end())

  test('a form has exactly one outcome: the one its replies come to', PATIENCE, async () => {
    const house = await onPostgres(server)
    await raceForms(house)
    await house.close()
  })

  test('a vote has exactly one outcome: the one its votes come to', PATIENCE, async () => {
    const house = await onPostgres(server, configure(CONFIG))
    await raceVotes(house)
    await house.close()
  })
})
