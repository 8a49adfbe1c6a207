// A wall clock that jumps: nothing fires before its time, the ledger says what it saw, and its own time never goes back.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../src/event.js'
import { fromSlack, question, raise, type Stage } from '../lane/stage.js'
import { connect } from './client.js'
import { expectKept, Journal, readLines } from './journal.js'
import { delivered } from './life.js'
import { ALL, endAll, freshDirectory, has, launch } from './rig.js'

// Not after each: some of them run side by side.
afterAll(endAll)

const HOUR = 3_600_000
const DAY = 24 * HOUR
const JUMPS = [
  ['+1 h', HOUR],
  ['−1 h', -HOUR],
  ['+30 days', 30 * DAY],
] as const

const clockStates = (entries: readonly Entry[]): string[] =>
  entries.flatMap(entry => (entry.type === 'CLOCK_SUSPECT' ? [entry.body.state] : []))

function expectNothingEarly(entries: readonly Entry[]): void {
  const times = entries.map(({ at }) => Date.parse(at))
  expect(times).toEqual([...times].sort((a, b) => a - b))
  for (const { type, at, body } of entries) {
    if (type === 'TIMEOUT_RECEIPT')
      expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(body.deadline_at))
  }
}

describe('on a clock the test sets', () => {
  /** Two requests, one due in a minute, one in two days; and the alarm's way of asking. */
  async function asked(): Promise<{
    stage: Stage
    ring(): Promise<void>
    state(id: string): Promise<unknown>
  }> {
    const stage = await raise()
    await stage.open(question('soon', { deadline_seconds: 60 }))
    await stage.open(question('later', { deadline_seconds: 2 * 86_400 }))
    await stage.lane.drain()
    const ring = async (): Promise<void> => {
      for (const id of ['soon', 'later']) await stage.lane.advance(id)
    }
    return { stage, ring, state: async id => (await stage.lane.current(id))?.state }
  }

  async function expectHolds({ stage }: { stage: Stage }): Promise<Entry[]> {
    const entries = await stage.entries()
    expectNothingEarly(entries)
    expect(await stage.problems()).toEqual([])
    await stage.close()
    return entries
  }

  test.each(JUMPS)('a jump of %s that goes away again: nothing fires on its account', async (_name, jump) => {
    const scene = await asked()
    const { stage, ring, state } = scene
    stage.clock.jump(jump)
    for (let second = 0; second < 25; second++) {
      stage.clock.pass(1_000)
      await ring()
      // A reply is taken all the while: it needs the order of the ledger, not the wall.
      if (second === 10) await stage.open(question('meanwhile'))
    }
    expect(stage.store.ledger.suspect()).toBe(true)
    expect([await state('soon'), await state('later')]).toEqual(['pending', 'pending'])
    stage.clock.jump(-jump)
    stage.clock.pass(34_999)
    await ring()
    await stage.open(question('noticed'))
    expect([await state('soon'), await state('later')]).toEqual(['pending', 'pending'])
    stage.clock.pass(1)
    await ring()
    expect([await state('soon'), await state('later')]).toEqual(['defaulted', 'pending'])
    const entries = await expectHolds(scene)
    expect(clockStates(entries)).toEqual(['suspected', 'cleared'])
  })

  test.each(JUMPS)(
    'a jump of %s that stays: nothing fires until a second reading confirms it',
    async (_name, jump) => {
      const scene = await asked()
      const { stage, ring, state } = scene
      stage.clock.jump(jump)
      await stage.open(question('noticed'))
      for (let second = 0; second < 29; second++) {
        stage.clock.pass(1_000)
        await ring()
        await stage.open(question(`meanwhile-${second}`))
        expect([await state('soon'), await state('later')]).toEqual(['pending', 'pending'])
      }
      stage.clock.pass(1_000)
      await stage.open(question('confirmed'))
      await ring()
      // Forward, the hour or the month has really passed; backward, the ledger goes on as if nothing were.
      expect(await state('soon')).toBe(jump > 0 ? 'defaulted' : 'pending')
      expect(await state('later')).toBe(jump > 2 * DAY ? 'defaulted' : 'pending')
      stage.clock.pass(30_000)
      await ring()
      expect(await state('soon')).toBe('defaulted')
      const entries = await expectHolds(scene)
      expect(clockStates(entries)).toEqual(['suspected', 'confirmed'])
    },
  )

  test('while it is suspect a request past its deadline takes no reply, and no default either', async () => {
    const scene = await asked()
    const { stage, ring, state } = scene
    const handle =
      stage.slack.copies.find(copy => copy.display.request_id === 'soon')?.outbound.reply?.handle ?? ''
    stage.clock.pass(59_000)
    stage.clock.jump(HOUR)
    await stage.open(question('noticed'))
    stage.clock.pass(1_000)
    await ring()
    expect(await state('soon')).toBe('pending')
    const told = await stage.lane.answer(fromSlack(handle, 'yes'))
    expect(told).toMatchObject({ kind: 'rejected', reason: 'deadline_passed' })
    stage.clock.jump(-HOUR)
    await stage.open(question('cleared'))
    await ring()
    expect(await state('soon')).toBe('defaulted')
    await expectHolds(scene)
  })
})

