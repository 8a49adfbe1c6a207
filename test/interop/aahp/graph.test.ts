// Who waits for whom, and what is taken next.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  complete,
  cycleIn,
  eligible,
  flawsOfNumbers,
  heldByOthers,
  settle,
} from '../../../src/interop/aahp/graph.js'
import type { Task, Tasks } from '../../../src/interop/aahp/manifest.js'
import { AT, manifestOf } from './handoff.js'

const task = (more: Partial<Task> = {}): Task => ({ title: 'a', status: 'ready', ...more })
const first = (tasks: Tasks): string | undefined => eligible(tasks)[0]?.[0]

describe('the task to take', () => {
  test('[AAHP-261, AAHP-272] is the most urgent that can be worked on, and the older of two', () => {
    const tasks = {
      'T-001': task({ priority: 'low' }),
      'T-002': task({ priority: 'medium' }),
      'T-003': task({ priority: 'critical', depends_on: ['T-001'] }),
      'T-004': task({ priority: 'high' }),
      'T-1000': task({ priority: 'high' }),
      'T-006': task(),
      'T-007': task({ priority: 'critical', status: 'in_progress' }),
      'T-008': task({ priority: 'critical', blocked_by: 'the weather' }),
    }
    expect(eligible(tasks).map(([id]) => id)).toEqual(['T-004', 'T-1000', 'T-002', 'T-001', 'T-006'])
    expect(first({ ...tasks, 'T-001': task({ status: 'done' }) })).toBe('T-003')
  })

  test('[AAHP-271] is none that waits for something held from outside, however far up', () => {
    const tasks = {
      'T-001': task({ status: 'blocked', blocked_by: 'credentials' }),
      'T-002': task({ depends_on: ['T-001'] }),
      'T-003': task({ depends_on: ['T-002'] }),
      'T-004': task({ priority: 'low' }),
    }
    expect(eligible(tasks).map(([id]) => id)).toEqual(['T-004'])
    expect([...heldByOthers(tasks)]).toEqual([
      ['T-002', ['T-001']],
      ['T-003', ['T-001']],
    ])
  })

  test('is none whose dependency is not on the board, were it called as everything is called', () => {
    expect(first({ 'T-001': task({ depends_on: ['T-999'] }) })).toBe(undefined)
    expect(first({ 'T-001': task({ depends_on: ['constructor'] }) })).toBe(undefined)
  })
})

describe('a completion', () => {
  test('[AAHP-269] sets the state and the day, and keeps the day it had', () => {
    expect(complete(task(), AT)).toEqual(task({ status: 'done', completed: AT }))
    expect(complete(task({ status: 'done', completed: '2026-01-01T00:00:00Z' }), AT).completed).toBe(
      '2026-01-01T00:00:00Z',
    )
    expect(settle({ 'T-001': task({ status: 'done' }) }, AT)['T-001']?.completed).toBe(AT)
  })

  test('[AAHP-270] makes ready what waited for it alone, and nothing else', () => {
    const tasks = settle(
      {
        'T-001': task({ status: 'done', completed: AT }),
        'T-002': task({ status: 'blocked', depends_on: ['T-001'] }),
        'T-003': task({ status: 'blocked', depends_on: ['T-001', 'T-002'] }),
        'T-004': task({ status: 'blocked', depends_on: ['T-001'], blocked_by: 'credentials' }),
        'T-005': task({ status: 'blocked' }),
      },
      AT,
    )
    expect(Object.entries(tasks).map(([id, { status }]) => [id, status])).toEqual([
      ['T-001', 'done'],
      ['T-002', 'ready'],
      ['T-003', 'blocked'],
      ['T-004', 'blocked'],
      ['T-005', 'blocked'],
    ])
  })
})

describe('a circle', () => {
  test('is found, and told as it goes round', () => {
    const round = {
      'T-001': task({ depends_on: ['T-003'] }),
      'T-002': task({ depends_on: ['T-001'] }),
      'T-003': task({ depends_on: ['T-002'] }),
    }
    expect(cycleIn(round)).toEqual(['T-001', 'T-003', 'T-002', 'T-001'])
    expect(cycleIn({ 'T-001': task({ depends_on: ['T-001'] }) })).toEqual(['T-001', 'T-001'])
    expect(
      cycleIn({
        'T-001': task({ depends_on: ['T-002', 'T-003'] }),
        'T-002': task({ depends_on: ['T-003'] }),
        'T-003': task(),
      }),
    ).toBe(null)
  })

  test('is found exactly where one is, in graphs of every shape', () => {
    const id = (n: number): string => `T-${String(n).padStart(3, '0')}`
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(7), { maxLength: 4 }), { minLength: 1, maxLength: 8 }), rows => {
        const tasks = Object.fromEntries(rows.map((row, n) => [id(n), task({ depends_on: row.map(id) })]))
        const found = cycleIn(tasks)
        // By another way: taking away, again and again, what waits for nothing that is left.
        const left = new Map(rows.map((row, n) => [n, row.filter(one => one < rows.length)]))
        for (let before = -1; before !== left.size; ) {
          before = left.size
          for (const [n, row] of left) if (row.every(one => !left.has(one))) left.delete(n)
        }
        expect(found === null).toBe(left.size === 0)
        for (let i = 0; found !== null && i + 1 < found.length; i++)
          expect(tasks[found[i] ?? '']?.depends_on).toContain(found[i + 1])
      }),
    )
  })

  test('of a hundred thousand tasks in a row is looked for without an end of the stack', () => {
    const rows = Array.from({ length: 100_000 }, (_, n) => [
      `T-${1000 + n}`,
      task({ depends_on: [`T-${1001 + n}`] }),
    ])
    expect(cycleIn(Object.fromEntries(rows))).toBe(null)
  })
})

describe('numbers of tasks', () => {
  const manifest = (next: number, ...ids: string[]) =>
    manifestOf({}, { next_task_id: next, tasks: Object.fromEntries(ids.map(id => [id, task()])) })

  test('[AAHP-262] stay below the counter', () => {
    expect(flawsOfNumbers(manifest(3, 'T-001', 'T-002'), null)).toEqual([])
    expect(flawsOfNumbers(manifest(2, 'T-001', 'T-002'), null)).toEqual([expect.stringContaining('T-002')])
    expect(flawsOfNumbers({ ...manifest(1, 'T-001'), next_task_id: undefined }, null)).toEqual([
      expect.stringContaining('missing'),
    ])
  })

  test('[AAHP-263] are used once: neither the counter nor a number that is gone comes back', () => {
    const before = manifest(5, 'T-001', 'T-002')
    expect(flawsOfNumbers(manifest(5, 'T-001'), before)).toEqual([])
    expect(flawsOfNumbers(manifest(6, 'T-001', 'T-005'), before)).toEqual([])
    expect(flawsOfNumbers(manifest(3, 'T-001', 'T-002'), before)).toEqual([
      expect.stringContaining('went back from 5 to 3'),
    ])
    expect(flawsOfNumbers(manifest(5, 'T-001', 'T-004'), before)).toEqual([
      expect.stringContaining('T-004 came back'),
    ])
  })
})
