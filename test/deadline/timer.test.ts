// The alarm clock over the ledger's own index: nothing early, nothing lost, nothing for ever silent.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Alarms, Ring } from '../../src/deadline/alarms.js'
import { startTimer } from '../../src/deadline/timer.js'
import type { Ledger } from '../../src/ledger/contract.js'
import { lastOf, open } from '../contract/ledger/stage.js'
import { question, raise, START, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

const DAY = 86_400_000
let stage: Stage
let alarms: Alarms | null
let rung: string[]
let troubles: unknown[]
beforeEach(async () => {
  stage = await raise()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  alarms = null
  rung = []
  troubles = []
})
afterEach(async () => {
  await alarms?.stop()
  vi.restoreAllMocks()
  vi.useRealTimers()
  await stage.close()
})

const arm = (id: string, alarm: number) => open(stage.store.ledger, id, { alarm })
/** Tells the clock, as whoever has recorded something does. */
const tell = (id: string, alarm: number): void =>
  alarms?.set({ request_id: id, deadline_ms: START + DAY, resolved_seq: null }, alarm)
/** What a ring that has done its work leaves behind: the alarm moved, or none. */
const move = async (id: string, alarm: number | null) =>
  stage.store.ledger.append({
    story: { request_id: id, expected: 1, last: await lastOf(stage.store.ledger, id) },
    decide: () => ({ kind: 'append', events: [], alarm }),
  })
const settle: Ring = async id => {
  rung.push(id)
  await move(id, null)
}
const stubborn: Ring = async id => {
  rung.push(id)
}
function begin(ring: Ring, ledger: Ledger = stage.store.ledger): Alarms {
  alarms = startTimer(ledger, ring, error => void troubles.push(error))
  return alarms
}
const turns = async (count = 30): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}
/** Time passes for the ledger and for the timers alike. */
async function pass(ms: number): Promise<void> {
  stage.clock.pass(ms)
  vi.advanceTimersByTime(ms)
  await turns()
}

