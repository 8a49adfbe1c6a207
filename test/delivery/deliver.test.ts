// Putting a request before a person: claimed before it is done, done once, told whatever comes of it.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Sent } from '../../src/adapter/contract.js'
import type { Entry, EventType } from '../../src/event.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import { readHandle } from '../../src/token/reply-handle.js'
import {
  approval,
  configure,
  fromSlack,
  handleOf,
  pageHandle,
  question,
  raise,
  type Stage,
} from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  vi.useRealTimers()
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const BY_PREFERENCE: readonly ResolvedRecipient[] = [
  { user_id: 'owner', channels: ['slack', 'email'], route: 'first' },
]
const story = (id = 'q'): Promise<readonly Entry[]> => stage.store.ledger.story(id)
const types = async (id = 'q'): Promise<EventType[]> => (await story(id)).map(entry => entry.type)
const last = async (id = 'q') => (await story(id)).at(-1)
/** Time passes, and the alarm rings. */
async function later(ms: number, id = 'q'): Promise<void> {
  stage.clock.pass(ms)
  await stage.lane.advance(id)
  await settled()
}
/** What was started is done, and what follows on it too. */
async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await stage.lane.drain()
    await new Promise(resolve => setImmediate(resolve))
  }
}
const deferred = <T>() => {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>(done => {
    resolve = done
  })
  return { promise, resolve }
}

describe('an attempt', () => {
  test('is claimed in the ledger before the adapter is called', async () => {
    let seen: EventType[] = []
    stage.slack.will(async () => {
      seen = await types()
      return { kind: 'sent' }
    })
    await stage.open(question('q'))
    await settled()
    expect(seen).toEqual(['REQUEST_OPENED', 'DELIVERY_STARTED'])
    expect(await types()).toEqual(['REQUEST_OPENED', 'DELIVERY_STARTED', 'OUTBOUND_REQUEST_SENT'])
  })

  test('[LANE-073] is recorded with request hash, channel, recipient and token hash', async () => {
    const { request_hash } = await stage.open(question('q'))
    await settled()
    const [, started, sent] = await story()
    if (started?.type !== 'DELIVERY_STARTED') throw new Error('not claimed')
    const { delivery_id, token_hash } = started.body
    expect(started.body.lease_until).toBe('2026-11-01T12:00:30.000Z')
    expect(sent?.body).toEqual({
      delivery_id,
      attempt: 1,
      channel: 'slack',
      recipient: 'owner',
      request_hash,
      token_hash,
    })
  })

  test('carries a handle for the answer and a link to a page with another; the display holds neither', async () => {
    await stage.open(question('q'))
    await settled()
    const copy = stage.slack.copies[0]
    if (copy === undefined) throw new Error('nothing was sent')
    const { reply, page } = copy.outbound
    const handles = [reply?.handle ?? '', pageHandle(copy.outbound)]
    expect(handles.map(readHandle)).toEqual(handles)
    expect(handles[0]).not.toBe(handles[1])
    expect(page).toEqual({ link: `https://lane.example.org/r/${handles[1]}`, code: null })
    expect(copy.outbound).toMatchObject({ attempt: 1, recipient: { user_id: 'owner', name: 'Owner' } })
    expect(copy.outbound.address).toEqual({ team: 'T1', user: 'UOWNER' })
    expect(copy.display).toMatchObject({ request_id: 'q', asked_by: 'agent' })
    for (const handle of handles) expect(JSON.stringify(copy.display)).not.toContain(handle)
  })

  test('that is repeated mints anew: another handle, another code hash, the same delivery', async () => {
    stage.slack.will({ kind: 'failed', code: 'http_500', retryable: true })
    await stage.open(question('q'))
    await settled()
    await later(2_000)
    const [first, second] = stage.slack.copies.map(copy => copy.outbound)
    expect(second?.reply?.handle).not.toBe(first?.reply?.handle)
    expect(second).toMatchObject({ delivery_id: first?.delivery_id, attempt: 2 })
  })
})

