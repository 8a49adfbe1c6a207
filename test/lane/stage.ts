// A lane on a stage: the real store in a directory of its own, a real keyring, a clock that the test moves, and
// adapters that do what they are told. Adapters are the seam; nothing of ours is replaced.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter, Desk, Ending, Inbound, Outbound, Sent } from '../../src/adapter/contract.js'
import type { Case } from '../../src/agenda/case.js'
import { openDesk } from '../../src/channel/desk.js'
import type { Clock } from '../../src/clock.js'
import { type Config, parseConfig } from '../../src/config/config.js'
import type { Entry } from '../../src/event.js'
import { Lane } from '../../src/lane/lane.js'
import type { Ledger, Store } from '../../src/ledger/contract.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { verify as verifyLedger } from '../../src/ledger/verify.js'
import { Absences } from '../../src/people/absences.js'
import { Directory } from '../../src/people/directory.js'
import { Passkeys } from '../../src/people/passkeys.js'
import { Rests } from '../../src/people/rests.js'
import type { Channel } from '../../src/request/channel.js'
import type { Display } from '../../src/request/display.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import type { Request } from '../../src/request/request.js'
import type { Terms } from '../../src/request/terms.js'
import { type Keyring, rotate } from '../../src/token/keyring.js'
import type { Calls } from '../../src/waiter/callback.js'
import { admittedTo, KEY_1 } from '../terms.js'
import { unlocked } from '../unlocked.js'

export const START = Date.parse('2026-11-01T12:00:00.000Z')
export const SECRET = { bytes: new Uint8Array(32).fill(7) }

export class StageClock implements Clock {
  wallMs = START
  monotonicMs = 1_000
  wall = (): number => this.wallMs
  monotonic = (): number => this.monotonicMs
  /** Time passes, as it does. */
  pass(ms: number): void {
    this.wallMs += ms
    this.monotonicMs += ms
  }
  /** Somebody sets the wall clock. */
  jump(ms: number): void {
    this.wallMs += ms
  }
}

export type Copy = { readonly display: Display; readonly outbound: Outbound }
type Act = (copy: Copy) => Promise<Sent>

/** Sends what it is given by the acts queued for it, in order; without one it simply succeeds. */
export class StageAdapter implements Adapter {
  readonly channel: Channel
  readonly copies: Copy[] = []
  readonly closed: { readonly ref: string; readonly outcome: Ending }[] = []
  readonly acts: Act[] = []
  /** Sends under way at once, as the channel allows them. */
  atOnce = 256
  closing: () => Promise<void> = async () => undefined

  constructor(channel: Channel) {
    this.channel = channel
  }

  will(...outcomes: (Sent | Act)[]): this {
    this.acts.push(...outcomes.map((one): Act => (typeof one === 'function' ? one : async () => one)))
    return this
  }

  /** Whether its copies can show all that is decided. */
  wide = true
  shows = (): boolean => this.wide

  async send(display: Display, outbound: Outbound): Promise<Sent> {
    const copy = { display, outbound }
    this.copies.push(copy)
    const act = this.acts.shift()
    return act ? act(copy) : { kind: 'sent', ref: `${this.channel}-${this.copies.length}` }
  }

  async close(ref: string, outcome: Ending): Promise<void> {
    this.closed.push({ ref, outcome })
    await this.closing()
  }
}

export const CONFIG = `
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, email: owner@example.org, sms: "+15551230001", web: true, channels: [slack, email] }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY }, telegram: 77, sms: "+15551230002", channels: [slack] }
  guest: { name: Guest, web: true }
actions:
  PUBLISH: { approvers: [owner, deputy], proofs: [slack_signed] }
questions: { proofs: [slack_signed, telegram_id, dmarc, console, sms_from, link_code] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`
export const OWNER = { team: 'T1', user: 'UOWNER' }
export const DEPUTY = { team: 'T1', user: 'UDEPUTY' }
export const OWNER_PHONE = '+15551230001'
export const DEPUTY_PHONE = '+15551230002'

export function configure(text = CONFIG): Config {
  const parsed = parseConfig(text, 'lane.yaml')
  if (!parsed.ok) throw new Error(parsed.problems.map(problem => problem.message).join('\n'))
  return parsed.config
}

export type Stage = {
  readonly clock: StageClock
  readonly store: Store
  readonly config: Config
  readonly lane: Lane
  readonly directory: Directory
  readonly slack: StageAdapter
  readonly email: StageAdapter
  readonly telegram: StageAdapter
  readonly sms: StageAdapter
  readonly web: StageAdapter
  /** Those that are running: a test may take one away. */
  readonly running: Map<Channel, Adapter>
  readonly troubles: unknown[]
  keyring(): Keyring
  rotate(): Promise<void>
  /** The lane as one channel sees it. */
  desk(channel: Channel): Desk
  /** The channels that brought something naming no delivery. */
  readonly strangers: Channel[]
  /** Another lane on the same store, as a second replica would be, or the same one after its configuration was changed. */
  secondLane(config?: Config): Lane
  open(request: Request, recipients?: readonly ResolvedRecipient[], terms?: Terms): Promise<Case>
  /** The case of a request that is there. */
  current(requestId: string): Promise<Case>
  entries(): Promise<Entry[]>
  /** The never-invariants, by the program that operators use. */
  problems(): Promise<readonly unknown[]>
  close(): Promise<void>
}

