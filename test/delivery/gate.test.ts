import { describe, expect, test, vi } from 'vitest'
import { Gate } from '../../src/delivery/gate.js'
import { within } from '../../src/delivery/patience.js'

describe('a gate', () => {
  test('lets in no more than its places, in the order of coming, and lets in as many as leave', async () => {
    const gate = new Gate(3)
    const leave: (() => void)[] = []
    const entered: number[] = []
    const all = Array.from({ length: 10 }, (_, n) =>
      gate.pass(() => {
        entered.push(n)
        return new Promise<void>(resolve => leave.push(resolve))
      }),
    )
    for (let gone = 0; gone < 10; gone++) {
      await vi.waitFor(() => expect(leave.length).toBe(Math.min(10, gone + 3)))
      expect(entered).toEqual(Array.from({ length: Math.min(10, gone + 3) }, (_, n) => n))
      leave[gone]?.()
    }
    await Promise.all(all)
  })

  test('gives a place back when the work fails, and says so to whoever asked', async () => {
    const gate = new Gate(1)
    const failing = gate.pass(() => Promise.reject(new Error('no')))
    const next = gate.pass(async () => 'in')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('in')
    expect(await gate.pass(async () => 'again')).toBe('again')
  })
})

describe('patience', () => {
  test('gives the value, the failure, or the word for late', async () => {
    expect(await within(1_000, Promise.resolve('value'), 'late')).toBe('value')
    await expect(within(1_000, Promise.reject(new Error('no')), 'late')).rejects.toThrow('no')
    expect(await within(0, new Promise<string>(() => undefined), 'late')).toBe('late')
  })

  test('leaves no timer behind, and a failure after the end is nobody’s business', async () => {
    vi.useFakeTimers()
    await within(60_000, Promise.resolve(1), 2)
    expect(vi.getTimerCount()).toBe(0)
    let fail: (error: Error) => void = () => undefined
    const slow = new Promise<number>((_, reject) => {
      fail = reject
    })
    const waiting = within(10, slow, 2)
    await vi.advanceTimersByTimeAsync(10)
    expect(await waiting).toBe(2)
    fail(new Error('unhandled, if nobody listens'))
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
  })
})
