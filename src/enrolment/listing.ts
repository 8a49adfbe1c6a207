// The passkeys of a person as people name them: by the characters that the person and the operator are shown.
import type { Store } from '../ledger/contract.js'
import { parseEntry } from '../ledger/entry.js'
import type { PasskeyRow } from '../ledger/shelf.js'
import { shorten } from './claim.js'

export type ListedPasskey = Pick<PasskeyRow, 'user_id' | 'credential_hash' | 'by'> & {
  readonly credential: string
  /** Null where the entry that registered it is not found. */
  readonly registered_at: string | null
}

/** The oldest first. */
export async function listPasskeys(
  { ledger, shelf }: Pick<Store, 'ledger' | 'shelf'>,
  userId: string,
): Promise<readonly ListedPasskey[]> {
  const found: { readonly seq: number; readonly passkey: ListedPasskey }[] = []
  for (const { user_id, credential_hash, by } of await shelf.passkeysOf(userId)) {
    const seq = await ledger.registrationOf(credential_hash)
    let registered_at: string | null = null
    if (seq !== null) for await (const line of ledger.lines(seq, 1)) registered_at = parseEntry(line).at
    const passkey = { user_id, credential: shorten(credential_hash), credential_hash, by, registered_at }
    found.push({ seq: seq ?? 0, passkey })
  }
  return found.sort((one, other) => one.seq - other.seq).map(({ passkey }) => passkey)
}

/** So few characters name no passkey: somebody might mean another than they hit. */
const FEWEST = 4

/** Those whose hash begins so, blanks and hyphens aside; null for what can be no such beginning. */
export function named(passkeys: readonly ListedPasskey[], name: string): readonly ListedPasskey[] | null {
  const digits = name
    .replace(/^sha256:/, '')
    .replace(/[ -]/g, '')
    .toLowerCase()
  if (digits.length < FEWEST || !/^[0-9a-f]{1,64}$/.test(digits)) return null
  return passkeys.filter(({ credential_hash }) => credential_hash.startsWith(`sha256:${digits}`))
}
