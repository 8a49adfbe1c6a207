// Who asked is told: woken by the ledger's own commit, never by luck.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startWaiters, type Waiters } from '../../src/waiter/wait.js'
import { fromSlack, question, raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
let waiters: Waiters
beforeEach(async () => {
  stage = await raise()
  waiters = startWaiters(stage.store.ledger, async id => (await stage.lane.current(id))?.state !== 'pending')
})
afterEach(async () => {
  waiters.stop()
  await stage.close()
})

async function ask(id: string): Promise<() => Promise<unknown>> {
  await stage.open(question(id))
  await stage.lane.drain()
  const handle = stage.slack.copies.at(-1)?.outbound.reply?.handle ?? ''
  return () => stage.lane.answer(fromSlack(handle, 'yes'))
}
const LONG = 60_000

describe('waiting', () => {
  test('is over when the answer comes', async () => {
    const answer = await ask('q')
    const waiting = waiters.resolved('q', LONG)
    await until('one waiter', () => waiters.waiting(), 1)
    await answer()
    expect(await waiting).toBe(true)
    expect(waiters.waiting()).toBe(0)
  })

  test('for what was answered before is over at once', async () => {
    const answer = await ask('q')
    await answer()
    expect(await waiters.resolved('q', LONG)).toBe(true)
    expect(waiters.waiting()).toBe(0)
  })

  test('begun in the same turn as the answer misses nothing, in either order', async () => {
    for (const first of ['wait', 'answer']) {
      const answer = await ask(first)
      const deeds = [() => waiters.resolved(first, LONG), answer]
      const [waited] =
        first === 'wait'
          ? deeds.map(deed => deed())
          : deeds
              .reverse()
              .map(deed => deed())
              .reverse()
      expect(await waited).toBe(true)
    }
  })

  test('is over with any outcome: withdrawn, or defaulted by whoever looks first', async () => {
    await ask('a')
    const withdrawn = waiters.resolved('a', LONG)
    await stage.lane.withdraw('a', 'x', 'key-1')
    expect(await withdrawn).toBe(true)
    await ask('b')
    const defaulted = waiters.resolved('b', LONG)
    await until('one waiter', () => waiters.waiting(), 1)
    stage.clock.pass(600_000)
    await stage.lane.advance('b')
    expect(await defaulted).toBe(true)
  })

  test('ends without an answer when the time is up, and leaves nothing behind', async () => {
    await ask('q')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const waiting = waiters.resolved('q', 30_000)
    await until('one waiter', () => waiters.waiting(), 1)
    vi.advanceTimersByTime(30_000)
    expect(await waiting).toBe(false)
    expect(waiters.waiting()).toBe(0)
    vi.useRealTimers()
  })

  test('ends when the caller has gone, also when gone before', async () => {
    await ask('q')
    const gone = new AbortController()
    const waiting = waiters.resolved('q', LONG, gone.signal)
    await until('one waiter', () => waiters.waiting(), 1)
    gone.abort()
    expect(await waiting).toBe(false)
    expect(await waiters.resolved('q', LONG, gone.signal)).toBe(false)
    expect(waiters.waiting()).toBe(0)
  })

  test('of a thousand for one and of others for another: only those concerned are woken', async () => {
    const answer = await ask('a')
    await ask('b')
    const many = Array.from({ length: 1_000 }, () => waiters.resolved('a', LONG))
    const other = waiters.resolved('b', LONG)
    await until('all waiters', () => waiters.waiting(), 1_001)
    await answer()
    expect(await Promise.all(many)).toEqual(Array(1_000).fill(true))
    expect(waiters.waiting()).toBe(1)
    waiters.stop()
    expect(await other).toBe(false)
  })

  test('is not prolonged by what happens meanwhile without resolving', async () => {
    const answer = await ask('q')
    const waiting = waiters.resolved('q', LONG)
    const handle = stage.slack.copies.at(-1)?.outbound.reply?.handle ?? ''
    await stage.lane.answer(fromSlack(handle, 'perhaps'))
    expect(waiters.waiting()).toBe(1)
    await answer()
    expect(await waiting).toBe(true)
  })

  test('a ledger that cannot be read is told to the caller at once, who then no longer waits', async () => {
    const failing = startWaiters(stage.store.ledger, () => Promise.reject(new Error('SQLITE_IOERR')))
    await expect(failing.resolved('q', LONG)).rejects.toThrow('SQLITE_IOERR')
    expect(failing.waiting()).toBe(0)
    failing.stop()
  })

  test('stopped, nobody is left waiting', async () => {
    await ask('q')
    const waiting = [waiters.resolved('q', LONG), waiters.resolved('q', LONG)]
    await until('two waiters', () => waiters.waiting(), 2)
    waiters.stop()
    expect(await Promise.all(waiting)).toEqual([false, false])
  })
})
