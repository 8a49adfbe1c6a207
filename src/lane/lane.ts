// The lane: three things come in (a request, a reply, the passing of time), each ends as events in the ledger, and
// what the agenda then owes is done. Nothing here decides; it asks the agenda and calls the rooms.

import type { Beside, Inbound } from '../adapter/contract.js'
import type { Case } from '../agenda/case.js'
import { canonical } from '../canonical.js'
import { findCopy, type OpenCopy } from '../delivery/open.js'
import { renew } from '../delivery/renew.js'
import { Director } from '../director/director.js'
import type { Shelving } from '../ledger/shelf.js'
import { type AwayPlan, sendAway } from '../people/absences.js'
import { drawCode, invite } from '../people/invitation.js'
import { quietHoursOf } from '../people/quiet.js'
import { Cases } from '../record/cases.js'
import { type OnAlarm, type Recorder, recorder } from '../record/record.js'
import { glance, type Received, type Receiver, receive } from '../reply/receive.js'
import { Turns } from '../reply/turns.js'
import type { Channel } from '../request/channel.js'
import { handsAway, handTo, stepUp } from './asking.js'
import { besideOf } from './beside.js'
import { type Erased, erase } from './erase.js'
import { type ErrandParts, Errands } from './errands.js'
import { type Admitted, type Asker, type Opened, type Opener, type Own, open } from './opening.js'
import { ITSELF, policyOf } from './own.js'
import { type Applicant, type Entrance, type MadeOf, type Submitted, Submitter } from './submit.js'
import { type Withdrawn, withdraw } from './withdraw.js'

type LaneParts = ErrandParts &
  Entrance & {
    /** Absent where nothing rings. */
    readonly onAlarm?: OnAlarm
  }

type Invited =
  | { readonly kind: 'invited'; readonly url: string; readonly expires_at: string }
  /** The configuration or the channel has no place for an address of their own. */
  | { readonly kind: 'not_linkable' }
  /** The channel cannot say now where the invitation is accepted. */
  | { readonly kind: 'unavailable' }

export class Lane {
  /** Decides the run's next move, and its right to make it. */
  readonly director: Director
  readonly #parts: LaneParts
  readonly #cases: Cases
  readonly #recorder: Recorder
  readonly #errands: Errands
  readonly #submitter: Submitter
  readonly #turns = new Turns()

