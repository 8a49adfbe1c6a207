// The lane: three things come in (a request, a reply, the passing of time), each ends as events in the ledger, and
// what the agenda then owes is done. Nothing here decides; it asks the agenda and calls the rooms.
import { randomBytes } from 'node:crypto'
import type { Adapter, Channel, Inbound, Outcome } from './adapter.js'
import { type Case, fold, isOpen } from './agenda/case.js'
import { type AgendaPolicy, type Duty, owed } from './agenda/owed.js'
import { canonical, type Hash } from './canonical.js'
import { instant } from './clock.js'
import { type Config, proofsFor } from './config.js'
import { timeOut } from './deadline/time-out.js'
import { close } from './delivery/close.js'
import { type Deliver, deliver } from './delivery/deliver.js'
import { Gate } from './delivery/gate.js'
import { Director } from './director/director.js'
import type { Draft, Entry } from './event.js'
import { type Guard, LedgerUnavailable, type Store } from './ledger/contract.js'
import { type Recorder, recorder } from './record.js'
import { type Received, receive } from './reply/receive.js'
import { envelopeHash, type ResolvedRecipient } from './request/admit.js'
import { completeRequest, type Submission } from './request/parse.js'
import { hashRequest, idOf, type Request } from './request/request.js'
import type { Keyring } from './token/keyring.js'
import { type CallBack, type Calls, callBack } from './waiter/callback.js'
import { hashUrl } from './waiter/signature.js'

/** Sends under way at once, per channel: what is claimed together is committed together. */
const CONCURRENT_SENDS = 256
/** Calls under way at once, per host: one that hangs holds up its own, and is not leaned on by all at once. */
const CONCURRENT_CALLS = 8

/** From the deadline on only the default can win, and while the clock is suspect it may not be applied yet. */
const UNSETTLED = 'the deadline has come by a clock that is not trusted yet; the outcome is known once it is'

export type LaneParts = {
  readonly store: Store
  readonly config: Config
  readonly adapters: ReadonlyMap<Channel, Adapter>
  readonly keyring: () => Keyring
  readonly publicUrl: () => string
  readonly keyName: (keyId: string) => string
  readonly onTrouble: (error: unknown, about: Record<string, unknown>) => void
  /** Absent where nobody is called. */
  readonly calls?: Calls
}

export type Opened =
  | { readonly kind: 'opened' | 'known'; readonly subject: Case }
  | { readonly kind: 'id_conflict' }
  | { readonly kind: 'limited'; readonly guard: Guard }

export type Withdrawn =
  | { readonly kind: 'withdrawn'; readonly subject: Case }
  | { readonly kind: 'already_resolved'; readonly subject: Case }
  | { readonly kind: 'unknown' }

export class Lane {
  /** What the run does next, and by what right. */
  readonly director: Director
  readonly #parts: LaneParts
  readonly #policy: AgendaPolicy
  readonly #record: Recorder
  readonly #gates = new Map<Channel, Gate>()
  /** By host, while one is being called. */
  readonly #hosts = new Map<string, Gate>()
  /** What this process is at just now, by workOf(); advance() adds, the work removes. */
  readonly #atWork = new Map<string, Promise<void>>()

  constructor(parts: LaneParts) {
    this.#parts = parts
    const closable = [...parts.adapters.values()].filter(adapter => adapter.close !== undefined)
    this.#policy = { closable: new Set(closable.map(adapter => adapter.channel)) }
    this.director = new Director({
      ledger: parts.store.ledger,
      policy: parts.config.director,
      keyring: parts.keyring,
      record: () => this.#record,
      read: id => this.read(id),
    })
    this.#record = recorder(parts.store.ledger, this.#policy, subject => this.director.direct(subject))
  }

