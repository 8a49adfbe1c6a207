// The director's events after a resolved story, told one by one; and the approval that allows the most of them.
import { canonical, type Hash, hashOf, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import type { Entry } from '../../src/event.js'
import { hashRequest, type Request } from '../../src/request/request.js'
import { type Craft, hashed } from './craft.js'
import { type Changes, Tale } from './tale.js'

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

/** Of a story whose last entry is its resolution. */
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