/** What `faketime` itself would preload, so that the clock can be set while the lane runs. */
function faketimeLibrary(): string | null {
  if (!has('faketime')) return null
  const { stdout } = spawnSync('faketime', ['-f', '+0', 'env'], { encoding: 'utf8' })
  return /^LD_PRELOAD=(.+)$/m.exec(stdout)?.[1] ?? null
}

describe('on a machine whose wall clock is set while the lane runs', () => {
  const library = faketimeLibrary()
  const without = library === null ? ' (skipped: faketime is not installed)' : ''
  const takesHalfAMinute = test.runIf(ALL)

  for (const [name, jump] of JUMPS) {
    takesHalfAMinute.concurrent(
      `${name}: what is due waits until the jump is confirmed, and time in the ledger never goes back${without}`,
      async () => {
        const directory = freshDirectory()
        const dataDir = join(directory, 'data')
        const setting = join(directory, 'faketime')
        const set = (ms: number): void =>
          writeFileSync(setting, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1000}\n`)
        set(0)
        const env = {
          LD_PRELOAD: library ?? '',
          FAKETIME_TIMESTAMP_FILE: setting,
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        }
        const journal = new Journal()
        const lane = await launch({ dataDir, env })
        const client = connect(lane.url, dataDir, journal)
        await client.open('due', { deadline_seconds: 8 })
        await delivered(client, 'due')
        await client.open('not-due', { deadline_seconds: (30 * DAY) / 1000 })
        await delivered(client, 'not-due')
        set(jump)
        await client.open('noticed')
        const ready = async () => (await client.call('GET', '/readyz')).json.checks as Record<string, string>
        expect((await ready()).clock).toMatch(/suspect/)
        // Confirmed by nothing but time: the alarm of what is due asks again and again.
        expect(await client.outcome('due')).toBe('defaulted')
        expect((await ready()).clock).toBe('ok')
        const notDue = await client.call('GET', '/v1/requests/not-due')
        client.leave()
        await lane.stop()
        const entries = await expectKept(journal, readLines(dataDir))
        expectNothingEarly(entries)
        expect(clockStates(entries)).toEqual(['suspected', 'confirmed'])
        const confirmed = entries.findIndex(
          entry => entry.type === 'CLOCK_SUSPECT' && entry.body.state === 'confirmed',
        )
        const fired = entries.findIndex(({ type }) => type === 'TIMEOUT_RECEIPT')
        expect(fired).toBeGreaterThan(confirmed)
        expect(notDue.json.state).toBe(jump >= 30 * DAY ? 'defaulted' : 'pending')
      },
      120_000,
    )
  }
})
