// kill -9 at every place where the ledger is written, and at random under load. Each time the lane is started again
// and must hold all that anybody was told.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Client, connect } from './client.js'
import { expectKept, Journal, readLines } from './journal.js'
import { expectRecovery, live, revive } from './life.js'
import {
  ALL,
  DiedAtStart,
  type Ended,
  endAll,
  freshDirectory,
  has,
  launch,
  ledgerPaths,
  sleep,
} from './rig.js'

afterEach(endAll)

const CALLS = ['pwrite64', 'fsync'] as const
type Call = (typeof CALLS)[number]
/** Lives told at once: a life waits more than it works. */
const TOGETHER = 4
const SAMPLE = 5
/** Lives in which one place is looked for, and the share of all places, the last of them, that may not be found. */
const ATTEMPTS = 3
const SHORT = 0.1

const without = has('strace') ? null : 'strace is not installed'
const needsStrace = test.skipIf(without !== null && !ALL)

type Told = {
  readonly dataDir: string
  readonly journal: Journal
  readonly ended: Ended
  readonly trace: string
}

/** strace's fast filter cannot inject signals, and its slow one is spared the threads on which nothing is written. */
const COUNTING = ['-f', '--seccomp-bpf']

async function tellUnder(options: readonly string[]): Promise<Told> {
  const directory = freshDirectory()
  const dataDir = join(directory, 'data')
  const trace = join(directory, 'trace')
  const journal = new Journal()
  const filter = ['-e', 'trace=pwrite64,fsync,fdatasync', ...ledgerPaths(dataDir)]
  const under = ['strace', '-o', trace, ...filter, ...options]
  const ended = await launch({ dataDir, under }).then(
    lane => live(lane, journal),
    error => {
      if (error instanceof DiedAtStart) return error.ended
      throw error
    },
  )
  return { dataDir, journal, ended, trace: readFileSync(trace, 'utf8') }
}

/** How often a whole life makes each call, all on one thread: strace counts per thread and per call. */
async function countCalls(): Promise<Record<Call, number>> {
  const { ended, trace, dataDir, journal } = await tellUnder(COUNTING)
  expect(ended).toEqual({ code: 0, signal: null })
  expect(journal.endings.size).toBe(3)
  const made = [...trace.matchAll(/^(\d+) +(pwrite64|fsync|fdatasync)\(/gm)]
  expect(new Set(made.map(([, thread]) => thread)).size).toBe(1)
  expect(made.filter(([, , call]) => call === 'fdatasync')).toEqual([])
  await expectRecovery(dataDir, journal)
  const count = (wanted: Call): number => made.filter(([, , call]) => call === wanted).length
  return { pwrite64: count('pwrite64'), fsync: count('fsync') }
}

describe(`kill -9 at ${ALL ? 'every write' : 'a sample of all the writes'} of the ledger`, () => {
  needsStrace(
    `[LANE-079] loses nothing that was acknowledged and leaves a readable ledger${without ? ` (skipped: ${without})` : ''}`,
    async () => {
      const counted = await countCalls()
      const all = CALLS.flatMap(call =>
        Array.from({ length: counted[call] }, (_, n) => ({ call, when: n + 1 })),
      )
      const chosen = ALL ? all : spread(all, SAMPLE)
      console.log(
        `a life makes ${all.length} calls (${counted.pwrite64} pwrite64, ${counted.fsync} fsync); killed at ${chosen.length}`,
      )
      expect(counted.fsync).toBeGreaterThan(10)
      const short: Place[] = []
      await together(chosen, TOGETHER, async place => {
        if (!(await killAt(place))) short.push(place)
      })
      // Of an injection that did not fire nothing is shown: these are the last writes of lives that made fewer.
      expect(short.length).toBeLessThanOrEqual(chosen.length * SHORT)
      for (const { call, when } of short) expect(when).toBeGreaterThan(counted[call] * (1 - SHORT))
    },
    ALL ? 1_200_000 : 90_000,
  )
})

type Place = { readonly call: Call; readonly when: number }

/** False if no life of a few came as far: on a busy machine more appends share a commit, and a life writes less often. */
async function killAt(place: Place): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) if (await killedAt(place)) return true
  return false
}

