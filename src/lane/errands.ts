// Does the duties that the agenda owes: sends, closes, calls back. Fire and forget: the alarm in the ledger remembers
// every duty this process does not live to finish, and the next to ask finds it still owed.
import type { Adapter } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { endingOf } from '../agenda/ending.js'
import { type AgendaPolicy, type Duty, isOverdue, owed } from '../agenda/owed.js'
import { instant } from '../clock.js'
import type { Config } from '../config/config.js'
import { canAnswerSignedIn, confirmsHere } from '../config/signing-in.js'
import { timeOut } from '../deadline/time-out.js'
import { close } from '../delivery/close.js'
import { named, readContents } from '../delivery/contents.js'
import { attempt, type Claim, claimWithin, deliver, type Sender } from '../delivery/deliver.js'
import { Gate } from '../delivery/gate.js'
import { type Climber, climb, heldBy } from '../delivery/ladder.js'
import { type OpenCopy, openFor } from '../delivery/open.js'
import type { Deliver } from '../delivery/pass.js'
import { remind } from '../delivery/remind.js'
import type { Deed } from '../event.js'
import type { Moment, Store } from '../ledger/contract.js'
import type { Shelving } from '../ledger/shelf.js'
import type { Absences } from '../people/absences.js'
import type { Directory } from '../people/directory.js'
import type { Passkeys } from '../people/passkeys.js'
import type { Rests } from '../people/rests.js'
import type { Recorder } from '../record/record.js'
import type { Channel } from '../request/channel.js'
import type { Content } from '../request/content/exhibit.js'
import { display } from '../request/display.js'
import { isApproval } from '../request/substance.js'
import { wayOf } from '../request/way.js'
import type { Rested } from '../request/words.js'
import type { Keyring } from '../token/keyring.js'
import { type CallBack, type Calls, callBack } from '../waiter/callback.js'
import { stepUp } from './asking.js'
import { besideOf } from './beside.js'
import { policyOf } from './own.js'

/** Sends under way at once, per channel: sends claimed together are committed together. */
const CONCURRENT_SENDS = 256
/** Calls under way at once, per host: a host that hangs holds up only its own, and is not leaned on
 *  by all at once. */
const CONCURRENT_CALLS = 8

export type ErrandParts = {
  readonly store: Store
  readonly config: Config
  readonly directory: Directory
  readonly rests: Rests
  readonly absences: Absences
  readonly adapters: ReadonlyMap<Channel, Adapter>
  readonly keyring: () => Keyring
  readonly publicUrl: () => string
  readonly keyName: (keyId: string) => string
  readonly onTrouble: (error: unknown, about: Record<string, unknown>) => void
  /** Absent where nobody is called. */
  readonly calls?: Calls
  /** Whether people sign in by a provider; absent if they do not. */
  readonly hasProvider?: boolean
  /** Who has passkeys; absent if nobody has. */
  readonly passkeys?: Pick<Passkeys, 'proofsOf'>
}

/** The attempts claimed with the opening of a request, and the events and rows they add to that append. */
type First = {
  readonly claims: readonly Claim[]
  readonly events: readonly Deed[]
  readonly shelve: readonly Shelving[]
  /** Whether nothing else is owed just now. */
  readonly isAll: boolean
}

export const NOTHING_CLAIMED: First = { claims: [], events: [], shelve: [], isAll: false }

export class Errands {
  readonly #parts: ErrandParts
  readonly #policy: AgendaPolicy
  readonly #recorder: Recorder
  readonly #gates = new Map<Channel, Gate>()
  /** By host, while one is being called. */
  readonly #hosts = new Map<string, Gate>()
  /** The work of this process just now, by nameOf(); tend() adds, the work removes. */
  readonly #atWork = new Map<string, Promise<void>>()
  readonly #sender: Sender
  readonly #climber: Climber

