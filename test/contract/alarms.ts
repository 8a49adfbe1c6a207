// The alarm clock's contract, as a suite that every one must pass, on the machine's own time: whatever is due is rung,
// before long and not before its moment; again while it is due; and nothing that was set is lost.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { machineClock } from '../../src/clock.js'
import type { Alarms, Armed, Ring } from '../../src/deadline/alarms.js'
import type { Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { unlocked } from '../unlocked.js'
import { until } from '../until.js'
import { open as openRequest } from './ledger/stage.js'

const DAY = 86_400_000

export type AlarmsOpener = (
  store: Store,
  ring: Ring,
  onTrouble: (error: unknown) => void,
) => Alarms | Promise<Alarms>

export function alarmsContract(name: string, start: AlarmsOpener): void {
  describe(`${name} keeps the alarm clock's contract`, () => {
    let dir: string
    let store: Store
    let alarms: Alarms | null
    /** Each ring: for whom, and how long after its alarm by the ledger's clock. */
    let rung: { readonly id: string; readonly late: number }[]
    let troubles: unknown[]
    const moments = new Map<string, number>()

    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'alarms-'))
      store = unlocked(openSqlite(dir, machineClock))
      alarms = null
      rung = []
      troubles = []
      moments.clear()
    })
    afterEach(async () => {
      await alarms?.stop()
      await store.ledger.close()
      rmSync(dir, { recursive: true, force: true })
    })

    const now = (): number => store.ledger.now()
    const armed = (id: string, resolved_seq: number | null = null): Armed => ({
      request_id: id,
      deadline_ms: (moments.get(id) ?? 0) + DAY,
      resolved_seq,
    })
    /** As a request is opened: committed with its alarm, then told. */
    async function open(id: string, at: number): Promise<void> {
      moments.set(id, at)
      await openRequest(store.ledger, id, { alarm: at })
      alarms?.set(armed(id), at)
    }
    async function move(id: string, at: number | null): Promise<void> {
      if (at !== null) moments.set(id, at)
      await store.ledger.append({
        story: { request_id: id, expected: 1 },
        decide: () => ({ kind: 'append', events: [], alarm: at }),
      })
      alarms?.set(armed(id, at === null ? 9 : null), at)
    }
    const note = (id: string): void => void rung.push({ id, late: now() - (moments.get(id) ?? 0) })
    const settle: Ring = async id => {
      note(id)
      if (now() >= (moments.get(id) ?? 0)) await move(id, null)
    }
    const begin = async (ring: Ring): Promise<void> => {
      alarms = await start(store, ring, error => void troubles.push(error))
    }
    const ids = (): string[] => rung.map(({ id }) => id)
    const pass = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

    test('what was due before it began is rung, though nobody tells it', async () => {
      await open('overdue', now() - 5_000)
      await begin(settle)
      await until('no alarm to be left', () => store.ledger.nextAlarm(), null)
      expect(ids()).toEqual(['overdue'])
    })

    test('an alarm that nobody told it of is rung', async () => {
      await open('untold', now() + 1_500)
      await begin(settle)
      await until('the untold to be rung', async () => ids().includes('untold'))
      expect(rung.every(({ late }) => late >= 0)).toBe(true)
    })

    test('rings at its moment and not a millisecond before', async () => {
      await begin(settle)
      const start = now()
      for (let n = 0; n < 50; n++) await open(`q${n}`, start + 400 + n * 7)
      await until(
        'fifty rings',
        () => rung.length,
        count => count >= 50,
      )
      expect(rung.filter(({ late }) => late < 0)).toEqual([])
      expect(new Set(ids()).size).toBe(50)
    })

    test('what comes sooner than it knew is rung before what it knew', async () => {
      await begin(settle)
      await open('later', now() + 1_200)
      await open('sooner', now() + 300)
      await until(
        'two rings',
        () => rung.length,
        count => count >= 2,
      )
      expect(ids()).toEqual(['sooner', 'later'])
    })

    test('an alarm that was moved is rung at its new moment, sooner or later', async () => {
      await begin(settle)
      await open('brought-forward', now() + 10 * DAY)
      await open('put-off', now() + 1_500)
      await move('brought-forward', now() + 500)
      await move('put-off', now() + 2_000)
      await until('no alarm to be left', () => store.ledger.nextAlarm(), null)
      expect(rung.filter(({ late }) => late >= 0).map(({ id }) => id)).toEqual(['brought-forward', 'put-off'])
    })

    test('what is settled before its moment is not due, and a month is not rung at once', async () => {
      await begin(settle)
      await open('settled', now() + 1_000)
      await move('settled', null)
      await open('month', now() + 30 * DAY)
      await pass(1_800)
      expect(rung.filter(({ id, late }) => id === 'month' || late >= 0)).toEqual([])
    })

    test('rings again while it is still due', async () => {
      await begin(async id => note(id))
      await open('stubborn', now() + 100)
      await until(
        'three rings',
        () => rung.length,
        count => count >= 3,
      )
      expect(new Set(ids())).toEqual(new Set(['stubborn']))
    })

    test('a ring that fails is told and comes again; the others go on', async () => {
      let failures = 0
      await begin(async id => {
        if (id === 'failing' && failures++ < 2) throw new Error('cannot')
        await settle(id)
      })
      await open('failing', now() + 50)
      await open('fine', now() + 60)
      await until('no alarm to be left', () => store.ledger.nextAlarm(), null)
      expect(ids().sort()).toEqual(['failing', 'fine'])
      expect(troubles).toEqual([new Error('cannot'), new Error('cannot')])
    })

    test('loses none of two thousand that are due together', async () => {
      await begin(settle)
      const at = now() + 800
      await Promise.all(Array.from({ length: 2_000 }, (_, n) => open(`q${n}`, at)))
      await until('no alarm to be left', () => store.ledger.nextAlarm(), null)
      expect(new Set(ids()).size).toBe(2_000)
      expect(rung.filter(({ late }) => late < 0)).toEqual([])
    })

    test('stopping waits for the ring under way; afterwards nothing rings', async () => {
      let release: () => void = () => undefined
      let done = false
      await begin(async id => {
        note(id)
        await new Promise<void>(resolve => {
          release = resolve
        })
        done = true
      })
      await open('slow', now() + 50)
      await until('one ring', () => rung.length, 1)
      await open('later', now() + 300)
      const stopping = alarms?.stop()
      await pass(50)
      expect(done).toBe(false)
      release()
      await stopping
      expect(done).toBe(true)
      alarms = null
      await pass(1_500)
      expect(ids()).toEqual(['slow'])
    })
  })
}
