// Passkeys at the console: one is made, and somebody signs in by one. What a browser says of either counts only for the
// ticket it was asked with, from a page of ours, and if the device has verified who is there.
//
// PK1  A challenge is the hash of a ticket (ticket.ts), under a name of its own: an assertion that signs somebody in confirms
//      no answer, and one that confirms an answer signs nobody in.
// PK2  ES256, EdDSA and RS256, in the one encoding that whoever checks a decision reads too (passkey/).
// PK3  Who made the device is not asked: what a browser says of that is put aside unread, so nothing it names is fetched.
import { digest } from '../canonical.js'
import type { PasskeyRow, Shelf } from '../ledger/shelf.js'
import { checkAssertion } from '../passkey/assertion.js'
import { decode, encode } from '../passkey/base64url.js'
import { readClientData } from '../passkey/client-data.js'
import { MOST_BYTES } from '../passkey/evidence.js'
import { readPublicKey } from '../passkey/public-key.js'

/** As COSE names them: ES256, EdDSA, RS256 (PK2). */
export const ALGORITHMS: readonly number[] = [-7, -8, -257]

type Use = 'create' | 'get'

/** In base64url, as the browser takes and signs it (PK1). */
export const challengeFor = (use: Use, ticket: string): string =>
  encode(digest(`lane/passkey-${use}/v1\n${ticket}`))

/** What a device remembers a person by: it tells nobody who they are. */
export const userHandleOf = (userId: string): string => encode(digest(`lane/person/v1\n${userId}`))

/** Where people are: the origin of the page, and the host that passkeys belong to. */
export type Site = { readonly origin: string; readonly host: string }

/** Each in base64url, as the page's form has it. */
type Made = { readonly client_data: string; readonly attestation: string }
type Asserted = {
  readonly credential_id: string
  readonly client_data: string
  readonly authenticator_data: string
  readonly signature: string
}

/** The new passkey; null for what is none, or was not asked for with this ticket. */
export async function readMade(
  site: Site,
  ticket: string,
  made: Made,
): Promise<Pick<PasskeyRow, 'credential_id' | 'public_key'> | null> {
  // Loaded by whoever makes a passkey, which is seldom: it brings a library of certificates along.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  try {
    const bytes = Uint8Array.from(decode(made.attestation) ?? [])
    const authData = decodeAttestationObject(bytes).get('authData')
    const id = idIn(authData)
    // What could not be evidence of an answer later is no passkey.
    if (id.length > MOST_BYTES.credential_id || isFramed(made)) return null
    // PK3.
    const unattested = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    const credential_id = encode(id)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: credential_id,
        rawId: credential_id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: made.client_data, attestationObject: encode(isoCBOR.encode(unattested)) },
      },
      expectedChallenge: challengeFor('create', ticket),
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserPresence: true,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    })
    if (!verified) return null
    const { publicKey } = registrationInfo.credential
    return readPublicKey(publicKey) === null ? null : { credential_id, public_key: encode(publicKey) }
  } catch {
    return null
  }
}

/** Behind the hash of the host, the flags, the counter and the model: two bytes of length, and the id. */
const LENGTH_AT = 32 + 1 + 4 + 16
function idIn(data: Uint8Array): Uint8Array {
  const length = (data[LENGTH_AT] ?? 0) * 256 + (data[LENGTH_AT + 1] ?? 0)
  return data.subarray(LENGTH_AT + 2, LENGTH_AT + 2 + length)
}

/** Whether the page stood in somebody's frame, or the browser does not say; the library does not ask. */
const isFramed = ({ client_data }: Made): boolean =>
  readClientData(decode(client_data) ?? new Uint8Array(), 'webauthn.create')?.isFramed !== false

/** Whose passkey has signed this ticket; null for nobody's. */
export async function findSigner(
  shelf: Pick<Shelf, 'passkeyById'>,
  site: Site,
  ticket: string,
  { credential_id, client_data, authenticator_data, signature }: Asserted,
): Promise<PasskeyRow | null> {
  const passkey = decode(credential_id) === null ? null : await shelf.passkeyById(credential_id)
  if (passkey === null) return null
  const assertion = {
    public_key: passkey.public_key,
    authenticator_data,
    client_data_json: client_data,
    signature,
  }
  const checked = await checkAssertion(assertion, challengeFor('get', ticket))
  return checked.ok && checked.origin === site.origin ? passkey : null
}
