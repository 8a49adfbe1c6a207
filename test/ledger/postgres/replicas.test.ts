// Two replicas on one database: each hears what the other commits, one at a time holds a name, and what one finds wrong
// with the clock holds for both.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Entry, EventType } from '../../../src/event.js'
import type { AppendDecision, Ledger, Moment, Store } from '../../../src/ledger/contract.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { verify } from '../../../src/ledger/verify.js'
import { ask, present, type Server, startPostgres } from '../../cluster/postgres.js'
import {
  entriesOf,
  guarded,
  note,
  open,
  STARTED,
  TestClock,
  withdraw,
  withdrawDirected,
} from '../../contract/ledger/stage.js'
import { unlocked } from '../../unlocked.js'
import { until } from '../../until.js'

const HOUR = 3_600_000
const SECOND = 1_000

describe.skipIf(!present)('two replicas (needs a PostgreSQL: npm run test:setup)', () => {
  let server: Server
  let url = ''
  const stores: Store[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const { ledger } of stores.splice(0)) await ledger.close()
  })
  afterAll(() => server.end())

  async function replica(clock?: TestClock): Promise<Store> {
    const store = unlocked(await openPostgres(url, clock && { clock, wallOf: () => clock.wall() }))
    stores.push(store)
    return store
  }
  async function pair(): Promise<[Store, Store]> {
    url = await server.corner()
    // At once, as a cluster starts: both find an empty database.
    return await Promise.all([replica(), replica()])
  }
  const endBackends = (part: string) =>
    ask(
      server.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'interrupt-lane ${part}'`,
    )

  describe('commits', () => {
    const hears = (ledger: Ledger, heeded?: readonly EventType[]): number[] => {
      const heard: number[] = []
      const hear = (entries: readonly Entry[]) => heard.push(...entries.map(({ seq }) => seq))
      ledger.onCommit(hear, heeded)
      return heard
    }
    const range = (to: number): number[] => Array.from({ length: to }, (_, index) => index)

    test('both hear all of both, each entry once, in the order of the ledger', async () => {
      const [one, other] = await pair()
      const heard = [hears(one.ledger), hears(other.ledger)]
      await Promise.all(
        range(400).map(index => open(index % 2 === 0 ? one.ledger : other.ledger, `q-${index}`)),
      )
      await until('all to hear everything', () => heard.every(({ length }) => length >= 400))
      expect(heard).toEqual([range(400), range(400)])
    })

    test('each entry is the own one of exactly one replica: what they count of theirs adds up', async () => {
      const [one, other] = await pair()
      const own: [number[], number[]] = [[], []]
      const heard = [hears(one.ledger), hears(other.ledger)]
      for (const [index, { ledger }] of [one, other].entries())
        ledger.onOwnCommit(entries => void own[index]?.push(...entries.map(({ seq }) => seq)))
      const opened = await Promise.all(
        range(200).map(index => open(index % 2 === 0 ? one.ledger : other.ledger, `q-${index}`)),
      )
      await until('all to hear everything', () => heard.every(({ length }) => length >= 200))
      const seqs = opened.map(result => (result.kind === 'appended' ? result.entries[0]?.seq : undefined))
      expect(own[0]).toEqual(seqs.filter((_, index) => index % 2 === 0))
      expect(own[1]).toEqual(seqs.filter((_, index) => index % 2 === 1))
    })

    test('of what others commit only the types that are heeded are shown; of the rest it is heard that it is there', async () => {
      const [one, other] = await pair()
      const shown: string[] = []
      let calls = 0
      other.ledger.onCommit(
        entries => {
          calls += 1
          shown.push(...entries.map(({ type }) => type))
        },
        ['REQUEST_RESOLVED'],
      )
      await open(one.ledger, 'q')
      await until('word of the opening', () => calls)
      expect(shown).toEqual([])
      await withdraw(one.ledger, 'q')
      await until('the resolution', () => shown.length)
      expect(shown).toEqual(['REQUEST_RESOLVED'])
      // Its own it has anyway.
      await open(other.ledger, 'own')
      expect(shown).toEqual(['REQUEST_RESOLVED', 'REQUEST_OPENED'])
    })

    test('who heeds more has it shown from the moment it listens, whatever was being read for others', async () => {
      const [one, other] = await pair()
      hears(other.ledger, ['RECIPIENT_LINKED'])
      const opening = Promise.all(range(300).map(index => open(one.ledger, `q-${index}`)))
      await until('the first to be there', async () => (await one.ledger.head()).size)
      const all = hears(other.ledger)
      await note(one.ledger)
      await opening
      await until('the last to be heard', () => all.includes(300))
      // From somewhere on, and then without a gap.
      expect(all).toEqual(range(301).slice(all[0]))
    })

    test('what was not heard by NOTIFY is found by looking', async () => {
      const [one, other] = await pair()
      const heard = hears(other.ledger)
      await note(one.ledger)
      await until('one heard', () => heard.length, 1)
      await endBackends('listener')
      await note(one.ledger)
      await until('two heard', () => heard.length, 2)
      expect(heard).toEqual([0, 1])
    })

    test('a replica that joins later hears from then on', async () => {
      const [one] = await pair()
      await note(one.ledger)
      const late = await replica()
      const heard = hears(late.ledger)
      await note(one.ledger)
      await note(late.ledger)
      await until('two heard', () => heard.length, 2)
      expect(heard).toEqual([1, 2])
    })
  })

  describe('appends', () => {
    test('of two who open, claim and resolve the same at once, one does', async () => {
      const [one, other] = await pair()
      const ledgers = [one.ledger, other.ledger]
      const kindsOf = async (deed: (ledger: Ledger) => Promise<{ kind: string }>) =>
        (await Promise.all(ledgers.map(deed))).map(({ kind }) => kind).sort()
      for (let round = 0; round < 50; round++) {
        const id = `q-${round}`
        expect(await kindsOf(ledger => open(ledger, id))).toEqual(['appended', 'moved'])
        const guard = { kind: 'unclaimed', space: 'jti', value: id } as const
        expect(await kindsOf(ledger => guarded(ledger, guard))).toEqual(['appended', 'guarded'])
        expect(await kindsOf(ledger => withdrawDirected(ledger, id))).toEqual(['appended', 'moved'])
      }
      expect(await verify(one.ledger.lines(0))).toMatchObject({ ok: true, entries: 250 })
    })

    test('a budget of open questions holds across replicas', async () => {
      const [one, other] = await pair()
      const guards = [{ kind: 'open_questions', opened_by: 'key-1', run_id: 'run-1', at_most: 5 } as const]
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          open(index % 2 ? one.ledger : other.ledger, `q-${index}`, { guards }),
        ),
      )
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(5)
    })
  })

  describe('a held name', () => {
    test('is held by one at a time, and passes on when it is released', async () => {
      const [one, other] = await pair()
      const hold = await one.hold('listen slack', () => undefined)
      expect(hold).not.toBeNull()
      expect(await other.hold('listen slack', () => undefined)).toBeNull()
      expect(await one.hold('listen slack', () => undefined)).toBeNull()
      expect(await other.hold('listen email', () => undefined)).not.toBeNull()
      await hold?.release()
      expect(await other.hold('listen slack', () => undefined)).not.toBeNull()
    })

    test('is lost with its connection, its holder is told, and another may have it', async () => {
      const [one, other] = await pair()
      let lost = 0
      const hold = await one.hold('listen slack', () => {
        lost += 1
      })
      await endBackends('holder')
      await until('the hold to be lost', () => lost, 1)
      const taken = await until('the hold to be free', () => other.hold('listen slack', () => undefined))
      // Whoever has lost it cannot release what another holds by now.
      await hold?.release()
      expect(await one.hold('listen slack', () => undefined)).toBeNull()
      await taken.release()
      expect(await one.hold('listen slack', () => undefined)).not.toBeNull()
    })

    test('is not released by who had lost it before it was held anew', async () => {
      const [one, other] = await pair()
      let lost = false
      const before = await one.hold('listen slack', () => {
        lost = true
      })
      await endBackends('holder')
      await until('the hold to be lost', () => lost)
      await until('the hold to be had again', () => one.hold('listen slack', () => undefined))
      await before?.release()
      expect(await other.hold('listen slack', () => undefined)).toBeNull()
    })

    test('falls when its replica closes', async () => {
      const [one, other] = await pair()
      await one.hold('listen slack', () => undefined)
      await one.ledger.close()
      expect(
        await until('the hold to be free', () => other.hold('listen slack', () => undefined)),
      ).not.toBeNull()
    })

    test('in another schema of the same database is another name', async () => {
      const [one] = await pair()
      await one.hold('listen slack', () => undefined)
      url = await server.corner()
      expect(await (await replica()).hold('listen slack', () => undefined)).not.toBeNull()
    })
  })

  describe('the clock', () => {
    async function clocked() {
      url = await server.corner()
      const clock = new TestClock()
      const other = new TestClock()
      return { clock, other, one: await replica(clock), two: await replica(other) }
    }
    async function look({ ledger }: Store): Promise<Moment> {
      const seen: Moment[] = []
      await ledger.append({
        decide: (moment): AppendDecision<never> => {
          seen.push(moment)
          return { kind: 'append', events: [STARTED] }
        },
      })
      return seen.at(-1) as Moment
    }
    const suspicions = async ({ ledger }: Store) =>
      (await entriesOf(ledger)).flatMap(entry => (entry.type === 'CLOCK_SUSPECT' ? [entry.body.state] : []))

    test('what one replica suspects, no replica times out on; what one confirms, is confirmed', async () => {
      const { clock, other, one, two } = await clocked()
      await look(one)
      await look(two)
      for (const each of [clock, other]) each.jump(HOUR)
      expect((await look(one)).suspect).toBe(true)
      expect((await look(two)).suspect).toBe(true)
      for (const each of [clock, other]) each.pass(35 * SECOND)
      expect((await look(two)).suspect).toBe(false)
      expect((await look(one)).suspect).toBe(false)
      expect(await suspicions(one)).toEqual(['suspected', 'confirmed'])
      expect((await verify(one.ledger.lines(0))).problems).toEqual([])
    })

    test('what one has recorded, another that noticed it too does not record again when it is settled', async () => {
      const { clock, other, one, two } = await clocked()
      await look(one)
      for (const each of [clock, other]) each.jump(HOUR)
      await until('the second to suspect', () => two.ledger.suspect())
      await look(one)
      // The second looks once a second, and appends nothing meanwhile.
      await until('three entries there', async () => (await entriesOf(two.ledger)).length, 3)
      await new Promise(resolve => setTimeout(resolve, 1_200))
      clock.pass(35 * SECOND)
      expect((await look(one)).suspect).toBe(false)
      other.pass(35 * SECOND)
      expect((await look(two)).suspect).toBe(false)
      expect(await suspicions(one)).toEqual(['suspected', 'confirmed'])
    })

    test('a suspicion of one alone holds for all, until it is cleared by one that saw nothing wrong', async () => {
      const { clock, other, one, two } = await clocked()
      await look(one)
      await look(two)
      // The machine of the first was stopped for an hour: to it the database has jumped.
      clock.jump(HOUR)
      other.pass(0)
      expect((await look(one)).suspect).toBe(true)
      await one.ledger.close()
      expect((await look(two)).suspect).toBe(true)
      other.pass(29 * SECOND)
      expect((await look(two)).suspect).toBe(true)
      other.pass(2 * SECOND)
      expect((await look(two)).suspect).toBe(false)
      expect(await suspicions(two)).toEqual(['suspected', 'cleared'])
      expect((await verify(two.ledger.lines(0))).problems).toEqual([])
    })

    test('the time of one is never before what another has written', async () => {
      const { clock, one, two } = await clocked()
      clock.pass(20 * SECOND)
      const first = await look(one)
      expect((await look(two)).ms).toBeGreaterThanOrEqual(first.ms)
      expect((await verify(two.ledger.lines(0))).problems).toEqual([])
    })
  })
})
