// Who has passkeys, as far as this replica knows: read once, then heard of from any replica that registers one or takes one
// back. It says whom a request can be put to; whether an answer is confirmed is asked of the passkey itself.
import type { Hash } from '../canonical.js'
import type { Entry } from '../event.js'
import type { Ledger, Store } from '../ledger/contract.js'
import type { PasskeyRow } from '../ledger/shelf.js'
import type { Proof } from '../request/channel.js'

/** The proof that an answer confirmed with a passkey carries, by whose word the passkey is theirs. */
export const PROOF_BY = {
  person: 'passkey',
  operator: 'passkey_by_operator',
} as const satisfies Record<PasskeyRow['by'], Proof>

type Known = Pick<PasskeyRow, 'user_id' | 'credential_hash' | 'by'>

export class Passkeys {
  /** By person, then by passkey. Owned by #learn() and #forget(). */
  readonly #proofs = new Map<string, Map<Hash, Proof>>()
  /** Those taken back since: one that was read a moment before is not learnt anew. */
  readonly #gone = new Set<Hash>()
  readonly #leave: () => void

  private constructor(ledger: Ledger) {
    this.#leave = ledger.onCommit(entries => this.#hear(entries), ['PASSKEY_REGISTERED', 'PASSKEY_REVOKED'])
  }

  static async open({ ledger, shelf }: Store): Promise<Passkeys> {
    const passkeys = new Passkeys(ledger)
    for (const row of await shelf.passkeys()) passkeys.#learn(row)
    return passkeys
  }

  /** The proofs that their passkeys give; none where they have none. */
  proofsOf(userId: string): readonly Proof[] {
    return [...new Set(this.#proofs.get(userId)?.values())]
  }

  stop(): void {
    this.#leave()
  }

  #hear(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.type === 'PASSKEY_REGISTERED') this.#learn(entry.body)
      if (entry.type === 'PASSKEY_REVOKED') this.#forget(entry.body)
    }
  }

  #learn({ user_id, credential_hash, by }: Known): void {
    if (this.#gone.has(credential_hash)) return
    const proofs = this.#proofs.get(user_id) ?? new Map()
    this.#proofs.set(user_id, proofs.set(credential_hash, PROOF_BY[by]))
  }

  #forget({ user_id, credential_hash }: Pick<Known, 'user_id' | 'credential_hash'>): void {
    this.#gone.add(credential_hash)
    this.#proofs.get(user_id)?.delete(credential_hash)
  }
}
