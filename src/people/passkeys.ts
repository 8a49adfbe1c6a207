// Who has passkeys, as far as this replica knows: read once, then heard of from any replica that registers one. It says whom
// a request can be put to; whether an answer is confirmed is asked of the passkey itself.
import type { Entry } from '../event.js'
import type { Ledger, Store } from '../ledger/contract.js'
import type { PasskeyRow } from '../ledger/shelf.js'
import type { Proof } from '../request/channel.js'

/** The proof that an answer confirmed with a passkey carries, by whose word the passkey is theirs. */
export const PROOF_BY = {
  person: 'passkey',
  operator: 'passkey_by_operator',
} as const satisfies Record<PasskeyRow['by'], Proof>

export class Passkeys {
  /** By person. Owned by #learn(). */
  readonly #proofs = new Map<string, Set<Proof>>()
  readonly #leave: () => void

  private constructor(ledger: Ledger) {
    this.#leave = ledger.onCommit(entries => this.#hear(entries), ['PASSKEY_REGISTERED'])
  }

  static async open({ ledger, shelf }: Store): Promise<Passkeys> {
    const passkeys = new Passkeys(ledger)
    for (const { user_id, by } of await shelf.passkeys()) passkeys.#learn(user_id, by)
    return passkeys
  }

  /** The proofs that their passkeys give; none where they have none. */
  proofsOf(userId: string): readonly Proof[] {
    return [...(this.#proofs.get(userId) ?? [])]
  }

  stop(): void {
    this.#leave()
  }

  #hear(entries: readonly Entry[]): void {
    for (const entry of entries)
      if (entry.type === 'PASSKEY_REGISTERED') this.#learn(entry.body.user_id, entry.body.by)
  }

  #learn(userId: string, by: PasskeyRow['by']): void {
    const proofs = this.#proofs.get(userId) ?? new Set()
    this.#proofs.set(userId, proofs.add(PROOF_BY[by]))
  }
}
