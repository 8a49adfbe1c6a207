// Pending requests by the hundred thousand, written straight through the ledger: real REQUEST_OPENED entries with
// real alarms, opened at a time of our choosing. They are not delivered; no measurement on them depends on that.

import { constants, copyFileSync } from 'node:fs'
import type { Clock } from '../src/clock.js'
import { instant, machineClock } from '../src/clock.js'
import { acted, type Draft } from '../src/event.js'
import type { Store } from '../src/ledger/contract.js'
import { openSqlite } from '../src/ledger/sqlite/open.js'
import { PROOFS } from '../src/request/channel.js'
import { envelopeHash } from '../src/request/envelope.js'
import { hashRequest, type Request, type Run } from '../src/request/request.js'
import { NEWEST_RULES } from '../src/rules.js'
import { makePlace, type Place } from './place.js'
import { unlocked } from './unlocking.js'

export type Crowd = {
  readonly prefix: string
  readonly count: number
  /** The instant at which the first is opened, and the gap to each next one (ms). */
  readonly from: number
  readonly every: number
  readonly deadline_seconds: number
  /** The one step of their ladder, in seconds from the opening; absent for requests without one. */
  readonly step_seconds?: number
}

/** Time as the crowd tells it: each append reads the wall once, and stands `every` after the one before. */
class CrowdClock implements Clock {
  #now: number
  #every = 0
  constructor(start: number) {
    this.#now = start
  }
  go(from: number, every: number): void {
    this.#now = from - every
    this.#every = every
  }
  wall(): number {
    this.#now += this.#every
    return this.#now
  }
  monotonic(): number {
    return this.#now
  }
}

/** Appends handed over at once: some commits' worth, so that none waits for the next. */
const TOGETHER = 2_048

export async function populate({ dir }: Place, ...crowds: readonly Crowd[]): Promise<void> {
  const clock = new CrowdClock(crowds[0]?.from ?? 0)
  const store = await unlocked(openSqlite(dir, clock), 'embedded')
  for (const crowd of crowds) {
    clock.go(crowd.from, crowd.every)
    for (let first = 0; first < crowd.count; first += TOGETHER) {
      const last = Math.min(first + TOGETHER, crowd.count)
      await Promise.all(Array.from({ length: last - first }, (_, index) => open(store, crowd, first + index)))
    }
  }
  await store.ledger.close()
}

const RUN: Run = { run_id: 'run-bench', mood: 'DEFERENTIAL' }
const ENVELOPE = envelopeHash({ run: RUN, recipients: [{ user_id: 'operator' }] }, NEWEST_RULES)

async function open(store: Store, crowd: Crowd, index: number): Promise<void> {
  await openOne(store, `${crowd.prefix}-${index}`, crowd.deadline_seconds, crowd.step_seconds)
}

/** Opens one request; gives the instant it is due. */
export async function openOne(
  { ledger }: Store,
  request_id: string,
  seconds: number,
  step?: number,
): Promise<number> {
  const request = question(request_id, seconds)
  let due = Number.NaN
  const opened = await ledger.append({
    story: { request_id, expected: 0, last: null },
    decide: moment => {
      due = moment.ms + seconds * 1000
      const alarm = step === undefined ? due : moment.ms + step * 1000
      return { kind: 'append', events: [opening(request_id, request, due, step)], alarm }
    },
  })
  if (opened.kind !== 'appended') throw new Error(`${request_id} could not be opened: ${opened.kind}`)
  return due
}

const question = (question_id: string, deadline_seconds: number): Request => ({
  type: 'REQUEST_QUESTION',
  question_id,
  question_text: 'Ship the release today?',
  impact: 'Decides whether the pipeline goes on',
  context_handles: [],
  deadline_seconds,
  default_action: 'HALT',
  reply_schema: { kind: 'yes_no' },
})

const opening = (request_id: string, request: Request, due: number, step?: number): Draft => ({
  type: 'REQUEST_OPENED',
  request_id,
  run_id: RUN.run_id,
  body: {
    request,
    request_hash: hashRequest(request),
    run: RUN,
    recipients: [{ user_id: 'operator', channels: ['web'], route: 'first' }],
    envelope_hash: ENVELOPE,
    deadline_at: instant(due),
    opened_by: 'key-bench',
    asked_by: 'bench',
    terms: {
      urgency: 'normal',
      ...(step !== undefined && { ladder: [{ after_seconds: step, do: 'next_channel' }] }),
      policy: { proofs: PROOFS },
    },
  },
})

export const MANY = 100_000
const HOUR_MS = 3_600_000
const MONTH_S = 2_592_000

let reservoir: Promise<Place> | null = null

/** A fresh copy of a ledger of MANY pending requests that are due a month from now; built once a run. */
export async function fillWithMany(place: Place): Promise<void> {
  reservoir ??= build()
  copyFileSync((await reservoir).ledger, place.ledger, constants.COPYFILE_FICLONE)
}

export const MILLION = 1_000_000
/** Entries of one append. */
const AT_ONCE = 5_000

/** MANY pending requests, and behind them as many small entries of no request as make a million. */
export async function fillWithMillion(place: Place): Promise<void> {
  await fillWithMany(place)
  const store = await unlocked(openSqlite(place.dir, machineClock), 'embedded')
  const { size } = await store.ledger.head()
  for (let left = MILLION - size; left > 0; left -= AT_ONCE) {
    const events = Array.from({ length: Math.min(left, AT_ONCE) }, () =>
      acted('backup_taken', 'disk', 'bench'),
    )
    await store.ledger.append({ decide: () => ({ kind: 'append', events }) })
  }
  await store.ledger.close()
}

async function build(): Promise<Place> {
  const place = makePlace()
  const from = Date.now() - 2 * HOUR_MS
  await populate(place, { prefix: 'pending', count: MANY, from, every: 10, deadline_seconds: MONTH_S })
  return place
}