async function killedAt({ call, when }: Place): Promise<boolean> {
  const where = `at ${call} ${when}`
  const { ended, trace, dataDir, journal } = await tellUnder([
    '-e',
    `inject=${call}:signal=KILL:when=${when}`,
  ])
  const isOver = ended.signal === null && trace.split(`${call}(`).length - 1 < when
  if (!isOver)
    expect([where, ended.signal, trace.trimEnd().endsWith('+++ killed by SIGKILL +++')]).toEqual([
      where,
      'SIGKILL',
      true,
    ])
  await expectRecovery(dataDir, journal).catch(error => {
    throw new Error(`killed ${where}: ${error instanceof Error ? error.message : error}`, { cause: error })
  })
  return !isOver
}

/** Evenly spread over all of them, the first and the last among them; where between is chance. */
function spread<T>(all: readonly T[], count: number): T[] {
  const step = (all.length - 1) / (count - 1)
  const places = Array.from({ length: count }, (_, n) => {
    const within = n === 0 || n === count - 1 ? 0 : Math.random() - 0.5
    return Math.round((n + within) * step)
  })
  return [...new Set(places)].flatMap(place => all.slice(place, place + 1))
}

async function together<T>(all: readonly T[], count: number, deed: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await deed(one)
  }
  await Promise.all(Array.from({ length: count }, work))
}

describe('kill -9 at a random moment', () => {
  const ROUNDS = ALL ? 40 : 3
  const WORKERS = 12
  const ENDINGS = new Set(['YES', 'NO', 'withdrawn'])

  test('[LANE-079] under load, again and again on the same ledger: all that was acknowledged stands, each request ended at most once', async () => {
    const dataDir = join(freshDirectory(), 'data')
    const journal = new Journal()
    const seen = () => new Set(journal.endings.values())
    let round = 0
    // A busy machine may not come as far as every ending in its first lives.
    for (; round < ROUNDS || seen().size < ENDINGS.size; round++) {
      const lane = await launch({ dataDir })
      const client = connect(lane.url, dataDir, journal, 64)
      const work = Array.from({ length: WORKERS }, (_, n) =>
        ask(client, `r${round}-w${n}`).catch(() => undefined),
      )
      await sleep(100 + Math.random() * 700)
      expect(await lane.kill()).toEqual({ code: null, signal: 'SIGKILL' })
      client.leave()
      await Promise.all(work)
      await expectKept(journal, readLines(dataDir))
    }
    console.log(
      `${journal.opened.size} openings and ${journal.endings.size} endings were acknowledged before ${round} kills`,
    )
    expect(seen()).toEqual(ENDINGS)
    await expectRecovery(dataDir, journal)
  }, 240_000)

  test('during its first start: the next one is a whole lane', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const dataDir = join(freshDirectory(), 'data')
      const journal = new Journal()
      // From before the first file is made until after it is ready: about 400 ms on a slow machine.
      const killed = await launch({ dataDir, killAfterMs: 60 + Math.random() * 340 }).then(
        lane => lane.ended,
        (error: DiedAtStart) => error.ended,
      )
      expect(killed.signal).toBe('SIGKILL')
      const lane = await revive(dataDir)
      const client = connect(lane.url, dataDir, journal)
      expect((await client.open('first')).status).toBe(201)
      const link = await client.link('first')
      expect((await client.reply(link, await client.stamp(link), 'yes')).status).toBe(200)
      client.leave()
      await lane.close()
      await expectKept(journal, readLines(dataDir))
    }
  }, 120_000)
})

/** Asks for ever: a third is answered yes, a third no, the rest is withdrawn, until the lane is gone. */
async function ask(client: Client, name: string): Promise<never> {
  for (let n = 0; ; n++) {
    const id = `${name}-${n}`
    await client.open(id)
    if (n % 3 === 2) {
      await client.withdraw(id)
      continue
    }
    const link = await client.link(id)
    await client.reply(link, await client.stamp(link), n % 3 === 0 ? 'yes' : 'no')
  }
}
