// What waits for whom: soonest first, for that person alone, and never what is settled or handed on.
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../src/event.js'
import { question } from '../../ledger/tale.js'
import { approvalOf, lastOf, type Opener, open, opening, stageFor, withdraw, withdrawAfter } from './stage.js'

const ALL = Number.MAX_SAFE_INTEGER

export function inboxContract(opener: Opener): void {
  const stage = stageFor(opener)
  const ask = (id: string, deadline_seconds: number) =>
    open(stage.ledger, id, { request: question({ question_id: id, deadline_seconds }) })
  const tell = async (id: string, expected: number, ...events: Draft[]) =>
    stage.ledger.append({
      story: { request_id: id, expected, last: await lastOf(stage.ledger, id) },
      decide: () => ({ kind: 'append', events }),
    })
  const handed = (id: string, from: string, to: string, by: 'away' | 'lane'): Draft => ({
    type: 'REQUEST_DELEGATED',
    request_id: id,
    run_id: 'run-1',
    body: { from, to, by },
  })
  const waiting = async (user_id: string, more: object = {}) =>
    (await stage.ledger.inbox({ user_id, limit: 10, ...more })).map(one => one.request_id)
  const past = async (user_id: string) =>
    (await stage.ledger.past(user_id, ALL, 10)).map(one => one.request_id)

  describe('the inbox', () => {
    test('lists what waits for a person, the soonest deadline first, page by page, and nobody else’s', async () => {
      await ask('late', 600)
      await ask('soon', 60)
      await ask('middle', 300)
      await stage.reopen()
      expect(await waiting('ada')).toEqual(['soon', 'middle', 'late'])
      expect(await waiting('ben')).toEqual([])
      expect(await stage.ledger.countWaiting('ada', 10)).toBe(3)
      expect(await stage.ledger.countWaiting('ada', 2)).toBe(2)
      const [first] = await stage.ledger.inbox({ user_id: 'ada', limit: 1 })
      expect(first?.request_id).toBe('soon')
      expect(await waiting('ada', { after: first })).toEqual(['middle', 'late'])
    })

    test('takes what is settled from the inbox into the past, the latest first', async () => {
      await ask('q-1', 60)
      await ask('q-2', 60)
      await withdraw(stage.ledger, 'q-2')
      await withdraw(stage.ledger, 'q-1')
      expect([await waiting('ada'), await past('ada')]).toEqual([[], ['q-1', 'q-2']])
      const [last] = await stage.ledger.past('ada', ALL, 1)
      expect(await stage.ledger.past('ada', last?.over_seq ?? 0, 10)).toMatchObject([{ request_id: 'q-2' }])
    })

    test('is asked for one type or urgency alone', async () => {
      await ask('q-1', 60)
      await open(stage.ledger, 'a-1', { request: approvalOf('a-1') })
      expect(await waiting('ada', { type: 'REQUEST_APPROVAL' })).toEqual(['a-1'])
      expect(await waiting('ada', { urgency: 'high' })).toEqual([])
      expect(await waiting('ada', { type: 'REQUEST_QUESTION', urgency: 'normal' })).toEqual(['q-1'])
    })

    test('goes with the request: to whom it is handed, back again, and to whom a ladder adds', async () => {
      await ask('q-1', 60)
      await tell('q-1', 1, handed('q-1', 'ada', 'ben', 'away'))
      expect([await waiting('ada'), await waiting('ben'), await past('ada')]).toEqual([[], ['q-1'], ['q-1']])
      await tell('q-1', 2, handed('q-1', 'ben', 'ada', 'lane'))
      expect([await waiting('ada'), await waiting('ben')]).toEqual([['q-1'], []])
      const added: Draft = {
        type: 'REQUEST_ESCALATED',
        request_id: 'q-1',
        run_id: 'run-1',
        body: { step: 0, do: 'add', to: ['cleo'] },
      }
      await tell('q-1', 3, added)
      expect([await waiting('ada'), await waiting('cleo')]).toEqual([['q-1'], ['q-1']])
      await withdrawAfter(stage.ledger, 'q-1', await lastOf(stage.ledger, 'q-1'), 4)
      expect([await waiting('ada'), await waiting('cleo'), await past('cleo')]).toEqual([[], [], ['q-1']])
    })

    test('follows hands that lie in one append', async () => {
      await ask('q-1', 60)
      await tell('q-1', 1, handed('q-1', 'ada', 'ben', 'away'), handed('q-1', 'ben', 'ada', 'lane'))
      expect([await waiting('ada'), await waiting('ben')]).toEqual([['q-1'], []])
    })

    test('follows a hand that lies in the append of the opening, beside others that share its commit', async () => {
      const away = stage.ledger.append({
        story: { request_id: 'q-1', expected: 0, last: null },
        decide: moment => ({
          kind: 'append',
          events: [opening('q-1', moment, {}), handed('q-1', 'ada', 'ben', 'away')],
        }),
      })
      await Promise.all([ask('q-0', 60), away, ask('q-2', 60)])
      expect([await waiting('ada'), await waiting('ben'), await past('ada')]).toEqual([
        ['q-0', 'q-2'],
        ['q-1'],
        ['q-1'],
      ])
    })
  })
}
