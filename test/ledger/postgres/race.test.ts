// Two replicas, the same thousand requests, and for each of them a reply, a withdrawal and the alarm at the moment of its
// deadline, on both: one outcome each, and everybody is told which.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Case } from '../../../src/agenda/case.js'
import type { EntryOf } from '../../../src/event.js'
import type { Lane } from '../../../src/lane/lane.js'
import type { Store } from '../../../src/ledger/contract.js'
import { parseEntry } from '../../../src/ledger/entry.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { verify } from '../../../src/ledger/verify.js'
import { present, type Server, startPostgres } from '../../cluster/postgres.js'
import { ALL } from '../../faults/rig.js'
import { fromSlack, handleOf, question, StageAdapter } from '../../lane/stage.js'
import { admittedTo, KEY_1 } from '../../terms.js'
import { unlocked } from '../../unlocked.js'
import { laneOn, RUN, TO_OWNER } from './lane.js'

const REQUESTS = 1_000
/** The deadlines come in waves, a second apart: the race is to be between the deeds, not against the machine. */
const FIRST_SECONDS = 10
const WAVES = 8
/** Deeds fall this long around the deadline, most of them before it, so that each kind wins some. */
const SPREAD_MS = 400
const BEFORE = 0.85

// For a quarter of a minute on the machine's own clock; on one that is set by hand test/lane/race.test.ts has it.
describe.runIf(ALL && present)('two replicas race (needs a PostgreSQL: npm run test:setup)', () => {
  let server: Server
  const slack = new StageAdapter('slack')
  const stores: Store[] = []
  const lanes: Lane[] = []
  const troubles: unknown[] = []

  beforeAll(async () => {
    server = await startPostgres()
    const url = await server.corner()
    stores.push(unlocked(await openPostgres(url)), unlocked(await openPostgres(url)))
    for (const store of stores) lanes.push(await laneOn(store, slack, error => void troubles.push(error)))
  })
  afterAll(async () => {
    for (const lane of lanes) await lane.drain()
    for (const { ledger } of stores) await ledger.close()
    await server.end()
  })

  const laneAt = (index: number): Lane => {
    const lane = lanes[index % lanes.length]
    if (lane === undefined) throw new Error('no lane')
    return lane
  }

  async function ask(index: number): Promise<Case> {
    const request = question(`race-${index}`, { deadline_seconds: FIRST_SECONDS + (index % WAVES) })
    const opened = await laneAt(index).open(
      admittedTo(TO_OWNER, { request, run: RUN, recipients: null }),
      KEY_1,
    )
    if (opened.kind !== 'opened') throw new Error(`not opened: ${opened.kind}`)
    return opened.subject
  }

  /** What each was told, once everything about this request has been said and done. */
  async function race({ request_id, deadline_ms }: Case, index: number) {
    const at = async <T>(deed: () => Promise<T>): Promise<T> => {
      const when = deadline_ms + (Math.random() - BEFORE) * SPREAD_MS
      await sleep(Math.max(0, when - (stores[0]?.ledger.now() ?? 0)))
      return await deed()
    }
    const handle = handleOf(slack, 'owner', request_id)
    const reply = (text: string, lane: Lane) =>
      at(() => lane.answer(fromSlack(handle, text, { provider_message_id: `${request_id}-${text}` })))
    const [one, other] = [laneAt(index), laneAt(index + 1)]
    const [yes, no, withdrawn] = await Promise.all([
      reply('yes', one),
      reply('no', other),
      at(() => (index % 3 === 0 ? one : other).withdraw(request_id, 'not needed', 'key-1')),
      at(() => one.advance(request_id)),
      at(() => other.advance(request_id)),
    ])
    return { request_id, replies: [yes, no], withdrawn }
  }

  test('[LANE-069] reply, time-out and withdrawal of the same thousand requests: each ends once, as everybody is told', async () => {
    const subjects = await Promise.all(Array.from({ length: REQUESTS }, (_, index) => ask(index)))
    for (const lane of lanes) await lane.drain()
    expect(slack.copies).toHaveLength(REQUESTS)
    const told = await Promise.all(subjects.map(race))
    for (const lane of lanes) await lane.drain()

    const lines: string[] = []
    for await (const line of stores[0]?.ledger.lines(0) ?? []) lines.push(line)
    expect((await verify(lines)).problems).toEqual([])
    const resolved = new Map<string, EntryOf<'REQUEST_RESOLVED'>[]>()
    for (const entry of lines.map(parseEntry)) {
      if (entry.type !== 'REQUEST_RESOLVED' || entry.request_id === undefined) continue
      resolved.set(entry.request_id, [...(resolved.get(entry.request_id) ?? []), entry])
    }
    expect(resolved.size).toBe(REQUESTS)
    for (const { request_id, replies, withdrawn } of told) {
      const [ending, ...more] = resolved.get(request_id) ?? []
      expect(more).toEqual([])
      const outcome = ending?.body.outcome
      const accepted = replies.filter(({ kind }) => kind === 'accepted')
      expect(accepted).toHaveLength(outcome === 'answered' ? 1 : 0)
      for (const one of replies) {
        if (one.kind === 'unknown') throw new Error('a true handle is not unknown')
        expect(one.subject.state).toBe(outcome)
      }
      expect(withdrawn.kind).toBe(outcome === 'withdrawn' ? 'withdrawn' : 'already_resolved')
    }
    const outcomes = new Set([...resolved.values()].flat().map(({ body }) => body.outcome))
    expect([...outcomes].sort()).toEqual(['answered', 'defaulted', 'withdrawn'])
    expect(troubles).toEqual([])
  }, 120_000)
})
