import { describe, expect, test } from 'vitest'
import { Gate } from '../../src/delivery/gate.js'

const held = () => {
  let open = (): void => undefined
  const until = new Promise<void>(resolve => {
    open = resolve
  })
  return { until, open }
}

describe('a channel’s gate', () => {
  test('lets so many in at once, the others in the order they came', async () => {
    const gate = new Gate(2)
    const [first, second, third] = [held(), held(), held()]
    const order: string[] = []
    const enter = (name: string, { until }: { until: Promise<void> }) =>
      gate.pass(async () => {
        order.push(name)
        await until
      })
    const all = [enter('a', first), enter('b', second), enter('c', third)]
    await Promise.resolve()
    expect(order).toEqual(['a', 'b'])
    second.open()
    await all[1]
    await Promise.resolve()
    expect(order).toEqual(['a', 'b', 'c'])
    first.open()
    third.open()
    await Promise.all(all)
    expect(gate.idle).toBe(true)
  })

  test('a place that was taken ahead counts, is used once, and goes to who waits when it is given up', async () => {
    const gate = new Gate(1)
    expect([gate.take(), gate.take()]).toEqual([true, false])
    let waited = false
    const waiting = gate.pass(async () => {
      waited = true
    })
    await Promise.resolve()
    expect(waited).toBe(false)
    gate.leave()
    await waiting
    expect([waited, gate.idle]).toEqual([true, true])
  })

  test('work that fails leaves its place', async () => {
    const gate = new Gate(1)
    await expect(gate.pass(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect([gate.take(), gate.take()]).toEqual([true, false])
  })
})
