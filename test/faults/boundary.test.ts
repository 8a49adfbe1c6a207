// Replies at the edge of their deadline, before and after it, while the alarm rings. The replies are given at the
// lane's own door, so that none is late by the way; the store is the real one.

import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { machineClock } from '../../src/clock.js'
import { startTimer } from '../../src/deadline/timer.js'
import { Lane } from '../../src/lane/lane.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { verify } from '../../src/ledger/verify.js'
import { Absences } from '../../src/people/absences.js'
import { Directory } from '../../src/people/directory.js'
import { Rests } from '../../src/people/rests.js'
import { rotate } from '../../src/token/keyring.js'
import { configure, fromSlack, question, raise, SECRET, StageAdapter } from '../lane/stage.js'
import { admittedTo, KEY_1 } from '../terms.js'
import { unlocked } from '../unlocked.js'
import { ALL, freshDirectory, sleep } from './rig.js'
import { flawsIn, shares, type Trial } from './trial.js'

/** Each outcome is at least this share of the trials, or they have shown nothing about the other one. */
const LEAST_SHARE = 0.05
const WINDOW_MS = 5
const within = (): number => Math.floor(Math.random() * (2 * WINDOW_MS + 1)) - WINDOW_MS
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const TRIALS = ALL ? 10_000 : 2_000

test(`[LANE-069] [LANE-070] ${TRIALS} replies within ±5 ms of their deadlines, on a clock that ticks between their steps: one ending each, and the person was told it`, async () => {
  const VOLLEY = 500
  const stage = await raise()
  const trials: Trial[] = []

  /** All have one deadline, since the clock stands while they are opened; then it ticks over it. Where it
   *  overtakes, the deadline comes in the middle of judging the last replies before it. */
  async function volley(name: string, overtakes: boolean): Promise<void> {
    const ids = Array.from({ length: VOLLEY }, (_, n) => `${name}-${n}`)
    const opened = await Promise.all(ids.map(id => stage.open(question(id))))
    const deadline = opened[0]?.deadline_ms ?? 0
    await stage.lane.drain()
    expect(stage.slack.copies).toHaveLength(VOLLEY)
    const shots = stage.slack.copies.splice(0).map(({ display, outbound }) => ({
      id: display.request_id,
      handle: outbound.reply?.handle ?? '',
      reply: within(),
      ring: within(),
    }))
    const answers: Promise<void>[] = []
    stage.clock.pass(deadline - WINDOW_MS - stage.store.ledger.now())
    for (let tick = -WINDOW_MS; tick <= WINDOW_MS; tick++, stage.clock.pass(1)) {
      const rings = shots.filter(({ ring }) => ring === tick).map(({ id }) => stage.lane.advance(id))
      for (const { id, handle } of shots.filter(({ reply }) => reply === tick)) {
        const arrival = stage.store.ledger.now()
        const told = stage.lane.answer(fromSlack(handle, 'yes'))
        answers.push(told.then(received => void trials.push({ id, deadline, arrival, told: received })))
      }
      // The clock now ticks while none of them is under way any more, or some are, or all.
      const pace = tick === -1 && overtakes ? 1 : Math.random()
      if (pace < 0.4) await Promise.all([...answers, ...rings])
      else if (pace < 0.8) for (let turns = Math.random() * 20; turns > 0; turns--) await turn()
    }
    await Promise.all(answers)
    await stage.lane.drain()
  }

  for (let n = 0; trials.length < TRIALS; n++) await volley(`v${n}`, n % 2 === 0)
  expect(flawsIn(trials, await stage.entries())).toEqual([])
  expect(await stage.problems()).toEqual([])
  expect(stage.troubles).toEqual([])
  const { answered, defaulted } = shares(trials)
  const overtaken = trials.filter(
    ({ arrival, deadline, told }) => arrival < deadline && told.kind !== 'accepted',
  )
  console.log(
    `${trials.length} replies: ${percent(answered)} answered, ${percent(defaulted)} defaulted, ${overtaken.length} overtaken on their way`,
  )
  expect(answered).toBeGreaterThanOrEqual(LEAST_SHARE)
  expect(defaulted).toBeGreaterThanOrEqual(LEAST_SHARE)
  // The deadline came while they were being judged: the case the rule is there for.
  expect(overtaken.length).toBeGreaterThan(TRIALS / 100)
  await stage.close()
}, 120_000)

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

