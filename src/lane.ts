// The lane: three things come in (a request, a reply, the passing of time), each ends as events in the ledger, and
// what the agenda then owes is done. Nothing here decides; it asks the agenda and calls the rooms.
import type { Channel, Inbound } from './adapter.js'
import { type Case, fold, isOpen } from './agenda/case.js'
import { canonical } from './canonical.js'
import { proofsFor } from './config.js'
import { timeOut } from './deadline/time-out.js'
import { Director } from './director/director.js'
import { type ErrandParts, Errands } from './errands.js'
import type { Entry } from './event.js'
import { invite } from './invitation.js'
import { LedgerUnavailable, type Shelving } from './ledger/contract.js'
import { type Opened, open } from './opening.js'
import { type OnAlarm, type Recorder, recorder } from './record.js'
import { glance, type Received, type Receiver, receive } from './reply/receive.js'
import { Turns } from './reply/turns.js'
import type { ResolvedRecipient } from './request/admit.js'
import type { Submission } from './request/parse.js'

/** From the deadline on only the default can win, and while the clock is suspect it may not be applied yet. */
const UNSETTLED = 'the deadline has come by a clock that is not trusted yet; the outcome is known once it is'

export type LaneParts = ErrandParts & {
  /** Absent where nothing rings. */
  readonly onAlarm?: OnAlarm
}

export type Invited =
  | { readonly kind: 'invited'; readonly url: string; readonly expires_at: string }
  /** The configuration or the channel has no place for an address of their own. */
  | { readonly kind: 'not_linkable' }
  /** The channel cannot say now where the invitation is accepted. */
  | { readonly kind: 'unavailable' }

export type Withdrawn =
  | { readonly kind: 'withdrawn'; readonly subject: Case }
  | { readonly kind: 'already_resolved'; readonly subject: Case }
  | { readonly kind: 'unknown' }

export class Lane {
  /** What the run does next, and by what right. */
  readonly director: Director
  readonly #parts: LaneParts
  readonly #record: Recorder
  /** Records what may resolve a request: what the director says of it then stands in the same append. */
  readonly #resolve: Recorder
  readonly #errands: Errands
  readonly #turns = new Turns()

  constructor(parts: LaneParts) {
    this.#parts = parts
    const closable = [...parts.adapters.values()].filter(adapter => adapter.close !== undefined)
    const policy = { closable: new Set(closable.map(adapter => adapter.channel)) }
    this.director = new Director({
      ledger: parts.store.ledger,
      policy: parts.config.director,
      keyring: parts.keyring,
      record: () => this.#record,
      read: id => this.read(id),
    })
    const { ledger } = parts.store
    this.#record = recorder(ledger, policy, undefined, parts.onAlarm)
    this.#resolve = recorder(ledger, policy, subject => this.director.direct(subject), parts.onAlarm)
    this.#errands = new Errands(parts, policy, this.#record, id => this.settle(id))
  }