describe('the alarm clock', () => {
  test('rings what is due at the start, and the rest when its time has come, not before', async () => {
    await arm('due', START - 1)
    await arm('later', START + 5_000)
    begin(settle)
    await turns()
    expect(rung).toEqual(['due'])
    await pass(4_999)
    expect(rung).toEqual(['due'])
    await pass(1)
    expect(rung).toEqual(['due', 'later'])
    await pass(60_000)
    expect(rung).toEqual(['due', 'later'])
    expect(troubles).toEqual([])
  })

  test('rings again, a second later, while something is still due', async () => {
    await arm('stubborn', START)
    begin(stubborn)
    await turns()
    expect(rung).toHaveLength(1)
    await pass(999)
    expect(rung).toHaveLength(1)
    await pass(1)
    expect(rung).toHaveLength(2)
    await pass(1_000)
    expect(rung).toHaveLength(3)
  })

  test('what keeps being due does not keep another from ringing', async () => {
    await arm('stubborn', START)
    begin(id => (id === 'stubborn' ? stubborn(id) : settle(id)))
    await turns()
    await arm('other', START + 300)
    await pass(1_000)
    expect(rung.filter(id => id === 'other')).toEqual(['other'])
  })

  test('loses none of ten thousand, rings each once, and never more than 256 at a time', async () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `q${n}`)
    await Promise.all(ids.map((id, n) => arm(id, START + (n % 7) * 100)))
    let together = 0
    let most = 0
    begin(async id => {
      most = Math.max(most, ++together)
      await settle(id)
      together--
    })
    for (let time = 0; time < 10; time++) {
      await pass(100)
      await until(
        'nothing to be due',
        async () => (await stage.store.ledger.due(stage.store.ledger.now(), 1)).length,
        0,
      )
    }
    expect(rung).toHaveLength(10_000)
    expect(new Set(rung).size).toBe(10_000)
    expect(most).toBeLessThanOrEqual(256)
    expect(most).toBeGreaterThan(1)
  }, 60_000)

  test('waits thirty days without ringing early: no timer is set beyond what a timer can hold', async () => {
    const asked = vi.spyOn(globalThis, 'setTimeout')
    await arm('month', START + 30 * DAY)
    begin(settle)
    await turns()
    for (let day = 0; day < 30; day++) {
      expect(rung).toEqual([])
      await pass(DAY - (day === 29 ? 1 : 0))
    }
    expect(rung).toEqual([])
    await pass(1)
    await pass(10_000)
    expect(rung).toEqual(['month'])
    for (const [, ms] of asked.mock.calls) expect(ms).toBeLessThanOrEqual(10_000)
  })

  test('is told of what comes sooner than it knew', async () => {
    begin(settle)
    await turns()
    await arm('soon', START + 50)
    tell('soon', START + 50)
    await turns()
    await pass(50)
    expect(rung).toEqual(['soon'])
  })

  test('what it is told a thousand times it looks at once, and what it is told during a ring is not forgotten', async () => {
    const looks = vi.spyOn(stage.store.ledger, 'nextAlarm')
    let release: () => void = () => undefined
    await arm('slow', START)
    begin(async id => {
      rung.push(id)
      if (id === 'slow') await new Promise<void>(resolve => (release = resolve))
      await move(id, null)
    })
    await turns()
    await arm('meanwhile', START)
    for (let time = 0; time < 1_000; time++) tell('meanwhile', START)
    await turns()
    release()
    await turns()
    expect(rung).toEqual(['slow', 'meanwhile'])
    expect(looks.mock.calls.length).toBeLessThan(10)
    // Nor does it deafen the clock to the next one.
    await arm('next', START + 50)
    tell('next', START + 50)
    await turns()
    await pass(50)
    expect(rung).toEqual(['slow', 'meanwhile', 'next'])
  })

  test('one that cannot be settled yet does not make the others late', async () => {
    await arm('stuck', START)
    await arm('prompt', START + 100)
    begin(async id => {
      rung.push(id)
      if (id !== 'stuck') await move(id, null)
    })
    await turns()
    await pass(100)
    expect(rung).toEqual(['stuck', 'prompt'])
  })

  test('goes on when a ring fails, and says so', async () => {
    await arm('a', START)
    await arm('b', START)
    begin(async id => {
      rung.push(id)
      if (id === 'a') throw new Error('cannot')
      await move(id, null)
    })
    await turns()
    expect(rung.sort()).toEqual(['a', 'b'])
    expect(troubles).toEqual([new Error('cannot')])
    await pass(1_000)
    expect(rung.filter(id => id === 'a')).toHaveLength(2)
  })

  test.each(['due', 'nextAlarm'] as const)(
    'a database that fails once while it is asked for %s does not silence it for ever',
    async question => {
      await arm('a', START + 2_000)
      let failures = 0
      // The disk is the fault; the ledger stays itself in everything else.
      const faulty = new Proxy(stage.store.ledger, {
        get(ledger, name) {
          if (name === question && failures++ < 3) return () => Promise.reject(new Error('SQLITE_BUSY'))
          const member = Reflect.get(ledger, name)
          return typeof member === 'function' ? member.bind(ledger) : member
        },
      })
      begin(settle, faulty)
      await turns()
      for (let second = 0; second < 15; second++) await pass(1_000)
      expect(troubles.length).toBeGreaterThan(0)
      expect(rung).toEqual(['a'])
    },
  )

  test('stopping waits for the ring under way; afterwards nothing rings', async () => {
    let release: () => void = () => undefined
    let done = false
    await arm('slow', START)
    await arm('later', START + 1_000)
    const clock = begin(async id => {
      rung.push(id)
      await new Promise<void>(resolve => (release = resolve))
      done = true
    })
    await turns()
    let stopped = false
    const stopping = clock.stop().then(() => {
      stopped = true
    })
    await turns()
    expect(stopped).toBe(false)
    release()
    await stopping
    expect(done).toBe(true)
    alarms = null
    clock.set({ request_id: 'later', deadline_ms: START + DAY, resolved_seq: null }, START)
    await pass(60_000)
    expect(rung).toEqual(['slow'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the alarm clock and the lane together', () => {
  test('[LANE-067] [LANE-071] a request is defaulted at its deadline with nobody asking, once', async () => {
    await stage.open(question('q', { deadline_seconds: 60 }))
    await stage.lane.drain()
    begin(id => stage.lane.advance(id))
    for (let second = 0; second < 60; second++) await pass(1_000)
    await until('the default', async () => (await stage.lane.current('q'))?.state, 'defaulted')
    await pass(10_000)
    const types = (await stage.entries()).map(entry => entry.type)
    expect(types.filter(type => type === 'TIMEOUT_RECEIPT')).toHaveLength(1)
    expect(types.filter(type => type === 'REQUEST_RESOLVED')).toHaveLength(1)
    expect(await stage.problems()).toEqual([])
  })
})