/** `through` may stand between the lane and its ledger, to let something happen between reading and appending. */
export async function raise(
  config = configure(),
  calls?: Calls,
  through: (ledger: Ledger) => Ledger = ledger => ledger,
): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'stage-'))
  const clock = new StageClock()
  const opened = unlocked(openSqlite(dir, clock))
  const store = { ...opened, ledger: through(opened.ledger) }
  let ring = (await rotate(store.shelf, SECRET, store.ledger.now())).keyring
  const adapters = {
    slack: new StageAdapter('slack'),
    email: new StageAdapter('email'),
    telegram: new StageAdapter('telegram'),
    sms: new StageAdapter('sms'),
    web: new StageAdapter('web'),
  }
  const running = new Map<Channel, Adapter>(Object.values(adapters).map(one => [one.channel, one]))
  const troubles: unknown[] = []
  const strangers: Channel[] = []
  const lanes: Lane[] = []
  const directory = await Directory.open(config.recipients, store.shelf)
  const rests = await Rests.open(store)
  const absences = await Absences.open(store)
  const passkeys = await Passkeys.open(store)
  const keyName = (id: string): string => `name of ${id}`
  const build = (held = config): Lane => {
    const lane = new Lane({
      store,
      config: held,
      directory,
      rests,
      absences,
      passkeys,
      adapters: running,
      keyring: () => ring,
      publicUrl: () => 'https://lane.example.org',
      keyName,
      onTrouble: error => void troubles.push(error),
      // Only those who have `oidc` in the configuration sign in by it.
      hasProvider: true,
      ...(calls && { calls }),
    })
    lanes.push(lane)
    return lane
  }
  const lane = build()
  const lines = async (): Promise<string[]> => {
    const all: string[] = []
    for await (const line of store.ledger.lines(0)) all.push(line)
    return all
  }
  return {
    clock,
    store,
    config,
    lane,
    directory,
    ...adapters,
    running,
    troubles,
    keyring: () => ring,
    async rotate() {
      ring = (await rotate(store.shelf, SECRET, store.ledger.now())).keyring
    },
    desk: channel =>
      openDesk(channel, { lane, store, directory, keyName, onStranger: who => void strangers.push(who) }),
    strangers,
    secondLane: build,
    async open(request, recipients = [{ user_id: 'owner', channels: ['slack'], route: 'first' }], terms) {
      const run = { run_id: 'run-1', mood: 'DEFERENTIAL' } as const
      const opened = await lane.open(admittedTo(recipients, { request, run, recipients: null }, terms), KEY_1)
      if (opened.kind !== 'opened') throw new Error(`not opened: ${opened.kind}`)
      return opened.subject
    },
    async current(requestId) {
      const subject = await lane.current(requestId)
      if (subject === null) throw new Error(`no request ${requestId}`)
      return subject
    },
    entries: async () => (await lines()).map(parseEntry),
    problems: async () => (await verifyLedger(await lines())).problems,
    async close() {
      for (const one of lanes) await one.drain()
      await store.ledger.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export const question = (id: string, more: Partial<Request> = {}): Request =>
  ({
    type: 'REQUEST_QUESTION',
    question_id: id,
    question_text: 'Ship it?',
    impact: 'Decides what the run does',
    context_handles: [],
    deadline_seconds: 600,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
    ...more,
  }) as Request

export const approval = (id: string): Request => ({
  type: 'REQUEST_APPROVAL',
  approval_id: id,
  action: 'PUBLISH',
  parameters: { artifact: `sha256:${'b'.repeat(64)}` },
  deadline_seconds: 600,
  default_action: 'DENY',
  reply_schema: { kind: 'yes_no' },
})

/** A signed Slack message from the owner, unless told otherwise. */
export const fromSlack = (handle: string, text: string, more: Partial<Inbound> = {}): Inbound => ({
  channel: 'slack',
  sender: OWNER,
  proof: 'slack_signed',
  authenticated: true,
  binding: { kind: 'handle', handle },
  text,
  automated: false,
  ...more,
})

/** A text message from the owner's number, unless told otherwise. */
export const fromPhone = (code: string, text: string, more: Partial<Inbound> = {}): Inbound => ({
  channel: 'sms',
  sender: OWNER_PHONE,
  proof: 'sms_from',
  authenticated: true,
  binding: { kind: 'code', code },
  text,
  automated: false,
  ...more,
})

/** The page's handle, as its link has it. */
export const pageHandle = ({ page }: Outbound): string => page.link.slice(page.link.lastIndexOf('/') + 1)

/** A form sent from the page. */
export const fromPage = (
  handle: string,
  code: string | null,
  text: string,
  more: Partial<Inbound> = {},
): Inbound => ({
  channel: 'web',
  proof: 'link_code',
  authenticated: true,
  binding: { kind: 'handle', handle },
  text,
  ...(code !== null && { code }),
  automated: false,
  ...more,
})

/** The handle that went to one person on a channel; two people's copies leave in no order. */
export const handleOf = ({ copies }: StageAdapter, user: string, requestId?: string): string =>
  copies.findLast(
    ({ display, outbound }) =>
      outbound.recipient.user_id === user && (requestId === undefined || display.request_id === requestId),
  )?.outbound.reply?.handle ?? ''