describe('a copy', () => {
  const started = async (id = 'q') =>
    (await stage.store.ledger.story(id)).flatMap(({ type, body }) =>
      type === 'DELIVERY_STARTED' ? [body] : [],
    )
  const failures = async (id = 'q') =>
    (await stage.store.ledger.story(id)).flatMap(({ type, body }) =>
      type === 'DELIVERY_FAILED' ? [body] : [],
    )

  test('that cannot show all of it announces: it leads to a page that has a code, and nothing answers it', async () => {
    stage.slack.wide = false
    await stage.open(question('q'))
    await settled()
    const outbound = stage.slack.copies[0]?.outbound
    expect(outbound?.reply).toBeNull()
    expect(outbound?.page.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(await started()).toMatchObject([{ channel: 'slack', announces: true }])
  })

  test('of half an approval is not sent where the page’s proof is not enough: the next channel is used', async () => {
    await stage.close()
    stage = await raise(
      configure(`
recipients: { owner: { name: Owner, slack: { team: T1, user: UOWNER }, email: owner@example.org } }
actions: { PUBLISH: { approvers: [owner] } }
`),
    )
    stage.slack.wide = false
    await stage.open(approval('q'), [{ user_id: 'owner', channels: ['slack', 'email'], route: 'first' }])
    await until('the mail', () => stage.email.copies.length, 1)
    await settled()
    expect(stage.slack.copies).toEqual([])
    expect(await failures()).toMatchObject([{ channel: 'slack', code: 'too_long_here', final: true }])
    expect(stage.email.copies[0]?.outbound).toMatchObject({ reply: { handle: expect.any(String) } })
  })

  test('on a channel whose proof is not enough is not sent: who would be asked there could not answer', async () => {
    await stage.open(approval('q'), [{ user_id: 'owner', channels: ['email', 'slack'], route: 'first' }])
    await until('the card', () => stage.slack.copies.length, 1)
    await settled()
    expect(stage.email.copies).toEqual([])
    expect(await failures()).toMatchObject([{ channel: 'email', code: 'proof_insufficient', final: true }])
    expect(await started()).toEqual([
      expect.not.objectContaining({ announces: true }),
      expect.not.objectContaining({ announces: true }),
    ])
  })

  test('of the web is its page, and has its code', async () => {
    await stage.open(question('q'), [{ user_id: 'guest', channels: ['web'], route: 'first' }])
    await settled()
    expect(stage.web.copies[0]?.outbound).toMatchObject({ reply: null, page: { code: expect.any(String) } })
    expect(await started()).toEqual([expect.not.objectContaining({ announces: true })])
  })
})

describe('an adapter that', () => {
  const throwing = (): never => {
    throw new Error('broken before the first await')
  }

  test.each<[string, () => Promise<Sent>]>([
    ['rejects', () => Promise.reject(new Error('socket hang up'))],
    ['throws before it awaits', throwing],
  ])('%s has failed for now, the operator is told, and it is tried again', async (_name, act) => {
    stage.slack.send = vi.fn(stage.slack.send.bind(stage.slack)).mockImplementationOnce(act)
    await stage.open(question('q'))
    await settled()
    expect((await last())?.body).toMatchObject({
      code: 'adapter_error',
      final: false,
      retry_at: expect.any(String),
    })
    expect(stage.troubles).toEqual([expect.any(Error)])
    await later(1_300)
    expect((await last())?.type).toBe('OUTBOUND_REQUEST_SENT')
  })

  test('hangs is given up on after ten seconds: uncertain, standing, not repeated', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hanging = deferred<Sent>()
    stage.slack.will(() => hanging.promise)
    await stage.open(question('q'), BY_PREFERENCE)
    await until('a copy', () => stage.slack.copies.length, 1)
    vi.advanceTimersByTime(9_999)
    await new Promise(resolve => setImmediate(resolve))
    expect((await last())?.type).toBe('DELIVERY_STARTED')
    vi.advanceTimersByTime(1)
    await settled()
    expect((await last())?.body).toMatchObject({ attempt: 1, uncertain: true })
    hanging.resolve({ kind: 'failed', code: 'too_late', retryable: false })
    await later(300_000)
    expect([stage.slack.copies.length, stage.email.copies.length]).toEqual([1, 0])
    expect((await last())?.type).toBe('OUTBOUND_REQUEST_SENT')
  })

  test('is uncertain stands, and is not repeated', async () => {
    stage.slack.will({ kind: 'uncertain' })
    const { deadline_ms } = await stage.open(question('q'), BY_PREFERENCE)
    await settled()
    await later(599_000)
    expect(stage.slack.copies).toHaveLength(1)
    expect(await stage.store.ledger.nextAlarm()).toBe(deadline_ms)
  })

  test('asks to wait is obeyed', async () => {
    stage.slack.will({ kind: 'failed', code: 'http_429', retryable: true, retry_after_ms: 120_000 })
    await stage.open(question('q'))
    await settled()
    await later(119_999)
    expect(stage.slack.copies).toHaveLength(1)
    await later(1)
    expect(stage.slack.copies).toHaveLength(2)
  })

  test('fails finally gives way to the next channel at once', async () => {
    stage.slack.will({ kind: 'failed', code: 'account_inactive', retryable: false })
    await stage.open(question('q'), BY_PREFERENCE)
    await settled()
    expect((await story()).map(entry => entry.type)).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'DELIVERY_FAILED',
      'DELIVERY_STARTED',
      'OUTBOUND_REQUEST_SENT',
    ])
    expect(stage.email.copies[0]?.outbound.address).toBe('owner@example.org')
    const handle = stage.email.copies[0]?.outbound.reply?.handle ?? ''
    const byMail = fromSlack(handle, 'no', { channel: 'email', sender: 'owner@example.org', proof: 'dmarc' })
    expect(await stage.lane.answer(byMail)).toMatchObject({ kind: 'accepted' })
  })

  test('fails three times is joined by the next channel', async () => {
    for (let time = 0; time < 3; time++) stage.slack.will({ kind: 'failed', code: 'x', retryable: true })
    await stage.open(question('q'), BY_PREFERENCE)
    await settled()
    await later(1_300)
    expect(stage.email.copies).toHaveLength(0)
    await later(2_600)
    expect([stage.slack.copies.length, stage.email.copies.length]).toEqual([3, 1])
  })

  test('is not there, or has nobody to send to, has finally failed by name', async () => {
    stage.running.delete('telegram')
    await stage.open(question('q'), [{ user_id: 'deputy', channels: ['telegram'], route: 'first' }])
    await stage.open(question('q2'), [{ user_id: 'gone', channels: ['slack'], route: 'first' }])
    await settled()
    expect((await last('q'))?.body).toMatchObject({ code: 'channel_not_configured', final: true })
    expect((await last('q2'))?.body).toMatchObject({ code: 'recipient_not_configured', final: true })
  })

  test('[LANE-072] fails on all channels until the deadline: undelivered, and the default holds', async () => {
    stage.slack.send = async () => ({ kind: 'failed', code: 'x', retryable: true })
    stage.email.send = async () => ({ kind: 'failed', code: 'y', retryable: false })
    await stage.open(question('q'), BY_PREFERENCE)
    await settled()
    for (let time = 0; time < 40; time++) await later(15_000)
    expect(await stage.lane.current('q')).toMatchObject({
      state: 'undelivered',
      default_applied: true,
      answer: null,
    })
    const told = await story()
    const receipt = told.find(entry => entry.type === 'TIMEOUT_RECEIPT')
    const resolved = told.find(entry => entry.type === 'REQUEST_RESOLVED')
    expect(receipt).toMatchObject({ type: 'TIMEOUT_RECEIPT', body: { default_action: 'HALT' } })
    expect(resolved).toMatchObject({ body: { outcome: 'undelivered', default_action: 'HALT' } })
    const attempts = (await types()).filter(type => type === 'DELIVERY_STARTED').length
    expect(attempts).toBeGreaterThan(5)
    expect(attempts).toBeLessThan(20)
  })

  test('sends on one channel and fails on the other has reached somebody: defaulted', async () => {
    stage.email.send = async () => ({ kind: 'failed', code: 'y', retryable: false })
    await stage.open(question('q'), [{ user_id: 'owner', channels: ['slack', 'email'], route: 'all' }])
    await settled()
    await later(600_000)
    expect((await stage.lane.current('q'))?.state).toBe('defaulted')
  })
})