test('[LANE-069] replies aimed at their deadlines on the machine’s own clock, against the real alarm: one ending each, and the person was told it', {
  skip: !ALL,
  timeout: 240_000,
}, async () => {
  const VOLLEY = 10
  const directory = freshDirectory()
  const store = unlocked(openSqlite(directory, machineClock))
  const ring = (await rotate(store.shelf, SECRET, store.ledger.now())).keyring
  const slack = new StageAdapter('slack')
  const troubles: unknown[] = []
  const trouble = (error: unknown): void => void troubles.push(error)
  const config = configure()
  const lane = new Lane({
    store,
    config,
    directory: await Directory.open(config.recipients, store.shelf),
    rests: await Rests.open(store),
    absences: await Absences.open(store),
    adapters: new Map([['slack', slack]]),
    keyring: () => ring,
    publicUrl: () => 'https://lane.example.org',
    keyName: id => id,
    onTrouble: trouble,
    onAlarm: (subject, at) => alarms.set(subject, at),
  })
  const alarms = startTimer(store.ledger, id => lane.advance(id), trouble)
  const trials: Trial[] = []
  const sent = new Map<string, (handle: string) => void>()
  slack.send = async (display, { reply }) => {
    sent.get(display.request_id)?.(reply?.handle ?? '')
    return { kind: 'sent' }
  }

  /** How long a reply takes to be judged here and now, learnt from how the last ones ended: no machine is alike. */
  let lead = 0
  async function trial(id: string): Promise<void> {
    const handle = new Promise<string>(resolve => sent.set(id, resolve))
    const run = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
    const recipients = [{ user_id: 'owner', channels: ['slack'], route: 'first' }] as const
    const request = question(id, { deadline_seconds: 1 })
    const opened = await lane.open(admittedTo(recipients, { request, run, recipients: null }), KEY_1)
    if (opened.kind !== 'opened') throw new Error(`not opened: ${opened.kind}`)
    const deadline = opened.subject.deadline_ms
    const bound = await handle
    const aim = deadline - lead + within()
    await sleep(Math.max(0, aim - store.ledger.now()))
    const arrival = store.ledger.now()
    const told = await lane.answer(fromSlack(bound, 'yes'))
    lead += told.kind === 'accepted' ? -0.5 : 0.5
    trials.push({ id, deadline, arrival, told })
  }

  const all: Promise<void>[] = []
  for (let n = 0; n < TRIALS; n++) {
    all.push(trial(`t-${n}`))
    if (n % VOLLEY === VOLLEY - 1) await sleep(25)
  }
  await Promise.all(all)
  await alarms.stop()
  await lane.drain()
  const lines: string[] = []
  for await (const line of store.ledger.lines(0)) lines.push(line)
  await store.ledger.close()
  rmSync(directory, { recursive: true, force: true })
  expect(flawsIn(trials, lines.map(parseEntry))).toEqual([])
  expect((await verify(lines)).problems).toEqual([])
  expect(troubles).toEqual([])
  const { answered, defaulted } = shares(trials)
  const near = trials.filter(({ arrival, deadline }) => Math.abs(arrival - deadline) <= WINDOW_MS).length
  console.log(
    `${trials.length} replies, ${near} within ±${WINDOW_MS} ms: ${percent(answered)} answered, ${percent(defaulted)} defaulted`,
  )
  expect(answered).toBeGreaterThanOrEqual(LEAST_SHARE)
  expect(defaulted).toBeGreaterThanOrEqual(LEAST_SHARE)
})
