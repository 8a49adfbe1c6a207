// A passkey registered for somebody, in one append with its row, as enrolment leaves it.
import type { Store } from '../../src/ledger/contract.js'
import type { PasskeyRow } from '../../src/ledger/shelf.js'
import { type Credential, makeCredential } from './authenticator.js'

export async function registered(
  { ledger }: Pick<Store, 'ledger'>,
  user_id: string,
  by: PasskeyRow['by'] = 'person',
  credential: Credential = makeCredential(),
): Promise<Credential> {
  const { credential_id, public_key, credential_hash } = credential
  await ledger.append({
    decide: () => ({
      kind: 'append',
      events: [{ type: 'PASSKEY_REGISTERED', body: { user_id, credential_hash, by } }],
      shelve: [{ put: 'passkey', passkey: { user_id, by, credential_id, public_key, credential_hash } }],
    }),
  })
  return credential
}
