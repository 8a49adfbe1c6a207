// The lane itself: opening, withdrawing, reading, erasing; what its doors rely on.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endingOf, spoken } from '../../src/agenda/ending.js'
import { instant } from '../../src/clock.js'
import { LedgerUnavailable } from '../../src/ledger/contract.js'
import type { Request } from '../../src/request/request.js'
import { admittedTo, KEY_1 } from '../terms.js'
import { configure, DEPUTY, fromSlack, handleOf, question, raise, type Stage } from './stage.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const OWNER_ON_SLACK = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const
const open = (request: Request, key_id = 'key-1', run_id = 'run-1') => {
  const run = { run_id, mood: 'DEFERENTIAL' } as const
  return stage.lane.open(admittedTo(OWNER_ON_SLACK, { request, run, recipients: null }), { ...KEY_1, key_id })
}
const handle = (): string => stage.slack.copies.at(-1)?.outbound.reply?.handle ?? ''

describe('opening', () => {
  test('[LANE-066] fixes the deadline to the millisecond of the entry and keeps the default', async () => {
    const opened = await open(question('q', { deadline_seconds: 7 }))
    expect(opened).toMatchObject({
      kind: 'opened',
      subject: {
        opened_at: '2026-11-01T12:00:00.000Z',
        deadline_at: '2026-11-01T12:00:07.000Z',
        request: { default_action: 'HALT' },
      },
    })
  })

  test('[LANE-021] the same again is the same request; any difference under its id shows nothing', async () => {
    const first = await open(question('q'))
    const again = await open(question('q'))
    if (first.kind !== 'opened' || again.kind !== 'known') throw new Error(`${first.kind} ${again.kind}`)
    expect(again.subject.receipt).toEqual(first.subject.receipt)
    expect(await open(question('q', { deadline_seconds: 601 }))).toEqual({ kind: 'id_conflict' })
    expect(await open(question('q'), 'key-2')).toEqual({ kind: 'id_conflict' })
    expect(await open(question('q'), 'key-1', 'run-2')).toEqual({ kind: 'id_conflict' })
  })

  test('ten at the same moment are one request, and one delivery', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => open(question('q'))))
    expect(all.filter(one => one.kind === 'opened')).toHaveLength(1)
    expect(all.filter(one => one.kind === 'known')).toHaveLength(9)
    await stage.lane.drain()
    expect(stage.slack.copies).toHaveLength(1)
  })

  test('claims its first delivery with itself; what a channel has no hands for is claimed when its turn comes', async () => {
    stage.slack.atOnce = 1
    let release = (): void => undefined
    const hang = new Promise<void>(resolve => {
      release = resolve
    })
    stage.slack.will(async () => {
      await hang
      return { kind: 'sent', ref: 'slow' }
    })
    await Promise.all(['a', 'b', 'c'].map(id => open(question(id))))
    const claimed = async () =>
      (await stage.entries()).flatMap(entry => (entry.type === 'DELIVERY_STARTED' ? [entry.request_id] : []))
    expect(await claimed()).toEqual(['a'])
    release()
    await stage.lane.drain()
    expect(await claimed()).toEqual(['a', 'b', 'c'])
    expect(stage.slack.copies.map(({ display }) => display.request_id)).toEqual(['a', 'b', 'c'])
  })

  test('a place that was taken for an opening that was not recorded is free again', async () => {
    stage.slack.atOnce = 1
    await open(question('a'))
    await stage.lane.drain()
    // A transaction that is rolled back after it was decided, and tried again: L2 allows it.
    const { ledger } = stage.store
    const append = ledger.append.bind(ledger)
    ledger.append = async given => {
      const { size, hash: prev } = await ledger.head()
      given.decide({ at: instant(ledger.now()), ms: ledger.now(), seq: size, prev, suspect: false })
      return append(given)
    }
    for (let time = 0; time < 3; time++)
      expect(await open(question('a', { deadline_seconds: 601 }))).toEqual({ kind: 'id_conflict' })
    await open(question('b'))
    const types = (await stage.entries()).filter(entry => entry.request_id === 'b').map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['REQUEST_OPENED', 'DELIVERY_STARTED'])
    await stage.lane.drain()
    expect(stage.slack.copies.map(({ display }) => display.request_id)).toEqual(['a', 'b'])
  })

  test('without an id gets one, different each time', async () => {
    const { question_id: _, ...anonymous } = question('q') as Extract<Request, { type: 'REQUEST_QUESTION' }>
    const ids = new Set<string>()
    for (let time = 0; time < 3; time++) {
      const run = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
      const opened = await stage.lane.open(
        admittedTo(OWNER_ON_SLACK, { request: anonymous, run, recipients: null }),
        KEY_1,
      )
      if (opened.kind === 'opened') ids.add(opened.subject.request_id)
    }
    expect(ids.size).toBe(3)
  })

  test('[LANE-015] [LANE-080] is limited per run and per recipient, and by nothing else of the same size', async () => {
    await stage.close()
    stage = await raise(
      configure(`
recipients: { owner: { name: Owner, slack: { team: T1, user: UOWNER } } }
limits: { open_questions_per_run: 3, requests_per_recipient_per_hour: 5 }
`),
    )
    for (const id of ['a', 'b', 'c']) expect((await open(question(id))).kind).toBe('opened')
    expect(await open(question('d'))).toMatchObject({ kind: 'limited', guard: { kind: 'open_questions' } })
    await stage.lane.withdraw('a', 'x', 'key-1')
    expect((await open(question('d'))).kind).toBe('opened')
    expect((await open(question('e'), 'key-1', 'run-2')).kind).toBe('opened')
    expect(await open(question('f'), 'key-1', 'run-3')).toMatchObject({ guard: { kind: 'recipient_budget' } })
    expect((await open(question('f'), 'key-2', 'run-3')).kind).toBe('opened')
    stage.clock.pass(3_600_001)
    expect((await open(question('g'), 'key-1', 'run-4')).kind).toBe('opened')
  })
})

