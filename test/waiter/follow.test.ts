// The ledger as a stream: all of it, in order, nothing between history and now left out.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Entry } from '../../src/event.js'
import { follow } from '../../src/waiter/follow.js'
import { raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
let gone: AbortController
beforeEach(async () => {
  stage = await raise()
  gone = new AbortController()
})
afterEach(async () => {
  gone.abort()
  vi.useRealTimers()
  await stage.close()
})

const append = (count = 1) =>
  Promise.all(
    Array.from({ length: count }, () =>
      stage.store.ledger.append({
        decide: () => ({
          kind: 'append',
          events: [
            { type: 'LANE_STARTED', body: { version: '1', grammar: '1', profile: 'embedded', rules: '2' } },
          ],
        }),
      }),
    ),
  )

/** Collects in the background; `null` is kept too. */
function collect(from: number, idleMs = 60_000, pause?: () => Promise<void>) {
  const seen: (number | null)[] = []
  let ended = false
  const done = (async () => {
    for await (const entry of follow(stage.store.ledger, from, idleMs, gone.signal)) {
      seen.push(entry === null ? null : entry.seq)
      await pause?.()
    }
    ended = true
  })()
  return { seen, done, ended: () => ended }
}
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

describe('following the ledger', () => {
  test('gives what was there, then what comes, each once and in order', async () => {
    await append(5)
    const { seen } = collect(2)
    await until('three entries', () => seen.length, 3)
    await append(3)
    await until('six entries', () => seen.length, 6)
    expect(seen).toEqual(range(2, 8))
  })

  test('leaves no gap and repeats nothing while the ledger grows under the reading', async () => {
    await append(1_200)
    let left = 40
    const { seen } = collect(0, 60_000, async () => {
      if (left-- > 0) void append(7)
    })
    await until('all entries', () => seen.length, 1_200 + 40 * 7)
    await append(1)
    await until('the last entry', () => seen.at(-1), 1_200 + 40 * 7)
    expect(seen).toEqual(range(0, 1_200 + 40 * 7 + 1))
  })

  test('misses nothing that is committed while a slow store is still reading', async () => {
    await append(2)
    const { ledger } = stage.store
    const slow = new Proxy(ledger, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (name !== 'entries') return typeof member === 'function' ? member.bind(target) : member
        return async function* (from: number) {
          const read: Entry[] = []
          for await (const entry of target.entries(from)) read.push(entry)
          // As another process would: while this one is on its way to the reader.
          if (read.length === 0 && from < 4) await append(1)
          yield* read
        }
      },
    })
    const seen: number[] = []
    for await (const entry of follow(slow, 0, 60_000, gone.signal)) {
      if (entry !== null) seen.push(entry.seq)
      if (seen.length === 4) gone.abort()
    }
    expect(seen).toEqual([0, 1, 2, 3])
  })

  test('many followers, begun at any time, all see the same', async () => {
    const followers = [collect(0)]
    for (let time = 0; time < 10; time++) {
      void append(3)
      followers.push(collect(0))
      await new Promise(resolve => setImmediate(resolve))
    }
    await until('thirty entries for each', () => followers.every(({ seen }) => seen.length === 30))
    for (const { seen } of followers) expect(seen).toEqual(range(0, 30))
  })

  test('from a place not yet reached waits for it', async () => {
    await append(2)
    const { seen } = collect(4)
    await append(4)
    await until('two entries', () => seen.length, 2)
    expect(seen).toEqual([4, 5])
  })

  test('says so when nothing has come for as long as was asked, again and again', async () => {
    await append(1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { seen } = collect(0, 15_000)
    await until('a timer', () => vi.getTimerCount(), 1)
    expect(seen).toEqual([0])
    vi.advanceTimersByTime(14_999)
    await new Promise(resolve => setImmediate(resolve))
    expect(seen).toEqual([0])
    vi.advanceTimersByTime(1)
    await until('two entries and a timer', () => seen.length === 2 && vi.getTimerCount() === 1)
    vi.advanceTimersByTime(15_000)
    await until('three entries', () => seen.length, 3)
    await append(1)
    await until('four entries', () => seen.length, 4)
    expect(seen).toEqual([0, null, null, 1])
  })

  test('ends when the reader has gone, while waiting and while reading, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await append(3)
    const waiting = collect(0)
    await until('a timer', () => vi.getTimerCount(), 1)
    gone.abort()
    await waiting.done
    expect(waiting.seen).toEqual([0, 1, 2])
    gone = new AbortController()
    const reading = collect(0, 60_000, async () => gone.abort())
    await reading.done
    expect(reading.seen).toEqual([0])
    gone = new AbortController()
    gone.abort()
    expect(await collectAll()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends at once when the reader goes just as everything has been read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // Nothing to read yet: the first look is under way when the reader leaves.
    const { done, ended } = collect(0)
    gone.abort()
    await until('the end', ended)
    await done
    expect(vi.getTimerCount()).toBe(0)
  })

  async function collectAll(): Promise<(Entry | null)[]> {
    const all: (Entry | null)[] = []
    for await (const entry of follow(stage.store.ledger, 0, 1_000, gone.signal)) all.push(entry)
    return all
  }
})
