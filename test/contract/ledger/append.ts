// L1–L4, L7, L9, L14: the promises of an append.
import { describe, expect, test } from 'vitest'
import { type AppendDecision, LedgerUnavailable, type Moment } from '../../../src/ledger/contract.js'
import { GENESIS } from '../../../src/ledger/entry.js'
import { verify } from '../../../src/ledger/verify.js'
import {
  entriesOf,
  guarded,
  lastOf,
  MISSHAPEN,
  note,
  type Opener,
  open,
  opening,
  STARTED,
  sizeOf,
  stageFor,
  withdraw,
  withdrawAfter,
  withdrawal,
} from './stage.js'

export function appendContract(opener: Opener): void {
  const stage = stageFor(opener)

  describe('L1 durable, and all or nothing', () => {
    test('an empty ledger has the genesis for its head', async () => {
      expect(await stage.ledger.head()).toEqual({ size: 0, hash: GENESIS })
    })

    test('what was acknowledged is there after closing and opening again, byte for byte', async () => {
      const opened = await open(stage.ledger, 'q-1')
      await withdraw(stage.ledger, 'q-1')
      const before = { head: await stage.ledger.head(), entries: await entriesOf(stage.ledger) }
      await stage.reopen()
      expect({ head: await stage.ledger.head(), entries: await entriesOf(stage.ledger) }).toEqual(before)
      expect(opened).toMatchObject({ kind: 'appended', entries: [before.entries[0]] })
      expect(await stage.ledger.story('q-1')).toEqual(before.entries)
      expect(before.head).toEqual({ size: 3, hash: before.entries[2]?.hash })
    })

    test('the chain goes on where it stood', async () => {
      await note(stage.ledger)
      await stage.reopen()
      await note(stage.ledger)
      expect(await verify(stage.ledger.lines(0))).toMatchObject({ ok: true, entries: 2 })
    })

    test('an append with one event that breaks its schema appends none of them', async () => {
      await expect(note(stage.ledger, [STARTED, MISSHAPEN])).rejects.toThrow('must fit its schema')
      expect(await sizeOf(stage.ledger)).toBe(0)
      expect(await note(stage.ledger)).toMatchObject({ kind: 'appended', entries: [{ seq: 0 }] })
    })

    test('an append under way while the ledger closes is durable', async () => {
      const promised = open(stage.ledger, 'q-1')
      await stage.reopen()
      expect(await promised).toMatchObject({ kind: 'appended' })
      expect(await stage.ledger.story('q-1')).toHaveLength(1)
    })
  })

  describe('L2 serialised', () => {
    test('decide sees the place and the time at which its events then stand', async () => {
      const seen: Moment[] = []
      const decide = (moment: Moment): AppendDecision<never> => {
        seen.push(moment)
        return { kind: 'append', events: [STARTED, STARTED] }
      }
      const results = await Promise.all([1, 2, 3].map(() => stage.ledger.append({ decide })))
      expect(seen.map(({ seq }) => seq)).toEqual([0, 2, 4])
      for (const [index, result] of results.entries()) {
        const { seq, at } = seen[index] as Moment
        expect(result).toMatchObject({
          entries: [
            { seq, at },
            { seq: seq + 1, at },
          ],
        })
      }
      expect(seen.every(({ at, ms, suspect }) => Date.parse(at) === ms && !suspect)).toBe(true)
    })
  })

  describe('L3 neighbours', () => {
    test('whatever an append is refused for, those that share its commit stand', async () => {
      const { ledger } = stage
      await open(ledger, 'q-0')
      await guarded(ledger, { kind: 'unclaimed', space: 'jti', value: 'taken' })
      const before = await sizeOf(ledger)
      const bad = [
        () => ledger.append({ decide: () => ({ kind: 'refuse', why: 'no' }) as const }),
        () => withdrawAfter(ledger, 'q-0', null, 7),
        () => guarded(ledger, { kind: 'unclaimed', space: 'jti', value: 'taken' }),
        () => ledger.append({ decide: () => fail() }),
        () => note(ledger, [MISSHAPEN]),
      ]
      // More than any one commit takes, so that the bad ones stand at every place in a commit.
      const good = Array.from({ length: 300 }, (_, index) => index)
      const settled = await Promise.allSettled(
        good.flatMap(index => [open(ledger, `q-${index + 1}`), bad[index % bad.length]?.()]),
      )
      const opened = settled.filter((_, index) => index % 2 === 0)
      const refused = settled.filter((_, index) => index % 2 === 1)
      expect(opened.every(one => one.status === 'fulfilled' && one.value?.kind === 'appended')).toBe(true)
      expect(refused.slice(0, 5)).toMatchObject([
        { value: { kind: 'refused', why: 'no' } },
        { value: { kind: 'moved' } },
        { value: { kind: 'guarded', guard: { value: 'taken' } } },
        { status: 'rejected', reason: { message: 'a bug in a caller' } },
        { status: 'rejected', reason: { name: 'TypeError' } },
      ])
      expect(await sizeOf(ledger)).toBe(before + good.length)
      expect(await verify(ledger.lines(0))).toMatchObject({ ok: true, entries: before + good.length })
    })
  })

  describe('L4 expected', () => {
    test('a story that has moved on says so, and nothing is changed', async () => {
      await open(stage.ledger, 'q-1')
      let asked = 0
      const append = async (expected: number) =>
        stage.ledger.append({
          story: { request_id: 'q-1', expected, last: await lastOf(stage.ledger, 'q-1') },
          decide: ({ seq }): AppendDecision<never> => {
            asked += 1
            return { kind: 'append', events: withdrawal('q-1', seq) }
          },
        })
      expect(await append(0)).toEqual({ kind: 'moved' })
      expect(await append(2)).toEqual({ kind: 'moved' })
      expect([asked, await sizeOf(stage.ledger)]).toEqual([0, 1])
      expect(await append(1)).toMatchObject({ kind: 'appended' })
      expect(await append(1)).toEqual({ kind: 'moved' })
    })

    test('of many who open the same id at once, one does', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => open(stage.ledger, 'q-1')))
      const kinds = results.map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['appended', ...Array.from({ length: 19 }, () => 'moved')])
      expect(await stage.ledger.story('q-1')).toHaveLength(1)
    })

    test('of many who resolve the same request at once, one does', async () => {
      await open(stage.ledger, 'q-1')
      const last = await lastOf(stage.ledger, 'q-1')
      const results = await Promise.all(
        Array.from({ length: 20 }, () => withdrawAfter(stage.ledger, 'q-1', last)),
      )
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1)
      expect(await stage.ledger.story('q-1')).toHaveLength(3)
    })
  })

  describe('L7 resolved once', () => {
    test('the store refuses a second REQUEST_RESOLVED though the caller is wrong about the story', async () => {
      await open(stage.ledger, 'q-1')
      await withdraw(stage.ledger, 'q-1')
      const last = await lastOf(stage.ledger, 'q-1')
      const [neighbour, second] = await Promise.allSettled([
        open(stage.ledger, 'q-2'),
        withdrawAfter(stage.ledger, 'q-1', last, 3),
        open(stage.ledger, 'q-3'),
      ])
      expect(second.status).toBe('rejected')
      expect(neighbour).toMatchObject({ status: 'fulfilled', value: { kind: 'appended' } })
      const types = (await stage.ledger.story('q-1')).map(({ type }) => type)
      expect(types).toEqual(['REQUEST_OPENED', 'REQUEST_WITHDRAWN', 'REQUEST_RESOLVED'])
      expect(await verify(stage.ledger.lines(0))).toMatchObject({ ok: true, entries: 5 })
    })

    test('nor does it take two in one append', async () => {
      const twice = stage.ledger.append({
        story: { request_id: 'q-1', expected: 0, last: null },
        decide: (moment): AppendDecision<never> => ({
          kind: 'append',
          events: [
            opening('q-1', moment, {}),
            ...withdrawal('q-1', moment.seq + 1),
            ...withdrawal('q-1', moment.seq + 3),
          ],
        }),
      })
      await expect(twice).rejects.toThrow()
      expect(await sizeOf(stage.ledger)).toBe(0)
    })
  })

  describe('L9 unavailable', () => {
    test('a closed ledger acknowledges nothing, and says so by name', async () => {
      const { ledger } = stage
      await expect(ledger.probe()).resolves.toBeUndefined()
      await ledger.close()
      await expect(note(ledger)).rejects.toBeInstanceOf(LedgerUnavailable)
      await expect(ledger.probe()).rejects.toBeInstanceOf(LedgerUnavailable)
    })
  })

  describe('L14 an append that rides', () => {
    const ride = () =>
      stage.ledger.append({ rides: true, decide: () => ({ kind: 'append', events: [STARTED] }) })

    test('stands with the commit that somebody asks for after it, and before what they append', async () => {
      const commits: number[] = []
      const stop = stage.ledger.onOwnCommit(entries => void commits.push(entries.length))
      const [riding, asking] = await Promise.all([ride(), note(stage.ledger)])
      stop()
      expect(commits).toEqual([2])
      expect([riding, asking]).toMatchObject([{ entries: [{ seq: 0 }] }, { entries: [{ seq: 1 }] }])
    })

    test('stands though nobody asks for a commit', async () => {
      expect(await ride()).toMatchObject({ kind: 'appended', entries: [{ seq: 0 }] })
    })

    test('is not lost when the ledger closes', async () => {
      const riding = ride()
      await stage.reopen()
      expect(await riding).toMatchObject({ kind: 'appended' })
      expect(await sizeOf(stage.ledger)).toBe(1)
    })

    test('is told that its story has moved on, by whatever it rode with', async () => {
      await open(stage.ledger, 'q-1')
      const story = { request_id: 'q-1', expected: 1, last: await lastOf(stage.ledger, 'q-1') }
      const [resolved, riding] = await Promise.all([
        withdrawAfter(stage.ledger, 'q-1', story.last, 1),
        stage.ledger.append({ story, rides: true, decide: fail }),
      ])
      expect([resolved.kind, riding.kind]).toEqual(['appended', 'moved'])
    })
  })
}

function fail(): never {
  throw new Error('a bug in a caller')
}