  async open(
    submission: Submission,
    recipients: readonly ResolvedRecipient[],
    openedBy: string,
  ): Promise<Opened> {
    const request = completeRequest(submission.request, `lane-${randomBytes(12).toString('hex')}`)
    const request_id = idOf(request)
    const request_hash = hashRequest(request)
    const envelope_hash = envelopeHash(submission)
    const url = submission.callback_url
    const result = await this.#record(
      { request_id, subject: null },
      moment => ({
        events: [
          {
            type: 'REQUEST_OPENED',
            request_id,
            run_id: submission.run.run_id,
            body: {
              request,
              request_hash,
              run: submission.run,
              recipients,
              envelope_hash,
              deadline_at: instant(moment.ms + request.deadline_seconds * 1000),
              opened_by: openedBy,
            },
          },
          ...registration(submission, request_id),
        ],
        ...(url !== undefined && { shelve: [{ put: 'callback' as const, request_id, url }] }),
      }),
      this.#guards(request, submission.run.run_id, recipients, openedBy),
    )
    if (result.kind === 'moved') return this.#known(request_id, request_hash, envelope_hash, openedBy)
    if (result.kind !== 'recorded') return { kind: 'limited', guard: guardOf(result) }
    this.#tend(result.subject)
    return { kind: 'opened', subject: result.subject }
  }

  /** Same id, hash, envelope and caller: the same request again. Anything else under that id shows nothing. */
  async #known(requestId: string, request: Hash, envelope: Hash, openedBy: string): Promise<Opened> {
    const subject = await this.settle(requestId)
    const same =
      subject.request_hash === request && subject.envelope_hash === envelope && subject.opened_by === openedBy
    return same ? { kind: 'known', subject } : { kind: 'id_conflict' }
  }

  #guards(
    request: Request,
    run_id: string,
    recipients: readonly ResolvedRecipient[],
    opened_by: string,
  ): Guard[] {
    const { open_questions_per_run, requests_per_recipient_per_hour } = this.#parts.config.limits
    const guards: Guard[] = []
    if (request.type === 'REQUEST_QUESTION' && open_questions_per_run > 0) {
      guards.push({ kind: 'open_questions', run_id, at_most: open_questions_per_run })
    }
    if (requests_per_recipient_per_hour > 0) {
      const at_most = requests_per_recipient_per_hour
      for (const { user_id } of recipients)
        guards.push({ kind: 'recipient_budget', opened_by, user_id, at_most })
    }
    return guards
  }

  answer(inbound: Inbound): Promise<Received> {
    const { store, config, keyring } = this.#parts
    return receive(
      {
        record: this.#record,
        shelf: store.shelf,
        keyring,
        proofsFor: request => proofsFor(config, request),
        whois: (channel, sender) => this.#whois(channel, sender),
        attemptsPerDelivery: config.limits.reply_attempts_per_delivery,
        settle: id => this.settle(id),
        now: () => store.ledger.now(),
      },
      inbound,
    ).then(received => {
      if (received.kind !== 'unknown') this.#tend(received.subject)
      return received
    })
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
      const result = await this.#record<'overdue'>({ request_id: requestId, subject }, moment =>
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
      this.#tend(result.subject)
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
      const timed = await timeOut(this.#record, subject)
      if (timed.kind === 'resolved') {
        this.#tend(timed.subject)
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
    if (subject !== null) this.#tend(subject)
  }

  /** Starts whatever is owed and not already under way here. Fire and forget: the alarm in the ledger remembers. */
  #tend(subject: Case): void {
    const { duties } = owed(subject, this.#parts.store.ledger.now(), this.#policy)
    for (const duty of duties) {
      if (duty.kind === 'time_out') continue
      const name = workOf(subject, duty)
      if (this.#atWork.has(name)) continue
      const begun =
        duty.kind === 'call_back'
          ? this.#callBack(subject, duty)
          : this.#gate(duty.channel).pass(() => this.#perform(subject, duty))
      const work = begun
        .catch(error => this.#parts.onTrouble(error, { request_id: subject.request_id, duty: duty.kind }))
        .then(() => void this.#atWork.delete(name))
      this.#atWork.set(name, work)
    }
  }

  async #callBack(subject: Case, duty: CallBack): Promise<void> {
    const { store, calls = null } = this.#parts
    const url = await store.shelf.callback(subject.request_id)
    const host = url === null ? '' : new URL(url).host
    const gate = this.#hosts.get(host) ?? new Gate(CONCURRENT_CALLS)
    this.#hosts.set(host, gate)
    const caller = {
      record: this.#record,
      reload: (id: string) => this.settle(id),
      now: () => store.ledger.now(),
      calls,
    }
    await gate
      .pass(() => callBack(caller, subject, duty, url))
      .finally(() => {
        if (gate.idle) this.#hosts.delete(host)
      })
  }

  async #perform(subject: Case, duty: Extract<Duty, { channel: Channel }>): Promise<void> {
    const { store, adapters } = this.#parts
    const shared = {
      record: this.#record,
      adapter: (channel: Channel) => adapters.get(channel) ?? null,
      reload: (id: string) => this.settle(id),
      onTrouble: (error: unknown, { delivery_id }: { readonly delivery_id: string }) =>
        this.#parts.onTrouble(error, { request_id: subject.request_id, delivery_id }),
    }
    if (duty.kind === 'close') {
      const refs = (id: string) => store.shelf.refs(id)
      await close({ ...shared, refs }, subject, duty, outcomeOf(subject))
      return
    }
    const after = await deliver(
      {
        ...shared,
        keyring: this.#parts.keyring,
        person: (userId, channel) => this.#person(userId, channel),
        keyName: this.#parts.keyName,
        publicUrl: this.#parts.publicUrl(),
        stillOwed: (newer, wanted) => this.#stillOwed(newer, wanted),
        now: () => store.ledger.now(),
      },
      subject,
      duty,
    )
    // A failure may have made the next channel's delivery due, a resolution the closing of this one.
    setImmediate(() => this.#tend(after))
  }

  #stillOwed(subject: Case, wanted: Deliver): boolean {
    return owed(subject, this.#parts.store.ledger.now(), this.#policy).duties.some(
      duty =>
        duty.kind === 'deliver' && duty.delivery_id === wanted.delivery_id && duty.attempt === wanted.attempt,
    )
  }

  #whois(channel: Channel, sender: unknown): string | null {
    const address = canonical(sender)
    const people = Object.values(this.#parts.config.recipients)
    const person = people.find(
      ({ addresses }) => addresses[channel] !== undefined && canonical(addresses[channel]) === address,
    )
    return person?.user_id ?? null
  }

  #person(userId: string, channel: Channel) {
    const recipient = this.#parts.config.recipients[userId]
    const address = recipient?.addresses[channel]
    return recipient === undefined || address === undefined ? null : { name: recipient.name, address }
  }

  #gate(channel: Channel): Gate {
    const known = this.#gates.get(channel)
    if (known) return known
    const gate = new Gate(CONCURRENT_SENDS)
    this.#gates.set(channel, gate)
    return gate
  }

  /** Waits for the sends and closings under way. */
  async drain(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork.values())
  }
}