describe('withdrawing', () => {
  test('ends an open request; again is the same; a stranger’s id is unknown', async () => {
    await open(question('q'))
    expect(await stage.lane.withdraw('q', 'not needed', 'key-1')).toMatchObject({ kind: 'withdrawn' })
    const size = (await stage.entries()).length
    expect(await stage.lane.withdraw('q', 'really', 'key-1')).toMatchObject({ kind: 'withdrawn' })
    await stage.lane.drain()
    expect((await stage.entries()).filter(entry => entry.type === 'REQUEST_WITHDRAWN')).toHaveLength(1)
    expect(size).toBeGreaterThan(0)
    expect(await stage.lane.withdraw('nothing', 'x', 'key-1')).toEqual({ kind: 'unknown' })
  })

  test('comes too late for what is answered or defaulted', async () => {
    await open(question('a'))
    await stage.lane.drain()
    await stage.lane.answer(fromSlack(handle(), 'yes'))
    await open(question('b'))
    await stage.lane.drain()
    stage.clock.pass(600_000)
    for (const [id, state] of [
      ['a', 'answered'],
      ['b', 'defaulted'],
    ] as const) {
      expect(await stage.lane.withdraw(id, 'x', 'key-1')).toMatchObject({
        kind: 'already_resolved',
        subject: { state },
      })
    }
  })

  test('past the deadline by a suspect clock is neither done nor refused for good: the caller is told to come again', async () => {
    await open(question('q'))
    await stage.lane.drain()
    stage.clock.jump(7_200_000)
    await stage.lane.withdraw('nothing', 'x', 'key-1')
    await stage.store.ledger.append({ decide: () => ({ kind: 'append', events: [] }) })
    stage.clock.monotonicMs += 600_000
    stage.clock.jump(600_000 + 120_000)
    await expect(stage.lane.withdraw('q', 'x', 'key-1')).rejects.toBeInstanceOf(LedgerUnavailable)
    expect((await stage.lane.current('q'))?.state).toBe('pending')
    // The same jump seen twice is believed; the default then holds.
    stage.clock.pass(30_000)
    await stage.lane.advance('q')
    expect(await stage.lane.withdraw('q', 'x', 'key-1')).toMatchObject({ kind: 'already_resolved' })
  })
})

