// What an append makes of a passkey: the entry, the rows beside it, and what must hold for it.
import type { Hash } from '../canonical.js'
import type { Draft } from '../event.js'
import type { Guard } from '../ledger/contract.js'
import type { PasskeyRow, Shelving } from '../ledger/shelf.js'
import { hashCredential } from '../passkey/credential.js'
import { writeWaiting } from './claim.js'

export type Effect = {
  readonly events: readonly Draft[]
  readonly shelve: readonly Shelving[]
  readonly guards: readonly Guard[]
}
export const NOTHING: Effect = { events: [], shelve: [], guards: [] }

export const claimed = (value: string): Guard => ({ kind: 'unclaimed', space: 'enrolment', value })

/** Its id is claimed for good: a passkey that was taken back is not registered again. */
export function registration({
  credential_id,
  public_key,
  user_id,
  by,
}: Omit<PasskeyRow, 'credential_hash'>): Effect {
  const credential_hash = hashCredential({ credential_id, public_key })
  return {
    events: [{ type: 'PASSKEY_REGISTERED', body: { user_id, credential_hash, by } }],
    shelve: [{ put: 'passkey', passkey: { credential_hash, credential_id, user_id, public_key, by } }],
    guards: [{ kind: 'unclaimed', space: 'credential', value: credential_id }],
  }
}

/** With it stands what the person is to be told. */
export function revocation(
  { user_id, credential_hash }: Pick<PasskeyRow, 'user_id' | 'credential_hash'>,
  by: PasskeyRow['by'],
): Effect {
  const claim = writeWaiting({ kind: 'revoked', credential_hash, by })
  return {
    events: [{ type: 'PASSKEY_REVOKED', body: { user_id, credential_hash, by } }],
    shelve: [
      { put: 'passkey_end', credential_hash },
      { put: 'enrolment', enrolment: { request_id: noticeFor(credential_hash), user_id, claim } },
    ],
    guards: [{ kind: 'passkey', credential_hash }],
  }
}

/** The name under which that waits; no request has such an id. */
export const noticeFor = (credential_hash: Hash): string => `revoked ${credential_hash}`