  open(submission: Submission, recipients: readonly ResolvedRecipient[], openedBy: string): Promise<Opened> {
    const { limits } = this.#parts.config
    const settle = (id: string): Promise<Case> => this.settle(id)
    return open(
      { record: this.#record, limits, errands: this.#errands, settle },
      submission,
      recipients,
      openedBy,
    )
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

  /** For what is told about a delivery later. */
  get reporter() {
    return { record: this.#record, reload: (id: string) => this.settle(id) }
  }

  tend(subject: Case): void {
    this.#errands.tend(subject)
  }

  /** Where a person links their own address. */
  async invite(userId: string, channel: Channel): Promise<Invited> {
    const adapter = this.#parts.adapters.get(channel)
    const isLinkable = this.#parts.directory.awaitsLink(userId, channel)
    if (adapter?.invite === undefined || !isLinkable) return { kind: 'not_linkable' }
    const { code, expires_at } = await invite(this.#parts.store, userId, channel)
    const url = await adapter.invite(code).catch(() => null)
    return url === null ? { kind: 'unavailable' } : { kind: 'invited', url, expires_at }
  }

  #receiver(): Receiver {
    const { store, config, directory, keyring } = this.#parts
    return {
      record: this.#resolve,
      shelf: store.shelf,
      keyring,
      proofsFor: request => proofsFor(config, request),
      whois: (channel, sender) => directory.whoHas(channel, sender),
      attemptsPerDelivery: config.limits.reply_attempts_per_delivery,
      settle: id => this.settle(id),
      now: () => store.ledger.now(),
    }
  }

  async withdraw(requestId: string, reason: string, by: string): Promise<Withdrawn> {
    for (;;) {
      const subject = await this.read(requestId)
      if (subject === null) return { kind: 'unknown' }
      if (subject.state === 'withdrawn') return { kind: 'withdrawn', subject }
      if (!isOpen(subject)) {
        const without = await this.director.takeBack(subject, reason, by)
        return without === null
          ? { kind: 'already_resolved', subject }
          : { kind: 'withdrawn', subject: without }
      }
      const ids = { request_id: requestId, run_id: subject.run.run_id }
      const result = await this.#resolve<'overdue'>({ request_id: requestId, subject }, moment =>
        moment.ms >= subject.deadline_ms
          ? { refuse: 'overdue' }
          : {
              events: [
                { type: 'REQUEST_WITHDRAWN', ...ids, body: { reason, by } },
                { type: 'REQUEST_RESOLVED', ...ids, body: { outcome: 'withdrawn', causes: [moment.seq] } },
              ],
            },
      )
      if (result.kind === 'refused' && this.#parts.store.ledger.suspect())
        throw new LedgerUnavailable(UNSETTLED)
      if (result.kind !== 'recorded') continue
      this.#errands.tend(result.subject)
      return { kind: 'withdrawn', subject: result.subject }
    }
  }

  /** Forgets the raw words of every reply to a request; the entries and their hashes stay. Null for no such request. */
  async erase(requestId: string, by: string): Promise<readonly string[] | null> {
    for (;;) {
      const story = await this.#parts.store.ledger.story(requestId)
      const subject = fold(story)
      if (subject === null) return null
      const kept = await this.#keptReplies(story)
      if (kept.length === 0) return []
      const ids = { request_id: requestId, run_id: subject.run.run_id }
      const result = await this.#record({ request_id: requestId, subject }, () => ({
        events: kept.map(reply_id => ({ type: 'RAW_ERASED' as const, ...ids, body: { reply_id, by } })),
        shelve: kept.map(reply_id => ({ put: 'erasure' as const, reply_id })),
      }))
      if (result.kind === 'recorded') return kept
    }
  }

  async #keptReplies(story: readonly Entry[]): Promise<string[]> {
    const replies = story.flatMap(entry =>
      entry.type === 'HUMAN_REPLY_EVENT' || entry.type === 'INBOUND_REPLY_REJECTED'
        ? [entry.body.reply_id]
        : [],
    )
    const raws = await Promise.all(replies.map(id => this.#parts.store.shelf.raw(id)))
    return replies.filter((_, index) => raws[index] !== null)
  }

  /** The case, or null. Every door first resolves an overdue request, then answers. */
  async read(requestId: string): Promise<Case | null> {
    const { ledger } = this.#parts.store
    for (;;) {
      const subject = fold(await ledger.story(requestId))
      if (subject === null || !isOpen(subject) || ledger.now() < subject.deadline_ms) return subject
      const timed = await timeOut(this.#resolve, subject)
      if (timed.kind === 'resolved') {
        this.#errands.tend(timed.subject)
        return timed.subject
      }
      if (timed.why !== 'moved') return subject
    }
  }

  async settle(requestId: string): Promise<Case> {
    const subject = await this.read(requestId)
    if (subject === null) throw new Error(`the ledger has no request ${requestId}`)
    return subject
  }

  /** An alarm has rung, or a door was opened: ask the agenda and do what is owed. */
  async advance(requestId: string): Promise<void> {
    const subject = await this.read(requestId)
    if (subject !== null) this.#errands.tend(subject)
  }

  /** Waits for the sends, closings and calls under way. */
  drain(): Promise<void> {
    return this.#errands.drain()
  }
}
