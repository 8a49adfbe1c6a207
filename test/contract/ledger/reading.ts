// L10, and the ways the ledger is read: alarms, lists, lines, commits as they happen.

import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/canonical.js'
import type { Draft } from '../../../src/event.js'
import type { AppendDecision, Filter } from '../../../src/ledger/contract.js'
import { approvalOf, lastOf, note, type Opener, open, STARTED, stageFor, withdraw } from './stage.js'

export function readingContract(opener: Opener): void {
  const stage = stageFor(opener)

  describe('what the director asks', () => {
    const ids = { request_id: 'q-1', run_id: 'run-1' }
    const decided = (by: string): Draft => ({
      type: 'DIRECTOR_DECIDED',
      ...ids,
      body: { decision: 'HALT', reason: 'r', because: 0, by },
    })
    const hash = `sha256:${'a'.repeat(64)}` as const
    const issued: Draft = {
      type: 'POLICY_TOKEN_ISSUED',
      ...ids,
      body: {
        jti: 'AAECAwQFBgcICQoLDA0ODw',
        action: 'PUBLISH',
        parameters_hash: hash,
        request_hash: hash,
        reply_event_hash: hash,
        issued_at: '2026-11-01T12:00:00.000Z',
        valid_seconds: 900,
        expires_at: '2026-11-01T12:15:00.000Z',
      },
    }
    const tell = async (expected: number, ...events: Draft[]) =>
      stage.ledger.append({
        story: { request_id: 'q-1', expected, last: await lastOf(stage.ledger, 'q-1') },
        decide: (): AppendDecision<never> => ({ kind: 'append', events }),
      })

    test('a run is an outside director’s from its first decision on, also after opening again', async () => {
      await open(stage.ledger, 'q-1')
      await tell(1, decided('lane'))
      expect(await stage.ledger.hasDirector('run-1')).toBe(false)
      await tell(2, decided('key-3'))
      expect(await stage.ledger.hasDirector('run-1')).toBe(true)
      await tell(3, decided('key-3'))
      await stage.reopen()
      expect([await stage.ledger.hasDirector('run-1'), await stage.ledger.hasDirector('run-2')]).toEqual([
        true,
        false,
      ])
    })

    test('a policy token leads to its request, also after opening again', async () => {
      await open(stage.ledger, 'q-1')
      await tell(1, issued)
      await stage.reopen()
      expect(await stage.ledger.requestOfToken('AAECAwQFBgcICQoLDA0ODw')).toBe('q-1')
      expect(await stage.ledger.requestOfToken('BBECAwQFBgcICQoLDA0ODw')).toBeNull()
    })

    test('the entry that registered a passkey is found by its name, among others of its type', async () => {
      const registered = (user_id: string) =>
        ({
          type: 'PASSKEY_REGISTERED',
          body: { user_id, credential_hash: sha256(user_id), by: 'person' },
        }) as const
      await stage.ledger.append({ decide: () => ({ kind: 'append', events: ['ann', 'bo'].map(registered) }) })
      const { size } = await stage.ledger.head()
      expect(await stage.ledger.registrationOf(sha256('ann'))).toBe(size - 2)
      expect(await stage.ledger.registrationOf(sha256('bo'))).toBe(size - 1)
      expect(await stage.ledger.registrationOf(sha256('cy'))).toBeNull()
    })
  })

  describe('L10 alarms', () => {
    test('a request is due from its alarm on, the longest overdue first, also after opening again', async () => {
      await open(stage.ledger, 'q-1', { alarm: 3000 })
      await open(stage.ledger, 'q-2', { alarm: 1000 })
      await open(stage.ledger, 'q-3', { alarm: 2000 })
      await open(stage.ledger, 'q-4', { alarm: null })
      await open(stage.ledger, 'q-5')
      await stage.reopen()
      const { ledger } = stage
      expect(await ledger.nextAlarm()).toBe(1000)
      expect(await ledger.due(999, 10)).toEqual([])
      expect(await ledger.due(1000, 10)).toEqual(['q-2'])
      expect(await ledger.due(5000, 10)).toEqual(['q-2', 'q-3', 'q-1'])
      expect(await ledger.due(5000, 2)).toEqual(['q-2', 'q-3'])
    })

    test('alarms are walked in order of time and then of id, page by page, and none twice', async () => {
      const moments = { 'q-1': 2000, 'q-2': 1000, 'q-3': 2000, 'q-4': 2000, 'q-5': 3000, 'q-6': null }
      for (const [id, alarm] of Object.entries(moments)) await open(stage.ledger, id, { alarm })
      const walked: string[] = []
      for (let after = { at: 1000, request_id: '' }; ; ) {
        const page = await stage.ledger.alarms(after, 2999, 2)
        for (const { request_id, at } of page) walked.push(`${request_id} ${at}`)
        const last = page.at(-1)
        if (last === undefined) break
        after = last
      }
      expect(walked).toEqual(['q-2 1000', 'q-1 2000', 'q-3 2000', 'q-4 2000'])
    })

    test('an alarm never rings early: part of a millisecond is rounded up', async () => {
      await open(stage.ledger, 'q-1', { alarm: 1000.2 })
      expect([await stage.ledger.due(1000, 1), await stage.ledger.due(1001, 1)]).toEqual([[], ['q-1']])
    })

    test('an append moves the alarm, clears it or leaves it', async () => {
      const move = async (expected: number, alarm?: number | null) =>
        stage.ledger.append({
          story: { request_id: 'q-1', expected, last: await lastOf(stage.ledger, 'q-1') },
          decide: (): AppendDecision<never> => ({
            kind: 'append',
            events: [
              {
                type: 'DELIVERY_CLOSED',
                request_id: 'q-1',
                run_id: 'run-1',
                body: { delivery_id: 'd-1', edited: true },
              },
            ],
            ...(alarm !== undefined && { alarm }),
          }),
        })
      const seen: (number | null)[] = []
      const look = async () => seen.push(await stage.ledger.nextAlarm())
      await open(stage.ledger, 'q-1', { alarm: 1000 })
      await look()
      await move(1, 2000)
      await look()
      await move(2)
      await look()
      await move(3, null)
      await look()
      expect(seen).toEqual([1000, 2000, 2000, null])
    })

    test('an append without entries moves the alarm of a story that stands as before', async () => {
      await open(stage.ledger, 'q-1', { alarm: 1000 })
      const { size } = await stage.ledger.head()
      const last = await lastOf(stage.ledger, 'q-1')
      const move = (expected: number) =>
        stage.ledger.append({
          story: { request_id: 'q-1', expected, last },
          decide: (): AppendDecision<never> => ({ kind: 'append', events: [], alarm: 2000 }),
          rides: true,
        })
      expect(await move(1)).toEqual({ kind: 'appended', entries: [] })
      expect(await stage.ledger.nextAlarm()).toBe(2000)
      expect([(await stage.ledger.head()).size, await stage.ledger.version('q-1')]).toEqual([size, 1])
      expect(await move(2)).toEqual({ kind: 'moved' })
      await stage.reopen()
      expect([await stage.ledger.nextAlarm(), (await stage.ledger.story('q-1')).length]).toEqual([2000, 1])
    })
  })

  describe('lists', () => {
    const ids = async (filter: Partial<Filter>) =>
      (await stage.ledger.list({ limit: 50, ...filter })).map(({ request_id }) => request_id)

    test('newest first, filtered by state, run and opener, what is open among them, and paged by the seq they were opened at', async () => {
      await open(stage.ledger, 'q-1')
      await open(stage.ledger, 'q-2', { run_id: 'run-2' })
      await open(stage.ledger, 'a-3', { opened_by: 'key-2', request: approvalOf('a-3') })
      await withdraw(stage.ledger, 'q-1')
      expect(await ids({})).toEqual(['a-3', 'q-2', 'q-1'])
      expect(await ids({ state: 'pending' })).toEqual(['a-3', 'q-2'])
      expect(await ids({ state: 'withdrawn' })).toEqual(['q-1'])
      expect(await ids({ open: true })).toEqual(['a-3', 'q-2'])
      expect(await ids({ open: true, run_id: 'run-1', before: 5 })).toEqual(['a-3'])
      expect([await ids({ open: true, state: 'withdrawn' }), await ids({ state: 'partial' })]).toEqual([
        [],
        [],
      ])
      expect(await ids({ run_id: 'run-1' })).toEqual(['a-3', 'q-1'])
      expect(await ids({ run_id: 'run-1', opened_by: 'key-2' })).toEqual(['a-3'])
      const [first, second] = await stage.ledger.list({ limit: 2 })
      expect([first, second]).toEqual([
        { request_id: 'a-3', opened_seq: 2 },
        { request_id: 'q-2', opened_seq: 1 },
      ])
      expect(await ids({ before: 1 })).toEqual(['q-1'])
    })

    test('what a key has open is counted, and no further than asked', async () => {
      const { ledger } = stage
      for (const id of ['q-1', 'q-2', 'q-3']) await open(ledger, id)
      await open(ledger, 'a-4', { request: approvalOf('a-4') })
      await open(ledger, 'other', { opened_by: 'key-2' })
      await withdraw(ledger, 'q-1')
      expect([await ledger.countOpen('key-1', 10), await ledger.countOpen('key-1', 2)]).toEqual([3, 2])
      expect([await ledger.countOpen('key-2', 10), await ledger.countOpen('key-3', 10)]).toEqual([1, 0])
    })

    test('of a request that nobody opened there is no story', async () => {
      expect(await stage.ledger.story('q-1')).toEqual([])
    })

    test('no request, no run and no policy token has a name with U+0000 in it', async () => {
      const { ledger } = stage.store
      await open(ledger, 'q-1')
      expect(await ledger.story('q-1\0')).toEqual([])
      expect(await ledger.list({ run_id: '\0', limit: 10 })).toEqual([])
      expect(await ledger.hasDirector('\0')).toBe(false)
      expect(await ledger.requestOfToken('\0AECAwQFBgcICQoLDA0ODw')).toBeNull()
    })
  })

  describe('lines', () => {
    const seqs = async (from: number, limit?: number) => {
      const found: number[] = []
      for await (const line of stage.ledger.lines(from, limit)) found.push(JSON.parse(line).seq)
      return found
    }
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

    test('all, or so many from a place on, however many there are', async () => {
      await note(
        stage.ledger,
        range(0, 1201).map(() => STARTED),
      )
      expect(await seqs(0)).toEqual(range(0, 1201))
      expect(await seqs(499, 502)).toEqual(range(499, 1001))
      expect(await seqs(0, 500)).toEqual(range(0, 500))
      expect(await seqs(1200)).toEqual([1200])
      expect([await seqs(1201), await seqs(3, 0)]).toEqual([[], []])
    })
  })

  describe('commits as they happen', () => {
    test('a listener hears every entry once, in order, when it can be read; until it has left', async () => {
      const heard: number[] = []
      const sizes: Promise<number>[] = []
      const leave = stage.ledger.onCommit(entries => {
        heard.push(...entries.map(({ seq }) => seq))
        sizes.push(stage.ledger.head().then(({ size }) => size))
      })
      await Promise.all(Array.from({ length: 600 }, (_, index) => open(stage.ledger, `q-${index}`)))
      leave()
      expect((await Promise.all(sizes)).at(-1)).toBe(600)
      await note(stage.ledger)
      expect(heard).toEqual(Array.from({ length: 600 }, (_, index) => index))
    })

    test('an append that is refused is not heard of', async () => {
      let heard = 0
      stage.ledger.onCommit(entries => {
        heard += entries.length
      })
      await stage.ledger.append({ decide: () => ({ kind: 'refuse', why: 'no' }) as const })
      expect(heard).toBe(0)
    })
  })
}