describe('reading', () => {
  test('[LANE-067] [LANE-068] every door resolves an overdue request first, with no alarm at all', async () => {
    const opened = await open(question('q'))
    await stage.lane.drain()
    stage.clock.pass(600_000)
    expect(await stage.lane.current('q')).toMatchObject({
      state: 'defaulted',
      answer: null,
      default_applied: true,
    })
    const receipt = (await stage.entries()).find(entry => entry.type === 'TIMEOUT_RECEIPT')
    expect(receipt?.body).toMatchObject({
      request_hash: opened.kind === 'opened' ? opened.subject.request_hash : '',
      default_action: 'HALT',
      deadline_at: '2026-11-01T12:10:00.000Z',
      fired_at: '2026-11-01T12:10:00.000Z',
      deliveries: [{ state: 'sent' }],
    })
  })

  test('ten who look at once at an overdue request all see the default', async () => {
    await open(question('q'))
    await stage.lane.drain()
    stage.clock.pass(600_000)
    const seen = await Promise.all(Array.from({ length: 10 }, () => stage.lane.current('q')))
    expect(seen.map(subject => subject?.state)).toEqual(Array(10).fill('defaulted'))
  })

  test('opening the same request again after its deadline tells the default', async () => {
    await open(question('q'))
    stage.clock.pass(600_000)
    expect(await open(question('q'))).toMatchObject({ kind: 'known', subject: { default_applied: true } })
  })

  test('nothing times out while the clock is suspect, and everything does once the jump is confirmed', async () => {
    await open(question('q'))
    await stage.lane.drain()
    stage.clock.jump(86_400_000)
    expect((await stage.lane.current('q'))?.state).toBe('pending')
    await stage.lane.advance('q')
    stage.clock.pass(600_000)
    // The wall has been a day ahead for ten minutes: read once, it is suspected; read again later, believed.
    expect((await stage.lane.current('q'))?.state).toBe('pending')
    stage.clock.pass(30_000)
    expect((await stage.lane.current('q'))?.state).toBe('defaulted')
    const states = (await stage.entries()).flatMap(entry =>
      entry.type === 'CLOCK_SUSPECT' ? [entry.body.state] : [],
    )
    expect(states).toEqual(['suspected', 'confirmed'])
  })

  test('of nothing is null', async () => {
    expect(await stage.lane.current('nothing')).toBeNull()
    await stage.lane.advance('nothing')
  })
})

describe('[LANE-081] several copies', () => {
  test('the first accepted reply wins; the second person is told that it is decided', async () => {
    await stage.open(question('q'), [
      { user_id: 'owner', channels: ['slack'], route: 'first' },
      { user_id: 'deputy', channels: ['slack'], route: 'first' },
    ])
    await stage.lane.drain()
    const byDeputy = fromSlack(handleOf(stage.slack, 'deputy'), 'no', { sender: DEPUTY })
    expect(await stage.lane.answer(byDeputy)).toMatchObject({ kind: 'accepted' })
    expect(await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'yes'))).toMatchObject({
      reason: 'already_resolved',
      subject: { answer: { parsed_choice: 'NO', answered_by: 'deputy' } },
    })
  })
})

describe('erasing', () => {
  test('forgets the words of every reply to a request, and leaves every hash standing', async () => {
    await open(question('q'))
    await stage.lane.drain()
    await stage.lane.answer(fromSlack(handle(), 'perhaps'))
    await stage.lane.answer(fromSlack(handle(), 'yes'))
    const before = await stage.entries()
    const erased = await stage.lane.erase('q', 'key-2')
    const replies = erased?.kind === 'erased' ? erased.replies : []
    expect(replies).toHaveLength(2)
    for (const id of replies) expect(await stage.store.shelf.raw(id)).toBeNull()
    expect((await stage.entries()).slice(0, before.length)).toEqual(before)
    expect(await stage.lane.erase('q', 'key-2')).toEqual({ kind: 'erased', replies: [], contents: [] })
    expect(await stage.lane.erase('nothing', 'key-2')).toBeNull()
  })
})

describe('what a person is told', () => {
  const answer = (parsed_choice: string | null, parsed_payload: unknown) =>
    ({
      parsed_choice,
      parsed_payload,
      answered_by: 'owner',
      channel: 'slack',
      proof: 'dmarc',
      at: '',
    }) as never

  test.each([
    ['YES', answer('YES', null)],
    ['a, b', answer(null, { selected: ['a', 'b'] })],
    ['as it was', answer(null, { text: 'as it was' })],
    ['50 chips', answer(null, { number: 50, unit: 'chips' })],
    ['0.5', answer(null, { number: 0.5 })],
    ['2026-02-17', answer(null, { date: '2026-02-17' })],
  ])('%s', (said, given) => {
    expect(spoken(given)).toBe(said)
  })

  test('an open request has no outcome', async () => {
    expect(() => endingOf({ resolved_seq: null } as never)).toThrow('open')
  })
})
