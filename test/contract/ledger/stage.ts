// The ledger's contract suite needs a place to open a store in, again and again, and a clock to hand it.
import { afterEach, beforeEach } from 'vitest'
import type { Hash } from '../../../src/canonical.js'
import { type Clock, instant } from '../../../src/clock.js'
import type { Body, Draft, Entry } from '../../../src/event.js'
import type { AppendDecision, Appended, Guard, Ledger, Moment, Store } from '../../../src/ledger/contract.js'
import type { Shelving } from '../../../src/ledger/shelf.js'
import { hashRequest, type Request } from '../../../src/request/request.js'
import { hashed, START } from '../../ledger/craft.js'
import { question } from '../../ledger/tale.js'
import { TERMS } from '../../terms.js'
import { unlocked } from '../../unlocked.js'

/** Somewhere a store can be opened, closed and opened again with everything that was committed. */
export type Place = {
  open(clock: Clock): Promise<Store>
  remove(): Promise<void>
}
export type Opener = () => Promise<Place>

export class TestClock implements Clock {
  #wall = START
  #monotonic = 5_000

  wall(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#monotonic
  }

  /** Time passes, as it does. */
  pass(ms: number): void {
    this.#wall += ms
    this.#monotonic += ms
  }

  /** Somebody sets the wall clock. */
  jump(ms: number): void {
    this.#wall += ms
  }
}

/** One store for each test, its clock, and a way to open it afresh. Filled before each test. */
export class Stage {
  clock = new TestClock()
  #place: Place | null = null
  #store: Store | null = null

  get store(): Store {
    if (this.#store === null) throw new Error('no store is open')
    return this.#store
  }

  get ledger(): Ledger {
    return this.store.ledger
  }

  async begin(opener: Opener): Promise<void> {
    this.clock = new TestClock()
    this.#place = await opener()
    this.#store = unlocked(await this.#place.open(this.clock))
  }

  async reopen(): Promise<void> {
    await this.#store?.ledger.close()
    if (this.#place !== null) this.#store = unlocked(await this.#place.open(this.clock))
  }

  async end(): Promise<void> {
    await this.#store?.ledger.close().catch(() => undefined)
    await this.#place?.remove()
  }
}

export function stageFor(opener: Opener): Stage {
  const stage = new Stage()
  beforeEach(() => stage.begin(opener))
  afterEach(() => stage.end())
  return stage
}

export const STARTED: Draft = {
  type: 'LANE_STARTED',
  body: { version: '0.1.0', grammar: '1', profile: 'embedded', rules: '2' },
}

export type Asked = {
  readonly run_id?: string
  readonly opened_by?: string
  readonly request?: Request
  readonly guards?: readonly Guard[]
  readonly shelve?: readonly Shelving[]
  readonly alarm?: number | null
}

export const approvalOf = (id: string): Request => ({
  type: 'REQUEST_APPROVAL',
  approval_id: id,
  action: 'PUBLISH',
  parameters: { artifact: hashed('artifact') },
  deadline_seconds: 60,
  default_action: 'DENY',
  reply_schema: { kind: 'yes_no' },
})

export function opening(
  id: string,
  moment: Moment,
  { run_id = 'run-1', opened_by = 'key-1', request }: Asked,
): Draft {
  const asked = request ?? question({ question_id: id })
  const body: Body<'REQUEST_OPENED'> = {
    request: asked,
    request_hash: hashRequest(asked),
    run: { run_id, mood: 'DEFERENTIAL' },
    recipients: [{ user_id: 'ada', channels: ['web'], route: 'first' }],
    envelope_hash: hashed('envelope'),
    deadline_at: instant(moment.ms + asked.deadline_seconds * 1000),
    opened_by,
    asked_by: 'agent',
    terms: TERMS,
  }
  return { type: 'REQUEST_OPENED', request_id: id, run_id, body }
}

/** Opens a request. */
export const open = (ledger: Ledger, id: string, asked: Asked = {}): Promise<Appended<never>> =>
  ledger.append({
    story: { request_id: id, expected: 0, last: null },
    guards: asked.guards ?? [],
    decide: moment => ({
      kind: 'append',
      events: [opening(id, moment, asked)],
      ...(asked.shelve && { shelve: asked.shelve }),
      ...(asked.alarm !== undefined && { alarm: asked.alarm }),
    }),
  })

export const withdrawal = (id: string, seq: number, run_id = 'run-1'): readonly Draft[] => [
  { type: 'REQUEST_WITHDRAWN', request_id: id, run_id, body: { reason: 'enough', by: 'key-1' } },
  { type: 'REQUEST_RESOLVED', request_id: id, run_id, body: { outcome: 'withdrawn', causes: [seq] } },
]

/** The hash that a story ends with. */
export const lastOf = async (ledger: Ledger, id: string): Promise<Hash | null> =>
  (await ledger.story(id)).at(-1)?.hash ?? null

/** Resolves a request whose story ends with this hash, and is at version `expected`: begun at once. */
export const withdrawAfter = (
  ledger: Ledger,
  id: string,
  last: Hash | null,
  expected = 1,
  run_id = 'run-1',
) =>
  ledger.append({
    story: { request_id: id, expected, last },
    decide: ({ seq }): AppendDecision<never> => ({ kind: 'append', events: withdrawal(id, seq, run_id) }),
  })

export const withdraw = async (ledger: Ledger, id: string, run_id = 'run-1') =>
  withdrawAfter(ledger, id, await lastOf(ledger, id), 1, run_id)

/** The same as a lane resolves: with what the run does because of it. */
export const withdrawDirected = async (ledger: Ledger, id: string) =>
  ledger.append({
    story: { request_id: id, expected: 1, last: await lastOf(ledger, id) },
    decide: ({ seq }): AppendDecision<never> => ({
      kind: 'append',
      events: [...withdrawal(id, seq), halted(id, seq + 1)],
    }),
  })

const halted = (request_id: string, because: number): Draft => ({
  type: 'DIRECTOR_DECIDED',
  request_id,
  run_id: 'run-1',
  body: { decision: 'HALT', reason: 'it was withdrawn', because, by: 'lane' },
})

/** Something is appended that is of no request. */
export const note = (ledger: Ledger, events: readonly Draft[] = [STARTED]) =>
  ledger.append({ decide: (): AppendDecision<never> => ({ kind: 'append', events }) })

export const guarded = (ledger: Ledger, ...guards: Guard[]) =>
  ledger.append({ guards, decide: (): AppendDecision<never> => ({ kind: 'append', events: [STARTED] }) })

export async function entriesOf(ledger: Ledger, from = 0): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const line of ledger.lines(from)) entries.push(JSON.parse(line))
  return entries
}

export const sizeOf = async (ledger: Ledger): Promise<number> => (await ledger.head()).size

/** A body its schema does not allow: what a mistake of ours would look like. */
export const MISSHAPEN = { type: 'LANE_STARTED', body: { version: '' } } as unknown as Draft
