// Who asked is told: woken by the ledger's own commit, never by luck.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startWaiters, type Waiters } from '../../src/waiter/wait.js'
import { fromSlack, question, raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
let waiters: Waiters
beforeEach(async () => {
  stage = await raise()
  waiters = startWaiters(stage.store.ledger)
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

/** As a door waits: enlists, looks, and waits only where it saw nothing. */
async function resolved(id: string, ms: number): Promise<boolean> {
  const enlisted = waiters.enlist(id)
  if ((await stage.lane.current(id))?.state === 'pending') return enlisted.resolved(ms)
  enlisted.leave()
  return true
}

describe('waiting', () => {
  test('is over when the answer comes', async () => {
    const answer = await ask('q')
    const waiting = resolved('q', LONG)
    await until('one waiter', () => waiters.waiting(), 1)
    await answer()
    expect(await waiting).toBe(true)
    expect(waiters.waiting()).toBe(0)
  })

  test('for what was answered before is over at once', async () => {
    const answer = await ask('q')
    await answer()
    expect(await resolved('q', LONG)).toBe(true)
    expect(waiters.waiting()).toBe(0)
  })

  test('begun in the same turn as the answer misses nothing, in either order', async () => {
    for (const first of ['wait', 'answer']) {
      const answer = await ask(first)
      const deeds = [() => resolved(first, LONG), answer]
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
    const withdrawn = resolved('a', LONG)
    await stage.lane.withdraw('a', 'x', 'key-1')
    expect(await withdrawn).toBe(true)
    await ask('b')
    const defaulted = resolved('b', LONG)
    await until('one waiter', () => waiters.waiting(), 1)
    stage.clock.pass(600_000)
    await stage.lane.advance('b')
    expect(await defaulted).toBe(true)
  })

  test('ends without an answer when the time is up, and leaves nothing behind', async () => {
    await ask('q')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const waiting = waiters.enlist('q').resolved(30_000)
    expect(waiters.waiting()).toBe(1)
    vi.advanceTimersByTime(30_000)
    expect(await waiting).toBe(false)
    expect(waiters.waiting()).toBe(0)
    vi.useRealTimers()
  })

  test('ends when the caller has gone', async () => {
    await ask('q')
    const gone = new AbortController()
    const waiting = waiters.enlist('q').resolved(LONG, leave => gone.signal.addEventListener('abort', leave))
    expect(waiters.waiting()).toBe(1)
    gone.abort()
    expect(await waiting).toBe(false)
    expect(waiters.waiting()).toBe(0)
  })

  test('of a thousand for one and of others for another: only those concerned are woken', async () => {
    const answer = await ask('a')
    await ask('b')
    const many = Array.from({ length: 1_000 }, () => resolved('a', LONG))
    const other = resolved('b', LONG)
    await until('all waiters', () => waiters.waiting(), 1_001)
    await answer()
    expect(await Promise.all(many)).toEqual(Array(1_000).fill(true))
    expect(waiters.waiting()).toBe(1)
    waiters.stop()
    expect(await other).toBe(false)
  })

  test('is not prolonged by what happens meanwhile without resolving', async () => {
    const answer = await ask('q')
    const waiting = resolved('q', LONG)
    const handle = stage.slack.copies.at(-1)?.outbound.reply?.handle ?? ''
    await stage.lane.answer(fromSlack(handle, 'perhaps'))
    expect(waiters.waiting()).toBe(1)
    await answer()
    expect(await waiting).toBe(true)
  })

  test('a commit between enlisting and waiting is heard', async () => {
    const answer = await ask('q')
    const enlisted = waiters.enlist('q')
    await answer()
    expect(await enlisted.resolved(LONG)).toBe(true)
    expect(waiters.waiting()).toBe(0)
  })

  test('who leaves again is not counted, and nothing is heard for them', async () => {
    const answer = await ask('q')
    const enlisted = waiters.enlist('q')
    expect(waiters.waiting()).toBe(1)
    enlisted.leave()
    expect(waiters.waiting()).toBe(0)
    await answer()
    expect(await enlisted.resolved(1)).toBe(false)
  })

  test('stopped, nobody is left waiting', async () => {
    await ask('q')
    const waiting = [resolved('q', LONG), resolved('q', LONG)]
    await until('two waiters', () => waiters.waiting(), 2)
    waiters.stop()
    expect(await Promise.all(waiting)).toEqual([false, false])
  })
})