  constructor(parts: ErrandParts, policy: AgendaPolicy, recorder: Recorder) {
    this.#parts = parts
    this.#policy = policy
    this.#recorder = recorder
    this.#sender = this.#makeSender()
    this.#climber = {
      record: recorder.record,
      stepUp: (subject, duty, ms) => stepUp(parts, subject, duty, ms),
      stillOwed: (newer, wanted) => this.#isOwed(newer, wanted),
    }
  }

  /** The request before somebody who is in a session; null where it is not theirs to answer. */
  async openFor(first: Case, userId: string): Promise<OpenCopy | null> {
    const { shelf } = this.#parts.store
    const copy = await openFor({ ...this.#sender, shelf }, first, userId)
    if (copy !== null) this.tend(copy.subject)
    return copy
  }

  /** Starts every duty that is owed and not already under way here. Whether any is owed. */
  tend(subject: Case): boolean {
    const duties = this.#owed(subject)
    for (const duty of duties) {
      if (this.#atWork.has(nameOf(subject, duty))) continue
      this.#start(subject, duty, () => this.#begin(subject, duty))
    }
    return duties.length > 0
  }

  /** Its alarm rang for nothing: at the moment of a step that was done early, or of a reminder of no copy. It is set to when
   *  the agenda must be asked next, or it would ring on and on. */
  async rearm(subject: Case): Promise<void> {
    await this.#recorder.record<never, 'owed'>(
      subject.request_id,
      newer =>
        this.#owed(newer).length > 0 ? { leave: 'owed' } : { tell: () => ({ events: [] }), rides: true },
      subject,
    )
  }

  /** The one duty done before any door answers: an overdue request is resolved by its default.
   *  Returns the case after it. */
  async settle(subject: Case): Promise<Case> {
    if (!isOverdue(subject, this.#parts.store.ledger.now())) return subject
    const after = await timeOut(this.#recorder, subject)
    if (!isOpen(after)) this.tend(after)
    return after
  }

  /** The claims on the deliveries a request owes from its first moment on, to stand in the append that opens it. A
   *  busy channel claims nothing ahead: a claim that waits in a queue would outlive its lease. Each claim has a place
   *  at its gate, which is used by keep() or given up by letGo(). `isCoded`: whether a code can be
   *  given out with it. */
  claimFirst(
    subject: Case,
    moment: Moment,
    isCoded: (duty: Deliver) => boolean,
    contents: readonly Content[],
  ): First {
    const { duties } = owed(subject, moment.ms, this.#policy)
    const holds = duties.filter(duty => duty.kind === 'hold')
    const due = duties.filter(
      (duty): duty is Deliver =>
        duty.kind === 'deliver' && isNamed(subject, duty) && this.#gate(duty.channel).take(),
    )
    const made = due.map(duty => claimWithin(this.#sender, subject, duty, moment, isCoded(duty), contents))
    return {
      claims: made.map(({ claim }) => claim),
      events: [...made.map(({ event }) => event), ...holds.map(heldBy)],
      shelve: made.flatMap(({ shelvings }) => shelvings),
      isAll: due.length + holds.length === duties.length,
    }
  }

  /** Makes the attempts claimed by claimFirst(), and tends to the other duties. */
  keep(subject: Case, { claims, isAll }: First): void {
    for (const claim of claims) {
      const { duty } = claim
      const sent = () => attempt(this.#sender, subject, claim)
      this.#start(subject, duty, () => this.#gate(duty.channel).use(() => this.#follow(sent())))
    }
    if (!isAll) this.tend(subject)
  }

  /** The append did not come about. */
  letGo({ claims }: First): void {
    for (const { duty } of claims) this.#gate(duty.channel).leave()
  }

  #start(subject: Case, duty: Duty, begin: () => Promise<void>): void {
    const name = nameOf(subject, duty)
    const work = begin()
      .catch(error => this.#parts.onTrouble(error, { request_id: subject.request_id, duty: duty.kind }))
      .then(() => void this.#atWork.delete(name))
    this.#atWork.set(name, work)
  }

  /** Waits for the work under way. */
  async drain(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork.values())
  }

  #owed(subject: Case): readonly Duty[] {
    return owed(subject, this.#parts.store.ledger.now(), this.#policy).duties
  }

  #begin(subject: Case, duty: Duty): Promise<void> {
    switch (duty.kind) {
      case 'time_out':
        return this.settle(subject).then(() => undefined)
      case 'call_back':
        return this.#callBack(subject, duty)
      case 'close':
        return this.#gate(duty.channel).pass(() => this.#close(subject, duty))
      case 'hold':
      case 'escalate':
      case 'hand_back':
        return this.#follow(climb(this.#climber, subject, duty))
      case 'remind':
        return this.#gate(duty.channel).pass(() => this.#follow(remind(this.#sender, subject, duty)))
      case 'deliver':
        return this.#gate(duty.channel).pass(() => this.#follow(deliver(this.#sender, subject, duty)))
    }
  }

  #makeSender(): Sender {
    const { store, config, keyring, keyName, adapters, directory, passkeys, publicUrl, onTrouble } =
      this.#parts
    const { hasProvider = false } = this.#parts
    return {
      record: this.#recorder.record,
      onTrouble,
      adapter: channel => adapters.get(channel) ?? null,
      keyring,
      keyName,
      now: () => store.ledger.now(),
      person: (userId, channel) => directory.reach(userId, channel),
      awaitsLink: (userId, channel) => directory.awaitsLink(userId, channel),
      publicUrl,
      shows: (channel, shown) => adapters.get(channel)?.shows(shown) ?? true,
      way: (subject, { channel, user_id }, shown, coded) => {
        const facing = { hasProvider, publicUrl: publicUrl() }
        const signsIn = canAnswerSignedIn(facing, config.recipients[user_id], isApproval(subject.request))
        const confirms = confirmsHere(facing.publicUrl, passkeys, user_id)
        const { proofs } = policyOf(config, subject)
        return wayOf({ channel, coded, shown, signsIn, confirms, proofs })
      },
      contents: subject => readContents(store.shelf, subject),
      rested: (subject, userId) => this.#rested(subject, userId),
      stillOwed: (newer, wanted) => this.#isOwed(newer, wanted),
      refs: id => store.shelf.refs(id),
      shelve: async rows => {
        await store.ledger.append({ decide: () => ({ kind: 'append', events: [], shelve: rows }) })
      },
      beside: (subject, userId) => besideOf(this.#parts, subject, userId, store.ledger.now()),
    }
  }

  #isOwed(newer: Case, wanted: Duty): boolean {
    return this.#owed(newer).some(one => isSame(newer, one, wanted))
  }

  #rested({ asked }: Case, userId: string): Rested | null {
    const { rests, store } = this.#parts
    const now = store.ledger.now()
    const channels = asked.find(one => one.user_id === userId)?.channels ?? []
    const channel = channels.find(one => rests.at(userId, one, now))
    return channel === undefined ? null : { channel, until: instant(rests.until(userId, channel)) }
  }

  /** A failure may have made the next channel's delivery due, a resolution the closing of this one. */
  async #follow(delivery: Promise<Case>): Promise<void> {
    const after = await delivery
    setImmediate(() => this.tend(after))
  }

  async #close(subject: Case, duty: Extract<Duty, { kind: 'close' }>): Promise<void> {
    const rows = subject.deliveries.find(one => one.delivery_id === duty.delivery_id)?.minted?.contents ?? []
    const to = {
      ending: endingOf(subject),
      display: named(display(subject, this.#parts.keyName(subject.opened_by)), rows),
    }
    await close(this.#sender, subject, duty, to)
  }

  async #callBack(subject: Case, duty: CallBack): Promise<void> {
    const { store, calls = null } = this.#parts
    const url = await store.shelf.callback(subject.request_id)
    const host = url === null ? '' : new URL(url).host
    const gate = this.#hosts.get(host) ?? new Gate(CONCURRENT_CALLS)
    this.#hosts.set(host, gate)
    const caller = { record: this.#recorder.record, now: () => store.ledger.now(), calls }
    await gate
      .pass(() => callBack(caller, subject, duty, url))
      .finally(() => {
        if (gate.idle) this.#hosts.delete(host)
      })
  }

  #gate(channel: Channel): Gate {
    const known = this.#gates.get(channel)
    if (known) return known
    const gate = new Gate(this.#parts.adapters.get(channel)?.atOnce ?? CONCURRENT_SENDS)
    this.#gates.set(channel, gate)
    return gate
  }
}

/** One thing at a time is done about a delivery, and about the ladder of a request. */
const nameOf = ({ request_id }: Case, duty: Duty): string =>
  'delivery_id' in duty ? duty.delivery_id : `${duty.kind} ${request_id}`

/** The name of a duty with what tells it from the next one about the same thing. */
function spelt(subject: Case, duty: Duty): string {
  const name = `${duty.kind} ${nameOf(subject, duty)}`
  switch (duty.kind) {
    case 'deliver':
      return `${name} ${duty.attempt}`
    case 'remind':
    case 'escalate':
      return `${name} ${duty.step}`
    case 'hand_back':
      return `${name} ${duty.from}`
    default:
      return name
  }
}

/** Those to whom it was handed on are reached once the opening stands: no code was set aside for them. */
const isNamed = ({ recipients }: Case, { user_id }: Deliver): boolean =>
  recipients.some(one => one.user_id === user_id)

const isSame = (subject: Case, duty: Duty, wanted: Duty): boolean =>
  spelt(subject, duty) === spelt(subject, wanted)
