// Builds ledgers line by line with the real seal, so that a test can break one rule and leave the chain sound. Where a
// schema itself is to be broken, `force` writes the same bytes without asking it.
import { canonical, type Hash, hashOf, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { GRAMMAR } from '../../src/compiler/compile.js'
import type { Body, Draft, Entry, EventType } from '../../src/event.js'
import { GENESIS, inscribe } from '../../src/ledger/entry.js'
import { verify } from '../../src/ledger/verify.js'
import { REASONS, type Reason } from '../../src/reason.js'
import { hashRequest, type Request } from '../../src/request/request.js'
import { NEWEST_RULES } from '../../src/rules.js'

/** As docs/spec/ledger.md says it, from the members alone. */
export const hashEntry = ({ hash: _, ...rest }: Record<string, unknown>): Hash =>
  sha256('lane/entry/v1\n', canonical(rest))

export const START = Date.parse('2026-03-01T12:00:00.000Z')
export const hashed = (name: string): Hash => sha256(name)

type Place = { readonly seq?: number; readonly at?: string; readonly prev?: Hash }

export class Craft {
  readonly lines: string[] = []
  readonly entries: Entry[] = []
  ms = START
  #prev: Hash = GENESIS

  get seq(): number {
    return this.lines.length
  }

  get at(): string {
    return instant(this.ms)
  }

  /** Time passes. */
  later(ms: number): this {
    this.ms += ms
    return this
  }

  put(draft: Draft, place: Place = {}): Entry {
    const { entry, line } = inscribe(draft, { seq: this.seq, at: this.at, prev: this.#prev, ...place })
    return this.#keep(entry, line)
  }

  /** Any members at all, with the hash they have. */
  force(members: Record<string, unknown>): Entry {
    const open = { v: 1, seq: this.seq, at: this.at, prev: this.#prev, ...members }
    const entry = { ...open, hash: hashEntry(open) } as unknown as Entry
    return this.#keep(entry, canonical(entry))
  }

  #keep(entry: Entry, line: string): Entry {
    this.lines.push(line)
    this.entries.push(entry)
    this.#prev = entry.hash
    return entry
  }
}

export const question = (changes: Partial<Record<string, unknown>> = {}): Request =>
  ({
    type: 'REQUEST_QUESTION',
    question_id: 'q-1',
    question_text: 'Shall the migration run tonight?',
    impact: 'Without it the release waits a week.',
    context_handles: [],
    deadline_seconds: 60,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
    ...changes,
  }) as Request

/** What verify finds in it: the invariants and where they are broken. */
export async function found(craft: Craft): Promise<[string, number][]> {
  const { problems } = await verify(craft.lines)
  return problems.map(({ invariant, seq }) => [invariant, seq])
}

type Changes<T extends EventType> = Partial<Body<T>>
type Ids = { readonly request_id?: string; readonly run_id?: string }

/** One story, told event by event; every event can be told with some of its body changed. */
export class Tale {
  readonly id: string
  readonly ids: Ids
  readonly request: Request
  readonly #craft: Craft

  constructor(craft: Craft, request: Request = question(), id = 'q-1') {
    this.#craft = craft
    this.request = request
    this.id = id
    this.ids = { request_id: id, run_id: 'run-1' }
  }

  draft<T extends EventType>(type: T, body: Body<T>): Draft {
    return { type, ...this.ids, body } as unknown as Draft
  }

  tell<T extends EventType>(type: T, body: Body<T>): Entry {
    return this.#craft.put(this.draft(type, body))
  }

  opening(changes: Changes<'REQUEST_OPENED'> = {}): Body<'REQUEST_OPENED'> {
    return {
      request: this.request,
      request_hash: hashRequest(this.request),
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      recipients: [{ user_id: 'ada', channels: ['web', 'email'], route: 'first' }],
      envelope_hash: hashed('envelope'),
      deadline_at: instant(this.#craft.ms + this.request.deadline_seconds * 1000),
      opened_by: 'key-1',
      ...changes,
    }
  }

  opened(changes: Changes<'REQUEST_OPENED'> = {}): Entry {
    const body = this.opening(changes)
    this.deadline = body.deadline_at
    return this.tell('REQUEST_OPENED', body)
  }

  /** As the opening declared it. Set by opened(). */
  deadline = ''

  /** Whoever asked wants to be called. */
  registered(): Entry {
    return this.tell('CALLBACK_REGISTERED', { url_hash: hashed('url') })
  }

  called(attempt = 1, changes: Changes<'CALLBACK_ATTEMPTED'> = {}): Entry {
    return this.tell('CALLBACK_ATTEMPTED', { attempt, ok: true, status: 204, final: true, ...changes })
  }

  attempt(attempt = 1) {
    return { delivery_id: `d-${this.id}`, attempt, channel: 'web', recipient: 'ada' } as const
  }

  token(attempt = 1): Hash {
    return hashed(`token/${this.id}/${attempt}`)
  }

  started(attempt = 1, changes: Changes<'DELIVERY_STARTED'> = {}): Entry {
    return this.tell('DELIVERY_STARTED', {
      ...this.attempt(attempt),
      token_hash: this.token(attempt),
      display_hash: hashed('display'),
      kid: 'k-1',
      lease_until: instant(this.#craft.ms + 30_000),
      ...changes,
    })
  }

  sent(attempt = 1, changes: Changes<'OUTBOUND_REQUEST_SENT'> = {}): Entry {
    return this.tell('OUTBOUND_REQUEST_SENT', {
      ...this.attempt(attempt),
      request_hash: hashRequest(this.request),
      token_hash: this.token(attempt),
      ...changes,
    })
  }

  failed(attempt = 1, changes: Changes<'DELIVERY_FAILED'> = {}): Entry {
    return this.tell('DELIVERY_FAILED', {
      ...this.attempt(attempt),
      code: 'refused',
      final: true,
      ...changes,
    })
  }

  /** Opened and put before its recipient: the next entry may answer it. */
  asked(): this {
    this.opened()
    this.started()
    this.sent()
    return this
  }

  reply(changes: Changes<'HUMAN_REPLY_EVENT'> = {}): Body<'HUMAN_REPLY_EVENT'> {
    return {
      reply_id: `r-${this.id}`,
      request_id: this.id,
      delivery_id: `d-${this.id}`,
      channel: 'web',
      sender_identity: { user_id: 'ada', proof: 'console' },
      raw_text_hash: sha256(saltOf(`r-${this.id}`), 'yes'),
      grammar: GRAMMAR,
      parsed_choice: 'YES',
      parsed_payload: null,
      receipts: { token_hash: this.token(), received_at: this.#craft.at },
      ...changes,
    }
  }

  received(reply = this.reply(), changes: Changes<'INBOUND_REPLY_RECEIVED'> = {}): Entry {
    return this.tell('INBOUND_REPLY_RECEIVED', {
      reply_id: reply.reply_id,
      delivery_id: reply.delivery_id,
      channel: reply.channel,
      token_validation: checks(null),
      event_hash: sha256(canonical(reply)),
      ...changes,
    })
  }

  answer(reply = this.reply()) {
    const { parsed_choice, parsed_payload, channel, sender_identity } = reply
    const { user_id: answered_by, proof } = sender_identity
    return { parsed_choice, parsed_payload, answered_by, channel, proof, at: this.#craft.at }
  }

  /** Announced, compiled and resolved, in one breath. */
  answered(reply = this.reply(), changes: Changes<'REQUEST_RESOLVED'> = {}): Entry {
    this.received(reply)
    this.tell('HUMAN_REPLY_EVENT', reply)
    return this.resolved({ outcome: 'answered', answer: this.answer(reply), ...changes })
  }

  rejected(reason: Reason = 'reply_not_in_schema', changes: Changes<'INBOUND_REPLY_REJECTED'> = {}): Entry {
    const reply_id = changes.reply_id ?? `r-${this.id}-no`
    return this.tell('INBOUND_REPLY_REJECTED', {
      reply_id,
      delivery_id: `d-${this.id}`,
      channel: 'web',
      reason,
      token_validation: checks(reason),
      raw_text_hash: sha256(saltOf(reply_id), 'do not'),
      grammar: GRAMMAR,
      proof: 'console',
      ...changes,
    })
  }

  receipt(changes: Changes<'TIMEOUT_RECEIPT'> = {}): Entry {
    return this.tell('TIMEOUT_RECEIPT', {
      request_hash: hashRequest(this.request),
      default_action: this.request.default_action,
      deadline_at: this.deadline,
      fired_at: this.#craft.at,
      deliveries: [{ delivery_id: `d-${this.id}`, state: 'sent' }],
      ...changes,
    })
  }

  timedOut(outcome: 'defaulted' | 'undelivered', changes: Changes<'TIMEOUT_RECEIPT'> = {}): Entry {
    this.receipt(changes)
    return this.resolved({ outcome, default_action: this.request.default_action })
  }

  withdrawn(): Entry {
    this.tell('REQUEST_WITHDRAWN', { reason: 'not needed any more', by: 'key-1' })
    return this.resolved({ outcome: 'withdrawn' })
  }

  resolved(changes: Changes<'REQUEST_RESOLVED'> & Pick<Body<'REQUEST_RESOLVED'>, 'outcome'>): Entry {
    return this.tell('REQUEST_RESOLVED', { causes: [this.#craft.seq - 1], ...changes })
  }
}

/** What a test keeps instead of randomness. */
export const saltOf = (replyId: string): Uint8Array => Buffer.from(sha256(replyId).slice(7), 'hex')

/** The receipt of an inbound reply: all checks hold, or all up to the reason. */
export function checks(reason: Reason | null) {
  const upTo = reason === null ? REASONS.length : REASONS.indexOf(reason) + 1
  return REASONS.slice(0, upTo).map(check => ({ check, ok: check !== reason }))
}

export const started: Draft = {
  type: 'LANE_STARTED',
  body: { version: '0.1.0', grammar: GRAMMAR, profile: 'embedded', rules: NEWEST_RULES },
}

/** A sound ledger with every kind of ending, and with what may still come after one. */
export function soundLedger(): Craft {
  const craft = new Craft()
  craft.put(started)
  craft.put({ type: 'LEDGER_SEALED', body: { size: 0, hash: GENESIS } })
  craft.put({ type: 'KEY_ROTATED', body: { kid: 'k-1', purpose: 'reply', not_before: craft.at } })
  answeredTale(craft)
  timedOutTales(craft)
  withdrawnTale(craft)
  directedTales(craft)
  craft.put({ type: 'RAW_ERASED', body: { reply_id: 'r-q-1', by: 'key-2' } })
  craft.put({ type: 'KEY_REVOKED', body: { kid: 'k-1', by: 'key-2' } })
  craft.put({
    type: 'CODES_RESTED',
    body: { user_id: 'ada', channel: 'sms', until: instant(craft.ms + 900_000) },
  })
  craft.put({ type: 'OPERATOR_ACTED', body: { deed: 'key_added', about: 'key-3', by: 'key-2' } })
  return craft
}

function answeredTale(craft: Craft): void {
  const tale = new Tale(craft)
  tale.opened()
  tale.started()
  tale.failed(1, { final: false, code: 'timeout', retry_at: instant(craft.ms + 1000) })
  craft.later(1000)
  tale.started(2)
  tale.sent(2)
  tale.rejected()
  tale.tell('NOTICE_SENT', {
    delivery_id: 'd-q-1',
    channel: 'web',
    recipient: 'ada',
    reason: 'reply_not_in_schema',
  })
  craft.later(5)
  tale.answered(tale.reply({ provider_message_id: 'm-1' }))
  new Directed(craft, tale).decided({ reason: 'the question was answered' })
  tale.rejected('already_resolved', { reply_id: 'r-q-1-late' })
  tale.tell('DELIVERY_CLOSED', { delivery_id: 'd-q-1', edited: true })
}

const HALTED = { decision: 'HALT', reason: 'the default holds' } as const

function timedOutTales(craft: Craft): void {
  const unanswered = new Tale(craft, question({ question_id: 'q-2' }), 'q-2')
  const unreached = new Tale(craft, question({ question_id: 'q-3' }), 'q-3')
  unanswered.opened()
  unreached.opened()
  unanswered.started()
  unreached.started()
  unanswered.sent(1, { uncertain: true })
  unreached.sent()
  unreached.tell('DELIVERY_STATUS', { delivery_id: 'd-q-3', status: 'bounced', stands: false })
  craft.put({
    type: 'CLOCK_SUSPECT',
    body: { state: 'suspected', wall: instant(craft.ms + 3_600_000), expected: craft.at },
  })
  craft.later(60_000)
  craft.put({ type: 'CLOCK_SUSPECT', body: { state: 'cleared', wall: craft.at, expected: craft.at } })
  craft.put({ type: 'RECIPIENT_LINKED', body: { user_id: 'operator', channel: 'telegram' } })
  unanswered.timedOut('defaulted', { deliveries: [{ delivery_id: 'd-q-2', state: 'uncertain' }] })
  new Directed(craft, unanswered).decided(HALTED)
  unreached.timedOut('undelivered', { deliveries: [{ delivery_id: 'd-q-3', state: 'failed' }] })
  new Directed(craft, unreached).decided(HALTED)
}

export const approval = (changes: Partial<Record<string, unknown>> = {}): Request =>
  ({
    type: 'REQUEST_APPROVAL',
    approval_id: 'a-1',
    action: 'PUBLISH',
    parameters: { artifact: hashed('artifact') },
    deadline_seconds: 60,
    default_action: 'DENY',
    reply_schema: { kind: 'yes_no' },
    ...changes,
  }) as Request

/** What the director says of a story whose last entry is its resolution. */
export class Directed {
  readonly tale: Tale
  readonly because: number
  readonly #craft: Craft
  readonly #reply: Hash
  readonly #resolved: number

  constructor(craft: Craft, tale: Tale) {
    this.#craft = craft
    this.#resolved = craft.ms
    this.tale = tale
    this.because = craft.seq - 1
    this.#reply = sha256(canonical(tale.reply()))
  }

  decided(changes: Changes<'DIRECTOR_DECIDED'> = {}): Entry {
    return this.tale.tell('DIRECTOR_DECIDED', {
      decision: 'CONTINUE',
      reason: 'the approval was given',
      because: this.because,
      by: 'lane',
      ...changes,
    })
  }

  proposed(changes: Changes<'AHDB_DELTA'> = {}): Entry {
    return this.tale.tell('AHDB_DELTA', {
      field: 'drive',
      state: 'proposed',
      delta: [{ prefers: 'blue' }],
      because: this.because,
      by: 'lane',
      ...changes,
    })
  }

  get jti(): string {
    return hashed(`jti/${this.tale.id}`).slice(7, 29)
  }

  issued(changes: Changes<'POLICY_TOKEN_ISSUED'> = {}): Entry {
    const { request } = this.tale
    return this.tale.tell('POLICY_TOKEN_ISSUED', {
      jti: this.jti,
      action: 'PUBLISH',
      parameters_hash: hashOf('lane/parameters/v1', 'parameters' in request ? request.parameters : null),
      request_hash: hashRequest(request),
      reply_event_hash: this.#reply,
      issued_at: this.#craft.at,
      valid_seconds: 900,
      expires_at: instant(this.#resolved + 900_000),
      ...changes,
    })
  }

  spent(changes: Changes<'POLICY_TOKEN_SPENT'> = {}): Entry {
    return this.tale.tell('POLICY_TOKEN_SPENT', { jti: this.jti, spend_id: 's-1', by: 'key-1', ...changes })
  }

  revoked(changes: Changes<'POLICY_TOKEN_REVOKED'> = {}): Entry {
    return this.tale.tell('POLICY_TOKEN_REVOKED', {
      jti: this.jti,
      reason: 'a change of mind',
      by: 'key-2',
      ...changes,
    })
  }
}

/** Asked and answered; the director has the word. */
export function answeredApproval(craft: Craft, id: string): Directed {
  const tale = new Tale(craft, approval({ approval_id: id }), id).asked()
  tale.answered()
  return new Directed(craft, tale)
}

function directedTales(craft: Craft): void {
  const spent = answeredApproval(craft, 'a-1')
  spent.decided()
  spent.issued()
  craft.later(1000)
  spent.spent()
  const revoked = answeredApproval(craft, 'a-2')
  revoked.decided({ decision: 'CHANGE_MOOD', mood: 'CALM', by: 'key-3' })
  revoked.issued()
  revoked.proposed({ field: 'assert', state: 'refused', by: 'key-3', reason: 'never' })
  revoked.revoked()
  const asked = new Tale(craft, question({ question_id: 'q-9' }), 'q-9').asked()
  asked.answered()
  const preference = new Directed(craft, asked)
  preference.decided({ reason: 'the question was answered' })
  preference.proposed()
}

function withdrawnTale(craft: Craft): void {
  const tale = new Tale(craft, question({ question_id: 'q-4' }), 'q-4')
  tale.opened()
  tale.registered()
  tale.started()
  tale.withdrawn()
  new Directed(craft, tale).decided(HALTED)
  // What became of a send that was under way is told whatever else has happened.
  tale.sent()
  const next_at = instant(craft.ms + 5_000)
  tale.called(1, { ok: false, status: 500, code: 'refused', final: false, next_at })
  craft.later(5_000)
  tale.called(2)
}
