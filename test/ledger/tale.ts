// One story, told event by event with the real seal, and its parts. Every event can be told with some of its body
// changed, so that one rule is broken and no other.
import { canonical, type Hash, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { GRAMMAR } from '../../src/compiler/compile.js'
import type { Body, Draft, Entry, EventType } from '../../src/event.js'
import { REASONS, type Reason } from '../../src/reason.js'
import type { ShownContent } from '../../src/request/content/exhibit.js'
import { display, hashDisplay } from '../../src/request/display.js'
import { hashRequest, type Request, type Run } from '../../src/request/request.js'
import { TERMS } from '../terms.js'
import { type Craft, hashed } from './craft.js'

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

export type Changes<T extends EventType> = Partial<Body<T>>
type Ids = { readonly request_id?: string; readonly run_id?: string }

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
      asked_by: 'agent',
      terms: TERMS,
      ...changes,
    }
  }

  opened(changes: Changes<'REQUEST_OPENED'> = {}): Entry {
    const body = this.opening(changes)
    this.deadline = body.deadline_at
    this.#shown = shownBy(body)
    return this.tell('REQUEST_OPENED', body)
  }

  /** The hash of what the opening has people shown. Set by opened(). */
  #shown: Hash = hashed('display')

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
      display_hash: this.#shown,
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

  /** A passkey confirms the reply that is announced next. */
  confirmed(reply_id = `r-${this.id}`): Entry {
    return this.tell('REPLY_EVIDENCE', { reply_id, evidence_hash: hashed(`evidence of ${reply_id}`) })
  }

  answer(reply = this.reply()) {
    const { parsed_choice, parsed_payload, channel, sender_identity } = reply
    const { user_id: answered_by, proof } = sender_identity
    const at = this.#craft.at
    return {
      parsed_choice,
      parsed_payload,
      answered_by,
      channel,
      proof,
      at,
    } as Body<'REQUEST_RESOLVED'>['answer'] & {}
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

/** The hash of the display of a request opened so, with these rows of its contents. */
export function shownBy(opening: Body<'REQUEST_OPENED'>, contents: readonly ShownContent[] = []): Hash {
  const { request, run, origin, ...rest } = opening
  const facts = { ...rest, request: request as unknown as Request, run: run as Run, origin: origin ?? null }
  return hashDisplay({ ...display(facts, ''), contents })
}