type Work = Exclude<Duty, { kind: 'time_out' }>
const workOf = ({ request_id }: Case, duty: Work): string =>
  duty.kind === 'call_back' ? `call_back ${request_id}` : duty.delivery_id

/** The story itself says that a call is owed, so that the agenda needs nothing beside it; the URL is on the shelf. */
const registration = ({ run, callback_url }: Submission, request_id: string): Draft[] =>
  callback_url === undefined
    ? []
    : [
        {
          type: 'CALLBACK_REGISTERED',
          request_id,
          run_id: run.run_id,
          body: { url_hash: hashUrl(callback_url) },
        },
      ]

const guardOf = (result: { kind: string; guard?: Guard }): Guard => {
  if (result.guard === undefined) throw new Error(`opening a request cannot end in ${result.kind}`)
  return result.guard
}

/** What a person is told of a settled request: only an answer names somebody. */
export function outcomeOf(subject: Case): Outcome {
  if (isOpen(subject)) throw new Error('an open request has no outcome')
  const { answer } = subject
  return {
    outcome: subject.state as Outcome['outcome'],
    at: subject.resolved_at ?? subject.deadline_at,
    answered_by: answer?.answered_by ?? null,
    answer: answer === null ? null : spoken(answer),
    default_action: subject.default_applied ? subject.request.default_action : null,
  }
}

export function spoken(answer: NonNullable<Case['answer']>): string {
  const { parsed_choice, parsed_payload: payload } = answer
  if (parsed_choice !== null) return parsed_choice
  if (payload === null) return ''
  if ('selected' in payload) return payload.selected.join(', ')
  if ('text' in payload) return payload.text
  if ('number' in payload)
    return payload.unit === undefined ? `${payload.number}` : `${payload.number} ${payload.unit}`
  return payload.date
}
