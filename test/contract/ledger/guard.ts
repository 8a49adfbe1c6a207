// L5: guards look across requests, inside the serialised section.
import { describe, expect, test } from 'vitest'
import type { Guard, Space } from '../../../src/ledger/contract.js'
import { approvalOf, guarded, type Opener, open, sizeOf, stageFor, withdraw } from './stage.js'

const claim = (value: string, space: Space = 'jti'): Guard => ({
  kind: 'unclaimed',
  space,
  value,
})
const questions = (at_most: number, run_id = 'run-1', opened_by = 'key-1'): Guard => ({
  kind: 'open_questions',
  opened_by,
  run_id,
  at_most,
})
const budget = (at_most: number, opened_by = 'key-1', user_id = 'ada'): Guard => ({
  kind: 'recipient_budget',
  opened_by,
  user_id,
  at_most,
})
const tries = (at_most: number, sender = 'addressee', delivery_id = 'd-1'): Guard => ({
  kind: 'attempts',
  fails: true,
  delivery_id,
  sender,
  at_most,
})

export function guardContract(opener: Opener): void {
  const stage = stageFor(opener)
  const kindOf = async (...guards: Guard[]) => (await guarded(stage.ledger, ...guards)).kind

  describe('L5 unclaimed', () => {
    test('a value is claimed once and for ever', async () => {
      expect(await kindOf(claim('a'))).toBe('appended')
      expect(await guarded(stage.ledger, claim('a'))).toEqual({ kind: 'guarded', guard: claim('a') })
      await stage.reopen()
      expect(await kindOf(claim('a'))).toBe('guarded')
      expect(await kindOf(claim('b'))).toBe('appended')
      expect(await kindOf(claim('a', 'message'))).toBe('appended')
      expect([await kindOf(claim('a', 'spend')), await kindOf(claim('a', 'spend'))]).toEqual([
        'appended',
        'guarded',
      ])
    })

    test('of many who claim the same value at once, one does', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => kindOf(claim('a'))))
      expect(results.filter(kind => kind === 'appended')).toHaveLength(1)
      expect(await sizeOf(stage.ledger)).toBe(1)
    })

    test('an append that does not stand claims nothing', async () => {
      const guards = [claim('a')]
      await stage.ledger.append({ guards, decide: () => ({ kind: 'refuse', why: 'no' }) as const })
      await open(stage.ledger, 'q-1')
      await open(stage.ledger, 'q-1', { guards })
      await kindOf(claim('taken'))
      await kindOf(claim('a'), claim('taken'))
      expect(await kindOf(claim('a'))).toBe('appended')
    })
  })

  describe('L5 open questions of a run', () => {
    const ask = async (id: string, run_id = 'run-1') =>
      (await open(stage.ledger, id, { run_id, guards: [questions(2, run_id)] })).kind

    test('no more than allowed are open at once, and a resolved one makes room', async () => {
      expect([await ask('q-1'), await ask('q-2'), await ask('q-3')]).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      expect(await ask('q-4', 'run-2')).toBe('appended')
      await withdraw(stage.ledger, 'q-1')
      expect([await ask('q-5'), await ask('q-6')]).toEqual(['appended', 'guarded'])
    })

    test('a resolved one makes room for one that shares its commit', async () => {
      await ask('q-1')
      await ask('q-2')
      const [resolved, asked] = await Promise.all([withdraw(stage.ledger, 'q-1'), ask('q-3')])
      expect([resolved.kind, asked]).toEqual(['appended', 'appended'])
    })

    test('one key does not use up what another may ask in a run of the same name', async () => {
      const askAs = async (opened_by: string, id: string) =>
        (await open(stage.ledger, id, { opened_by, guards: [questions(2, 'run-1', opened_by)] })).kind
      const all = [
        ['key-1', 'a'],
        ['key-1', 'b'],
        ['key-1', 'c'],
        ['key-2', 'd'],
      ] as const
      const kinds: string[] = []
      for (const [key, id] of all) kinds.push(await askAs(key, id))
      expect(kinds).toEqual(['appended', 'appended', 'guarded', 'appended'])
      const together = await Promise.all(['e', 'f', 'g'].map(id => askAs('key-2', id)))
      expect(together.sort()).toEqual(['appended', 'guarded', 'guarded'])
    })

    test('approvals are not questions', async () => {
      await open(stage.ledger, 'a-1', { request: approvalOf('a-1') })
      await open(stage.ledger, 'a-2', { request: approvalOf('a-2') })
      expect([await ask('q-1'), await ask('q-2')]).toEqual(['appended', 'appended'])
    })

    test('asked at once, no more than allowed are opened', async () => {
      const kinds = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`q-${index}`)))
      expect(kinds.filter(kind => kind === 'appended')).toHaveLength(2)
    })
  })

  describe('L5 budget of a recipient', () => {
    test('a key asks a person so often; another key and another person are not counted', async () => {
      expect([await kindOf(budget(2)), await kindOf(budget(2)), await kindOf(budget(2))]).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      expect(await kindOf(budget(2, 'key-2'))).toBe('appended')
      expect(await kindOf(budget(2, 'key-1', 'bob'))).toBe('appended')
    })
  })

  describe('L5 attempts', () => {
    test('each append counts one for its sender on its delivery', async () => {
      expect([await kindOf(tries(2)), await kindOf(tries(2)), await kindOf(tries(2))]).toEqual([
        'appended',
        'appended',
        'guarded',
      ])
      expect(await kindOf(tries(2, 'stranger'))).toBe('appended')
      expect(await kindOf(tries(2, 'addressee', 'd-2'))).toBe('appended')
      expect(await kindOf(tries(3))).toBe('appended')
    })

    test('one that is known not to fail is asked and not counted', async () => {
      const sure = { ...tries(1), fails: false }
      expect([await kindOf(sure), await kindOf(sure)]).toEqual(['appended', 'appended'])
      expect([await kindOf(tries(1)), await kindOf(sure)]).toEqual(['appended', 'guarded'])
    })
  })
}