describe('two lanes on one ledger', () => {
  test('never send the same attempt twice, however often both are woken', async () => {
    const other = stage.secondLane()
    stage.slack.will(
      { kind: 'failed', code: 'x', retryable: true },
      { kind: 'failed', code: 'x', retryable: true },
    )
    for (let n = 0; n < 5; n++) await stage.open(question(`q${n}`))
    for (let round = 0; round < 4; round++) {
      const wakings = Array.from({ length: 60 }, (_, n) => (n % 2 ? stage.lane : other).advance(`q${n % 5}`))
      await Promise.all(wakings)
      await Promise.all([stage.lane.drain(), other.drain()])
      await settled()
      stage.clock.pass(5_000)
    }
    const sent = stage.slack.copies.map(({ outbound }) => `${outbound.delivery_id}/${outbound.attempt}`)
    expect(new Set(sent).size).toBe(sent.length)
    expect(sent).toHaveLength(7)
  })

  test('by any schedule of wakings and answers of the provider', async () => {
    const other = stage.secondLane()
    let id = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 3 }),
        async (scheduler, failures) => {
          const name = `p${id++}`
          const before = stage.slack.copies.length
          for (const final of failures) {
            const outcome = { kind: 'failed', code: 'x', retryable: !final } as const
            stage.slack.will(() => scheduler.schedule(Promise.resolve(outcome), 'provider'))
          }
          stage.slack.will(() => scheduler.schedule(Promise.resolve({ kind: 'sent' } as const), 'provider'))
          await stage.open(question(name), BY_PREFERENCE)
          const wake = (lane: typeof other, label: string) =>
            scheduler.schedule(Promise.resolve(), label).then(() => lane.advance(name))
          const woken = Array.from({ length: 6 }, (_, n) => wake(n % 2 ? stage.lane : other, `wake ${n}`))
          await scheduler.waitFor(Promise.all(woken))
          for (let round = 0; round < failures.length + 2; round++) {
            stage.clock.pass(5_000)
            await Promise.all([stage.lane.advance(name), other.advance(name)])
            await scheduler.waitFor(Promise.all([stage.lane.drain(), other.drain()]))
          }
          stage.slack.acts.length = 0
          const sent = stage.slack.copies
            .slice(before)
            .map(({ outbound }) => `${outbound.delivery_id}/${outbound.attempt}`)
          expect(new Set(sent).size).toBe(sent.length)
          const claims = (await story(name)).flatMap(entry =>
            entry.type === 'DELIVERY_STARTED' ? [`${entry.body.delivery_id}/${entry.body.attempt}`] : [],
          )
          expect(new Set(claims).size).toBe(claims.length)
          expect((await stage.lane.current(name))?.deliveries.some(({ state }) => state === 'sent')).toBe(
            true,
          )
        },
      ),
      { numRuns: 40 },
    )
  })

  test('one that dies between claim and send is taken over by the other when its lease is over', async () => {
    const other = stage.secondLane()
    const never = deferred<Sent>()
    stage.slack.will(() => never.promise)
    await stage.open(question('q'))
    await until('a copy', () => stage.slack.copies.length, 1)
    stage.clock.pass(29_999)
    await other.advance('q')
    await other.drain()
    expect(stage.slack.copies).toHaveLength(1)
    stage.clock.pass(1)
    await other.advance('q')
    await other.drain()
    expect(stage.slack.copies.map(copy => copy.outbound.attempt)).toEqual([1, 2])
    expect(await other.current('q')).toMatchObject({ deliveries: [{ state: 'sent', attempts: 2 }] })
    // It was not dead after all: its failure, told late, takes nothing back.
    never.resolve({ kind: 'failed', code: 'x', retryable: true })
    await stage.lane.drain()
    expect((await last())?.body).toMatchObject({ attempt: 1, code: 'x' })
    expect(await other.current('q')).toMatchObject({ deliveries: [{ state: 'sent', attempts: 2 }] })
  })
})

