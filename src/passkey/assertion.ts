// An assertion (WebAuthn, section 7.2), checked from its bytes alone, by the lane before it records one and by whoever
// checks a proof years later.
//
// PA1  It answers this challenge, was made by a page of the origin that the key belongs to, and by no page in a frame.
// PA2  The authenticator says that somebody was there, and that it has verified who.
// PA3  The key has signed exactly that.
import { digest } from '../canonical.js'
import { decode } from './base64url.js'
import { type ClientData, readClientData } from './client-data.js'
import type { Evidence } from './evidence.js'
import { type PublicKey, readPublicKey } from './public-key.js'
import { isSigned } from './signature.js'

type AssertionFlaw =
  | 'no_assertion'
  | 'another_challenge'
  | 'another_origin'
  | 'nobody_verified'
  | 'another_key'

type Checked =
  | { readonly ok: true; readonly origin: string }
  | { readonly ok: false; readonly flaw: AssertionFlaw }

const flawed = (flaw: AssertionFlaw): Checked => ({ ok: false, flaw })

/** As the browser gave it, with the key it is checked by. */
type Assertion = Pick<Evidence, 'public_key' | 'authenticator_data' | 'client_data_json' | 'signature'>

export async function checkAssertion(evidence: Assertion, challenge: string): Promise<Checked> {
  const read = readAssertion(evidence)
  if (read === null) return flawed('no_assertion')
  const { client, data, key, signature, clientBytes } = read
  if (client.challenge !== challenge) return flawed('another_challenge')
  const host = hostOf(client.origin)
  if (host === null || client.isFramed || !isSame(digest(host), data.rpHash)) return flawed('another_origin')
  if (!data.isPresent || !data.isVerified) return flawed('nobody_verified')
  const signed = Uint8Array.of(...data.bytes, ...digest(clientBytes))
  return (await isSigned(key, signed, signature))
    ? { ok: true, origin: client.origin }
    : flawed('another_key')
}

type Read = {
  readonly client: ClientData
  readonly clientBytes: Uint8Array
  readonly data: AuthenticatorData
  readonly key: PublicKey
  readonly signature: Uint8Array
}

function readAssertion(evidence: Assertion): Read | null {
  const bytesOf = (member: keyof Assertion): Uint8Array => decode(evidence[member]) ?? new Uint8Array()
  const clientBytes = bytesOf('client_data_json')
  const client = readClientData(clientBytes, 'webauthn.get')
  const data = readAuthenticatorData(bytesOf('authenticator_data'))
  const key = readPublicKey(bytesOf('public_key'))
  if (client === null || data === null || key === null) return null
  return { client, clientBytes, data, key, signature: bytesOf('signature') }
}

/** The host of an origin that a passkey can belong to: of https, or of this machine. Null for any other. */
function hostOf(origin: string): string | null {
  const [, scheme, host = ''] = /^(https?):\/\/([a-z0-9.-]+)(?::[0-9]{1,5})?$/.exec(origin) ?? []
  return scheme === 'https' || (scheme === 'http' && host === 'localhost') ? host : null
}

type AuthenticatorData = {
  readonly bytes: Uint8Array
  readonly rpHash: Uint8Array
  readonly isPresent: boolean
  readonly isVerified: boolean
}

const HASH_BYTES = 32
/** The hash of the relying party's id, the flags, and a counter of four bytes. */
const LEAST_BYTES = 37
const PRESENT = 0x01
const VERIFIED = 0x04
const NEW_KEY = 0x40
const EXTENDED = 0x80

function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | null {
  const flags = bytes[HASH_BYTES] ?? 0
  const isLonger = (flags & EXTENDED) !== 0
  const isWhole = isLonger ? bytes.length > LEAST_BYTES : bytes.length === LEAST_BYTES
  if (!isWhole || (flags & NEW_KEY) !== 0) return null
  return {
    bytes,
    rpHash: bytes.subarray(0, HASH_BYTES),
    isPresent: (flags & PRESENT) !== 0,
    isVerified: (flags & VERIFIED) !== 0,
  }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])
