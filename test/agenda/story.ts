// Stories told event by event through the real fold, for tables and for a model that tells arbitrary ones.

import { retryAt } from '../../src/agenda/backoff.js'
import { apply, type Case } from '../../src/agenda/case.js'
import { type Delivery, KEY_REVOKED, LINKED, NOT_LINKED } from '../../src/agenda/delivery.js'
import { type AgendaPolicy, type Duty, type Owed, owed } from '../../src/agenda/owed.js'
import { sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import type { Body, Draft, EventType, OutcomeKind } from '../../src/event.js'
import type { Channel, Proof } from '../../src/request/channel.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import type { Terms } from '../../src/request/terms.js'
import { OWN_PROOF, pageProofOf } from '../../src/request/way.js'
import { TERMS } from '../terms.js'

export const OPENED = Date.parse('2026-11-01T12:00:00.000Z')
export const LEASE_MS = 30_000
export const HASH = sha256('x')
export const POLICY: AgendaPolicy = {
  closable: new Set<Channel>(['slack', 'telegram']),
  rests: () => false,
  quietUntil: () => null,
  channelsOf: () => ['email', 'web'],
}

export type Deliver = Extract<Duty, { kind: 'deliver' }>

export class Story {
  now = OPENED
  subject: Case
  /** Claimed and not yet concluded: a send that takes its time, or whose sender died. */
  readonly underWay: Deliver[] = []
  readonly told: Draft[] = []
  /** The same with their times and places. */
  readonly entries: (Draft & { readonly at: string; readonly seq: number })[] = []
  policy = POLICY
  #seq = 0

  constructor(recipients: readonly ResolvedRecipient[], seconds = 600, terms: Terms = TERMS) {
    const body: Body<'REQUEST_OPENED'> = {
      request: {
        type: 'REQUEST_QUESTION',
        question_id: 'q',
        question_text: 'Ship it?',
        impact: 'Some',
        context_handles: [],
        deadline_seconds: seconds,
        default_action: 'HALT',
        reply_schema: { kind: 'yes_no' },
      },
      request_hash: HASH,
      run: { run_id: 'run', mood: 'DEFERENTIAL' },
      recipients,
      envelope_hash: HASH,
      deadline_at: instant(OPENED + seconds * 1000),
      opened_by: 'key',
      asked_by: 'agent',
      terms,
    }
    this.subject = apply(null, this.#placed({ type: 'REQUEST_OPENED', request_id: 'q', body }))
  }

  #placed(draft: Draft) {
    this.told.push(draft)
    const placed = { ...draft, at: instant(this.now), seq: this.#seq++ }
    this.entries.push(placed)
    return placed
  }

  tell<T extends EventType>(type: T, body: Body<T>): void {
    this.subject = apply(this.subject, this.#placed({ type, request_id: 'q', body } as Draft))
  }

  owed(at = this.now): Owed {
    return owed(this.subject, at, this.policy)
  }

  deliveries(): Deliver[] {
    return this.owed().duties.filter((duty): duty is Deliver => duty.kind === 'deliver')
  }

  delivery(id: string): Delivery | undefined {
    return this.subject.deliveries.find(one => one.delivery_id === id)
  }

  #about = ({ delivery_id, attempt, channel, user_id: recipient }: Deliver) => ({
    delivery_id,
    attempt,
    channel,
    recipient,
  })

  claim(duty: Deliver, more: { readonly announces?: true } = {}): Deliver {
    const lease_until = instant(this.now + LEASE_MS)
    const pass = { token_hash: HASH, display_hash: HASH, kid: 'k-1' }
    this.tell('DELIVERY_STARTED', { ...this.#about(duty), ...pass, lease_until, ...more })
    this.underWay.push(duty)
    return duty
  }

  sent(duty: Deliver, uncertain = false): void {
    const certainty = uncertain ? { uncertain: true as const } : {}
    this.#conclude(duty)
    this.tell('OUTBOUND_REQUEST_SENT', {
      ...this.#about(duty),
      request_hash: HASH,
      token_hash: HASH,
      ...certainty,
    })
  }

  failed(duty: Deliver, final: boolean, waitAtLeast?: number, code = 'x'): void {
    const retry_at = instant(retryAt(duty.delivery_id, duty.attempt, this.now, waitAtLeast))
    this.#conclude(duty)
    this.tell('DELIVERY_FAILED', { ...this.#about(duty), code, final, ...(!final && { retry_at }) })
  }

  /** There is no address to send it to. */
  unlinked(duty: Deliver): void {
    this.failed(duty, true, undefined, NOT_LINKED)
  }

  link(delivery_id: string): void {
    this.tell('DELIVERY_STATUS', { delivery_id, status: LINKED, stands: true })
  }

  #conclude(duty: Deliver): void {
    const place = this.underWay.indexOf(duty)
    if (place >= 0) this.underWay.splice(place, 1)
  }

  /** By the one way that the copy can be answered, unless told otherwise. */
  exhaust(delivery_id: string, by?: Proof): void {
    const { channel, announces } = this.delivery(delivery_id) ?? { channel: 'web', announces: false }
    const proof = by ?? (announces ? null : OWN_PROOF[channel]) ?? pageProofOf(channel)
    this.tell('INBOUND_REPLY_REJECTED', {
      reply_id: 'r',
      delivery_id,
      channel,
      reason: 'rate_limited',
      token_validation: [{ check: 'rate_limited', ok: false }],
      raw_text_hash: HASH,
      grammar: '1',
      proof,
    })
  }

  bounce(delivery_id: string): void {
    this.tell('DELIVERY_STATUS', { delivery_id, status: 'bounced', stands: false })
  }

  /** The key of its token was revoked. */
  void(delivery_id: string): void {
    this.tell('DELIVERY_STATUS', { delivery_id, status: KEY_REVOKED, stands: false })
  }

  resolve(outcome: OutcomeKind): void {
    this.tell('REQUEST_RESOLVED', { outcome, causes: [0] })
  }

  close(delivery_id: string): void {
    this.tell('DELIVERY_CLOSED', { delivery_id, edited: true })
  }
}

export const first = (user_id: string, ...channels: Channel[]): ResolvedRecipient => ({
  user_id,
  channels,
  route: 'first',
})
export const all = (user_id: string, ...channels: Channel[]): ResolvedRecipient => ({
  user_id,
  channels,
  route: 'all',
})
