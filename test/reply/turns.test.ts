// Replies by one handle, one after the other.
import { expect, test } from 'vitest'
import { Turns } from '../../src/reply/turns.js'

const later = () => new Promise<void>(resolve => setImmediate(resolve))

test('work under one name is done in the order it came, and other names do not wait for it', async () => {
  const turns = new Turns()
  const done: string[] = []
  const work = (name: string, times: number) => async () => {
    for (let time = 0; time < times; time++) await later()
    done.push(name)
  }
  await Promise.all([
    turns.take('a', work('a1', 5)),
    turns.take('a', work('a2', 0)),
    turns.take('b', work('b1', 1)),
  ])
  expect(done).toEqual(['b1', 'a1', 'a2'])
})

test('who fails tells its own caller and holds up nobody', async () => {
  const turns = new Turns()
  const failed = turns.take('a', () => Promise.reject(new Error('cannot')))
  const next = turns.take('a', async () => 'taken')
  await expect(failed).rejects.toThrow('cannot')
  expect(await next).toBe('taken')
})