  constructor(parts: LaneParts) {
    this.#parts = parts
    const closable = [...parts.adapters.values()].filter(adapter => adapter.close !== undefined)
    const policy = {
      closable: new Set(closable.map(adapter => adapter.channel)),
      rests: (userId: string, channel: Channel, now: number) => parts.rests.at(userId, channel, now),
      quietUntil: quietHoursOf(parts.config.recipients),
      channelsOf: (userId: string) => parts.config.recipients[userId]?.channels ?? [],
    }
    parts.rests.listen((channel, userId) => void this.#advanceCoded(channel, userId))
    const { ledger } = parts.store
    const current = (id: string): Promise<Case | null> => this.current(id)
    this.#cases = new Cases(ledger)
    this.#recorder = recorder({
      ledger,
      cases: this.#cases,
      policy,
      current,
      direct: subject => this.director.direct(subject),
      ...(parts.onAlarm && { onAlarm: parts.onAlarm }),
    })
    this.director = new Director({
      ledger,
      policy: parts.config.director,
      keyring: parts.keyring,
      recorder: this.#recorder,
      current,
    })
    this.#errands = new Errands(parts, policy, this.#recorder)
    this.#submitter = new Submitter({ ...parts, open: (...asked) => this.open(...asked) })
  }

  /** A request as a door brings it, unread: parsed, admitted and opened, or refused. */
  submit(body: unknown, asker: Applicant, made?: MadeOf): Promise<Submitted> {
    return this.#submitter.submit(body, asker, made)
  }

  /** A question of the lane's own, under its own terms. */
  ask(body: unknown, own: Own): Promise<Submitted> {
    return this.#submitter.submit(body, ITSELF, undefined, own)
  }

  open(admitted: Admitted, asker: Asker): Promise<Opened> {
    const { limits } = this.#parts.config
    const { begin } = this.#recorder
    const current = (id: string): Promise<Case | null> => this.current(id)
    const opener = {
      begin,
      limits,
      errands: this.#errands,
      absent: ({ recipients, ...subject }: Parameters<Opener['absent']>[0], ms: number) =>
        handsAway(
          this.#parts,
          subject,
          [],
          recipients.map(one => one.user_id),
          ms,
        ),
      current,
    }
    return open(opener, admitted, asker)
  }

  async answer(inbound: Inbound, beside: readonly Shelving[] = []): Promise<Received> {
    const received = await this.#turns.take(canonical(inbound.binding), () =>
      receive(this.#receiver(), inbound, beside),
    )
    if (received.kind !== 'unknown') this.#errands.tend(received.subject)
    return received
  }

  /** Whether a sender could answer now, and what: nothing is recorded. */
  glance(inbound: Inbound) {
    return glance(this.#receiver(), inbound)
  }

  /** What a person who is asked is told beside the display, as it stands now; null where there is nothing to tell. */
  beside(subject: Case, userId: string): Beside | null {
    return besideOf(this.#parts, subject, userId, this.#parts.store.ledger.now())
  }

  /** The request before somebody who opens it in a session; null where it is not theirs to answer. */
  openFor(subject: Case, userId: string): Promise<OpenCopy | null> {
    return this.#errands.openFor(subject, userId)
  }

  /** Their copy on the web, if they have one that they can answer. */
  copyOf(subject: Case, userId: string): Promise<OpenCopy | null> {
    const { store, keyring } = this.#parts
    return findCopy({ keyring, shelf: store.shelf }, subject, userId)
  }

  /** For later entries about a delivery. */
  get recorder(): Pick<Recorder, 'record'> {
    return this.#recorder
  }

  tend(subject: Case): void {
    this.#errands.tend(subject)
  }

  /** Owes a fresh copy in place of each that was signed with a revoked key. */
  renew(revoked: ReadonlySet<string>, stopped: () => boolean): Promise<void> {
    const { ledger } = this.#parts.store
    const { record } = this.#recorder
    return renew({ ledger, record, tend: subject => this.tend(subject) }, revoked, stopped)
  }

  /** Invites a person to link their own address. */
  async invite(userId: string, channel: Channel, by: string): Promise<Invited> {
    const adapter = this.#parts.adapters.get(channel)
    const isLinkable = this.#parts.directory.awaitsLink(userId, channel)
    if (adapter?.invite === undefined || !isLinkable) return { kind: 'not_linkable' }
    const code = drawCode()
    const url = await adapter.invite(code).catch(() => null)
    if (url === null) return { kind: 'unavailable' }
    const { expires_at } = await invite(this.#parts.store, userId, channel, by, code)
    return { kind: 'invited', url, expires_at }
  }

  /** Says that a person is away, and who is asked in their place. */
  sendAway(plan: AwayPlan, by: string): ReturnType<typeof sendAway> {
    const { store, absences, config } = this.#parts
    return sendAway(store, { people: config.recipients, absences }, plan, by)
  }

  #receiver(): Receiver {
    const { store, config, directory, keyring, rests } = this.#parts
    return {
      record: this.#recorder.record,
      ledger: store.ledger,
      shelf: store.shelf,
      keyring,
      policyFor: subject => policyOf(config, subject),
      handTo: (subject, from, name, ms) => handTo(this.#parts, subject, from, name, ms),
      stepUp: (subject, step, ms) => stepUp(this.#parts, subject, { step, early: 'out_of_office' }, ms),
      whois: (channel, sender) => directory.whoHas(channel, sender),
      isResting: ({ channel, user_id }) => rests.at(user_id, channel, store.ledger.now()),
      attemptsPerDelivery: config.limits.reply_attempts_per_delivery,
      current: id => this.current(id),
      now: () => store.ledger.now(),
    }
  }

  /** Codes have been laid to rest: the people asked by one get another way. A duty that is not
   *  done here stays owed. */
  async #advanceCoded(channel: Channel, userId: string): Promise<void> {
    try {
      const open = await this.#parts.store.shelf.openCodes(channel, userId)
      for (const { request_id } of open) await this.advance(request_id)
    } catch (error) {
      this.#parts.onTrouble(error, { channel, recipient: userId })
    }
  }

  async withdraw(requestId: string, reason: string, by: string): Promise<Withdrawn> {
    const { ledger } = this.#parts.store
    const parts = {
      record: this.#recorder.record,
      current: (id: string) => this.current(id),
      takeBack: (...given: Parameters<Director['takeBack']>) => this.director.takeBack(...given),
      suspect: () => ledger.suspect(),
    }
    const withdrawn = await withdraw(parts, requestId, { reason, by })
    if (withdrawn.kind === 'withdrawn') this.#errands.tend(withdrawn.subject)
    return withdrawn
  }

  /** Forgets people's words and the caller's contents; null for no such request. */
  erase(requestId: string, by: string): Promise<Erased | null> {
    const { record } = this.#recorder
    return erase({ record, store: this.#parts.store, current: id => this.current(id) }, requestId, by)
  }

  /** The case as it stands now, or null: every door first resolves an overdue request, then answers. */
  async current(requestId: string): Promise<Case | null> {
    const subject = await this.#cases.read(requestId)
    return subject === null ? null : this.#errands.settle(subject)
  }

  /** Something has changed: asks the agenda and does the duties it owes. */
  async advance(requestId: string): Promise<void> {
    const subject = await this.current(requestId)
    if (subject !== null) this.#errands.tend(subject)
  }

  /** Its alarm has rung. */
  async ring(requestId: string): Promise<void> {
    const subject = await this.current(requestId)
    if (subject !== null && !this.#errands.tend(subject)) await this.#errands.rearm(subject)
  }

  /** Waits for the sends, closings and calls under way. */
  drain(): Promise<void> {
    return this.#errands.drain()
  }
}