describe('a settled request', () => {
  const BOTH: readonly ResolvedRecipient[] = [
    { user_id: 'owner', channels: ['slack', 'email'], route: 'all' },
    { user_id: 'deputy', channels: ['slack'], route: 'first' },
  ]

  test('has each of its copies edited to the outcome, once', async () => {
    await stage.open(question('q'), BOTH)
    await settled()
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'yes'))
    await settled()
    expect(stage.slack.closed.map(({ ref }) => ref).sort()).toEqual(['slack-1', 'slack-2'])
    expect(stage.email.closed.map(({ ref }) => ref)).toEqual(['email-1'])
    for (const { outcome } of [...stage.slack.closed, ...stage.email.closed]) {
      expect(outcome).toMatchObject({
        outcome: 'answered',
        answered_by: 'owner',
        answer: 'YES',
        default_action: null,
      })
    }
    const closings = (await story()).filter(entry => entry.type === 'DELIVERY_CLOSED')
    expect(closings.map(entry => entry.body)).toEqual(
      Array(3).fill(expect.objectContaining({ edited: true })),
    )
    expect(await stage.store.ledger.nextAlarm()).toBeNull()
  })

  test('by default names nobody on its copies', async () => {
    await stage.open(question('q'))
    await settled()
    await later(600_000)
    expect(stage.slack.closed).toEqual([
      {
        ref: 'slack-1',
        outcome: {
          outcome: 'defaulted',
          at: '2026-11-01T12:10:00.000Z',
          answered_by: null,
          answer: null,
          default_action: 'HALT',
        },
      },
    ])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('gone'))],
    ['has nothing to edit', null],
  ])('whose copy cannot be edited (%s) is closed all the same', async (_name, closing) => {
    if (closing === null) stage.slack.will({ kind: 'sent' })
    else stage.slack.closing = closing
    await stage.open(question('q'))
    await settled()
    await stage.lane.withdraw('q', 'not needed', 'key-1')
    await settled()
    expect((await last())?.body).toMatchObject({ edited: false })
    expect(await stage.store.ledger.nextAlarm()).toBeNull()
  })

  test('whose editing hangs is closed after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    stage.slack.closing = () => new Promise(() => undefined)
    await stage.open(question('q'))
    await settled()
    await stage.lane.withdraw('q', 'not needed', 'key-1')
    await until('a closing', () => stage.slack.closed.length, 1)
    vi.advanceTimersByTime(10_000)
    await settled()
    expect((await last())?.body).toMatchObject({ edited: false })
  })

  test('that was settled while a copy was under way has that copy edited when it has arrived', async () => {
    const sending = deferred<Sent>()
    stage.slack.will(() => sending.promise)
    await stage.open(question('q'))
    await until('a copy', () => stage.slack.copies.length, 1)
    await stage.lane.withdraw('q', 'not needed', 'key-1')
    sending.resolve({ kind: 'sent', ref: 'late' })
    await settled()
    expect(stage.slack.closed).toMatchObject([{ ref: 'late', outcome: { outcome: 'withdrawn' } }])
    expect((await types()).slice(-2)).toEqual(['OUTBOUND_REQUEST_SENT', 'DELIVERY_CLOSED'])
  })

  test('is closed by two lanes with one entry for each copy', async () => {
    const other = stage.secondLane()
    const editing = deferred<void>()
    stage.slack.closing = () => editing.promise
    await stage.open(question('q'))
    await settled()
    await stage.lane.withdraw('q', 'not needed', 'key-1')
    await other.advance('q')
    await until('two closings', () => stage.slack.closed.length, 2)
    editing.resolve()
    await Promise.all([stage.lane.drain(), other.drain()])
    expect((await types()).filter(type => type === 'DELIVERY_CLOSED')).toHaveLength(1)
  })

  test('has nothing sent after its deadline, though it was owed', async () => {
    await stage.close()
    stage = await raise(configure())
    stage.slack.will({ kind: 'failed', code: 'x', retryable: true })
    await stage.open(question('q', { deadline_seconds: 1 }))
    await settled()
    await later(1_000)
    await later(5_000)
    expect(stage.slack.copies).toHaveLength(1)
    expect((await stage.lane.current('q'))?.state).toBe('undelivered')
  })
})
