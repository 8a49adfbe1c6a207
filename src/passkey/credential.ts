// The name of a passkey in the ledger: by it whoever checks a decision offline can hold the public key that confirmed it
// against the entry that says whose it is.
import { type Hash, hashOf } from '../canonical.js'

type Credential = { readonly credential_id: string; readonly public_key: string }

export const hashCredential = ({ credential_id, public_key }: Credential): Hash =>
  hashOf('lane/credential/v1', { credential_id, public_key })
