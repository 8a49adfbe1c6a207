// The alarm clock's contract, as a suite that every one must pass, on the machine's own time: every alarm that is due
// rings, soon and not before its moment; it rings again while it is due; and no alarm is lost.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { machineClock } from '../../src/clock.js'
import type { Alarms, Armed, Ring } from '../../src/deadline/alarms.js'
import type { Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { unlocked } from '../unlocked.js'
import { until } from '../until.js'
import { lastOf, open as openRequest } from './ledger/stage.js'

const DAY = 86_400_000

export type AlarmsOpener = (
  store: Store,
  ring: Ring,
  onTrouble: (error: unknown) => void,
) => Alarms | Promise<Alarms>

/** One alarm clock over one ledger, on which a test opens requests. */
class Scene {
  readonly #dir = mkdtempSync(join(tmpdir(), 'alarms-'))
  readonly store = unlocked(openSqlite(this.#dir, machineClock))
  /** Each ring: for whom, and how long after its alarm by the ledger's clock. */
  readonly rung: { readonly id: string; readonly late: number }[] = []
  readonly troubles: unknown[] = []
  readonly #start: AlarmsOpener
  readonly #moments = new Map<string, number>()
  #alarms: Alarms | null = null

  constructor(start: AlarmsOpener) {
    this.#start = start
  }

  now = (): number => this.store.ledger.now()
  ids = (): string[] => this.rung.map(({ id }) => id)
  nextAlarm = (): Promise<number | null> => this.store.ledger.nextAlarm()

  async begin(ring: Ring): Promise<void> {
    this.#alarms = await this.#start(this.store, ring, error => void this.troubles.push(error))
  }

  async stop(): Promise<void> {
    await this.#alarms?.stop()
    this.#alarms = null
  }

  /** As a request is opened: committed with its alarm, then told. */
  async open(id: string, at: number): Promise<void> {
    this.#moments.set(id, at)
    await openRequest(this.store.ledger, id, { alarm: at })
    this.#alarms?.set(this.#armed(id), at)
  }

  async move(id: string, at: number | null): Promise<void> {
    if (at !== null) this.#moments.set(id, at)
    await this.store.ledger.append({
      story: { request_id: id, expected: 1, last: await lastOf(this.store.ledger, id) },
      decide: () => ({ kind: 'append', events: [], alarm: at }),
    })
    this.#alarms?.set(this.#armed(id, at === null ? 9 : null), at)
  }

  note(id: string): void {
    this.rung.push({ id, late: this.now() - (this.#moments.get(id) ?? 0) })
  }

  settle: Ring = async id => {
    this.note(id)
    if (this.now() >= (this.#moments.get(id) ?? 0)) await this.move(id, null)
  }

  async end(): Promise<void> {
    await this.stop()
    await this.store.ledger.close()
    rmSync(this.#dir, { recursive: true, force: true })
  }

  #armed(id: string, resolved_seq: number | null = null): Armed {
    return { request_id: id, deadline_ms: (this.#moments.get(id) ?? 0) + DAY, resolved_seq }
  }
}

const pass = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

export function alarmsContract(name: string, start: AlarmsOpener): void {
  // Side by side: each waits for its moments, and has a ledger and a clock of its own.
  const scenario = (claim: string, play: (scene: Scene) => Promise<void>): void =>
    test.concurrent(claim, async () => {
      const scene = new Scene(start)
      await play(scene).finally(() => scene.end())
    })

  describe(`${name} keeps the alarm clock's contract`, () => {
    scenario('what was due before it began is rung, though nobody tells it', async scene => {
      await scene.open('overdue', scene.now() - 5_000)
      await scene.begin(scene.settle)
      await until('no alarm to be left', scene.nextAlarm, null)
      expect(scene.ids()).toEqual(['overdue'])
    })

    scenario('an alarm that nobody told it of is rung', async scene => {
      await scene.open('untold', scene.now() + 1_500)
      await scene.begin(scene.settle)
      await until('the untold to be rung', async () => scene.ids().includes('untold'))
      expect(scene.rung.every(({ late }) => late >= 0)).toBe(true)
    })

    scenario('rings at its moment and not a millisecond before', async scene => {
      await scene.begin(scene.settle)
      const start = scene.now()
      for (let n = 0; n < 50; n++) await scene.open(`q${n}`, start + 400 + n * 7)
      await until(
        'fifty rings',
        () => scene.rung.length,
        count => count >= 50,
      )
      expect(scene.rung.filter(({ late }) => late < 0)).toEqual([])
      expect(new Set(scene.ids()).size).toBe(50)
    })

    scenario('what comes sooner than it knew is rung before what it knew', async scene => {
      await scene.begin(scene.settle)
      await scene.open('later', scene.now() + 3_500)
      await scene.open('sooner', scene.now() + 300)
      await until(
        'two rings',
        () => scene.rung.length,
        count => count >= 2,
      )
      expect(scene.ids()).toEqual(['sooner', 'later'])
    })

    scenario('an alarm that was moved is rung at its new moment, sooner or later', async scene => {
      await scene.begin(scene.settle)
      await scene.open('brought-forward', scene.now() + 10 * DAY)
      await scene.open('put-off', scene.now() + 1_500)
      await scene.move('brought-forward', scene.now() + 500)
      await scene.move('put-off', scene.now() + 3_500)
      await until('no alarm to be left', scene.nextAlarm, null)
      expect(scene.rung.filter(({ late }) => late >= 0).map(({ id }) => id)).toEqual([
        'brought-forward',
        'put-off',
      ])
    })

    scenario('what is settled before its moment is not due, and a month is not rung at once', async scene => {
      await scene.begin(scene.settle)
      await scene.open('settled', scene.now() + 1_000)
      await scene.move('settled', null)
      await scene.open('month', scene.now() + 30 * DAY)
      await pass(1_800)
      expect(scene.rung.filter(({ id, late }) => id === 'month' || late >= 0)).toEqual([])
    })

    scenario('rings again while it is still due', async scene => {
      await scene.begin(async id => scene.note(id))
      await scene.open('stubborn', scene.now() + 100)
      await until(
        'three rings',
        () => scene.rung.length,
        count => count >= 3,
      )
      expect(new Set(scene.ids())).toEqual(new Set(['stubborn']))
    })

    scenario('a ring that fails is told and comes again; the others go on', async scene => {
      let failures = 0
      await scene.begin(async id => {
        if (id === 'failing' && failures++ < 2) throw new Error('cannot')
        await scene.settle(id)
      })
      await scene.open('failing', scene.now() + 50)
      await scene.open('fine', scene.now() + 60)
      await until('no alarm to be left', scene.nextAlarm, null)
      expect(scene.ids().sort()).toEqual(['failing', 'fine'])
      expect(scene.troubles).toEqual([new Error('cannot'), new Error('cannot')])
    })

    scenario('loses none of two thousand that are due together', async scene => {
      await scene.begin(scene.settle)
      const at = scene.now() + 800
      await Promise.all(Array.from({ length: 2_000 }, (_, n) => scene.open(`q${n}`, at)))
      await until('no alarm to be left', scene.nextAlarm, null)
      expect(new Set(scene.ids()).size).toBe(2_000)
      expect(scene.rung.filter(({ late }) => late < 0)).toEqual([])
    })

    scenario('stopping waits for the ring under way; afterwards nothing rings', async scene => {
      let release: () => void = () => undefined
      let done = false
      await scene.begin(async id => {
        scene.note(id)
        await new Promise<void>(resolve => {
          release = resolve
        })
        done = true
      })
      await scene.open('slow', scene.now() + 50)
      await until('one ring', () => scene.rung.length, 1)
      await scene.open('later', scene.now() + 300)
      const stopping = scene.stop()
      await pass(50)
      expect(done).toBe(false)
      release()
      await stopping
      expect(done).toBe(true)
      await pass(1_500)
      expect(scene.ids()).toEqual(['slow'])
    })
  })
}
