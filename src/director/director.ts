// The director, put together: the next move of a run, and its right to make it. Each of its decisions is an entry in
// the story of the request it is about; the pure files beside this one do the deciding.
import type { Case } from '../agenda/case.js'
import type { Ledger } from '../ledger/contract.js'
import type { Recorder, Sequel } from '../record/record.js'
import { draw } from '../token/chance.js'
import type { Keyring } from '../token/keyring.js'
import { mintPolicyToken } from '../token/policy-token.js'
import { direct } from './direct.js'
import type { DirectorPolicy } from './policy.js'
import { claimsOf, isLive, type Spend } from './right.js'
import { type Revoked, revoke, type Spent, spend } from './spend.js'
import { type Heard, hear, type Word } from './take-over.js'

const JTI_BYTES = 16

type DirectorParts = {
  readonly ledger: Ledger
  readonly policy: DirectorPolicy
  readonly keyring: () => Keyring
  readonly recorder: Pick<Recorder, 'record'>
  readonly current: (requestId: string) => Promise<Case | null>
}

export class Director {
  readonly #parts: DirectorParts

  constructor(parts: DirectorParts) {
    this.#parts = parts
  }

  /** The consequences of this request's resolution, should the append about to be made resolve it. */
  async direct({ run, request }: Case): Promise<Sequel> {
    const { ledger, policy } = this.#parts
    const jti = request.type === 'REQUEST_APPROVAL' ? newJti() : ''
    // Asked before the append: a director that takes the run over meanwhile finds this one request decided.
    const direction = { policy, outside: await ledger.hasDirector(run.run_id), jti }
    return (subject, because, moment) => direct(direction, subject, because, moment)
  }

  /** The decision of an outside director. */
  hear(word: Word): Promise<Heard> {
    const { recorder, current, policy } = this.#parts
    return hear({ record: recorder.record, current, policy, jti: newJti() }, word)
  }

  /** The policy token of an approval, made from its entry; null if there is none that could be spent. */
  async policyToken(subject: Case): Promise<string | null> {
    const { ledger, keyring } = this.#parts
    const token = subject.policy_token
    if (token === null || !isLive(token, ledger.now())) return null
    return mintPolicyToken(keyring(), claimsOf(subject, token))
  }

  spend(token: string, wanted: Spend): Promise<Spent> {
    return spend(this.#treasury(), token, wanted)
  }

  async revoke(jti: string, reason: string, by: string): Promise<Revoked> {
    const requestId = await this.#parts.ledger.requestOfToken(jti)
    return requestId === null ? { kind: 'unknown' } : revoke(this.#treasury(), requestId, reason, by)
  }

  /** Withdrawing an answered request takes back the right, not the answer. Null if there was no
   *  right to take back. */
  async takeBack(subject: Case, reason: string, by: string): Promise<Case | null> {
    if (subject.policy_token === null) return null
    const result = await revoke(this.#treasury(), subject.request_id, reason, by)
    const without = result.kind === 'revoked' ? result.subject : null
    return without?.policy_token?.revoked_at ? without : null
  }

  #treasury() {
    const { ledger, keyring, recorder, current } = this.#parts
    return { record: recorder.record, keyring, current, now: () => ledger.now() }
  }
}

const newJti = (): string => draw(JTI_BYTES).toString('base64url')
